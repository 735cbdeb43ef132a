import { visit, type JSONPath, type JSONVisitor } from 'jsonc-parser';
import type { Path } from '../../core/text/json-pointer.ts';
import { quote } from '../../core/text/quote.ts';
import type { Finding } from '../fault.ts';
import { describeSyntaxError } from './syntax-error.ts';

/** A finding, and the UTF-16 index in the text where it stands. */
export type Located = Finding & { readonly offset: number };

/** A JSON document as values, each of which can be found again in the text. */
export interface JsonDocument {
  readonly value: unknown;
  /** What is wrong with the text itself. */
  readonly findings: readonly Located[];
  /** Whether all of the text was read, so that `value` can be judged. */
  readonly isWhole: boolean;
  /** Where the value at `path` begins, or its key, or else what is nearest above it. */
  readonly offsetOf: (path: Path, end: 'key' | 'value') => number;
}

const DEEPEST = 64;
const MOST_VALUES = 100_000;
/** Names that reach the prototype of an object. */
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** By key or index, where key and value begin. */
type Offsets = Map<string | number, { readonly key: number; readonly value: number }>;

/** What one pass over a text has found so far. */
interface DocumentResult {
  readonly text: string;
  readonly root: { value: unknown; offset: number };
  readonly findings: Located[];
  /** Of each container, where its keys and values begin; undefined in a pass that does not ask. */
  readonly offsets: WeakMap<object, Offsets> | undefined;
  /** The containers around the next value, the innermost last. */
  readonly open: Open[];
  values: number;
  /** Where the last token begins, when it is a comma. */
  comma: number | undefined;
}

interface Open {
  readonly container: Record<string, unknown> | unknown[];
  readonly offsets: Offsets | undefined;
  /** The key whose value comes next; undefined when that value is passed over. */
  key: { readonly name: string; readonly offset: number } | undefined;
}

/** Thrown out of the visitor, which cannot be told to stop. */
class Stop extends Error {}

/**
 * Reads JSON with comments. Keys that stand twice or are forbidden, and commas after the last element,
 * are found one by one; any other mistake ends the reading, since what follows would be a guess.
 */
export function readJson(text: string): JsonDocument {
  const reading = newReading(text, undefined);
  const isWhole = visitAll(reading);
  // Offsets cost as much as values, and most documents have nothing to point at.
  let places: ReturnType<typeof placesIn> | undefined;
  const offsetOf: JsonDocument['offsetOf'] = (path, end) => {
    places ??= placesIn(text);
    return places(path, end);
  };
  return { value: reading.root.value, findings: reading.findings, isWhole, offsetOf };
}

/** Reads `text` once more, for where things stand. */
function placesIn(text: string): JsonDocument['offsetOf'] {
  const offsets = new WeakMap<object, Offsets>();
  const { root, ...rest } = newReading(text, offsets);
  visitAll({ root, ...rest });
  return (path, end) => {
    let { value, offset } = root;
    for (const [depth, step] of path.entries()) {
      const found = offsets.get(value as object)?.get(step);
      if (!found) break;
      offset = depth === path.length - 1 ? found[end] : found.value;
      value = (value as Record<string | number, unknown>)[step];
    }
    return offset;
  };
}

function newReading(text: string, offsets: DocumentResult['offsets']): DocumentResult {
  const root = { value: undefined, offset: 0 };
  return { text, root, findings: [], offsets, open: [], values: 0, comma: undefined };
}

/** Whether all of the text could be read. */
function visitAll(reading: DocumentResult): boolean {
  const visitor: JSONVisitor = {
    onObjectBegin: (offset) => open(reading, {}, offset),
    onArrayBegin: (offset) => open(reading, [], offset),
    onObjectEnd: (offset) => close(reading, offset),
    onArrayEnd: (offset) => close(reading, offset),
    onObjectProperty: (name, offset, ...rest) => enter(reading, { name, offset }, rest[3]),
    onLiteralValue: (value, offset) => place(reading, value, offset),
    onSeparator: (character, offset) => {
      if (character === ',') reading.comma = offset;
    },
    onError: (code, offset) => stop(reading, 'bad-json', describeSyntaxError(code), offset),
  };
  try {
    visit(reading.text, visitor, { allowTrailingComma: true });
    return true;
  } catch (error) {
    if (error instanceof Stop) return false;
    throw error;
  }
}

function open(reading: DocumentResult, container: Open['container'], offset: number): void {
  place(reading, container, offset);
  if (reading.open.length === DEEPEST) {
    stop(reading, 'too-large', `nested more than ${DEEPEST} deep`, offset);
  }
  const offsets: Offsets | undefined = reading.offsets && new Map();
  if (offsets) reading.offsets?.set(container, offsets);
  reading.open.push({ container, offsets, key: undefined });
}

function close(reading: DocumentResult, offset: number): void {
  const closing = reading.text[offset];
  if (reading.comma !== undefined && closing !== undefined) {
    const message = `a comma before ${quote(closing)}`;
    reading.findings.push({ kind: 'bad-json', path: [], message, offset: reading.comma });
  }
  reading.comma = undefined;
  reading.open.pop();
}

/** Notes the key of the next value, or why that value is passed over. */
function enter(reading: DocumentResult, key: NonNullable<Open['key']>, path: () => JSONPath): void {
  reading.comma = undefined;
  const around = reading.open.at(-1);
  if (!around) return;
  const isForbidden = FORBIDDEN_KEYS.has(key.name);
  const isDuplicate = Object.hasOwn(around.container, key.name);
  around.key = isForbidden || isDuplicate ? undefined : key;
  if (around.key) return;
  const at = { path: [...path(), key.name], end: 'key', offset: key.offset } as const;
  if (isForbidden) {
    const message = 'no field can have this name';
    reading.findings.push({ ...at, kind: 'forbidden-key', message });
  } else {
    const message = 'this key stands twice';
    reading.findings.push({ ...at, kind: 'duplicate-key', message, also: at.path });
  }
}

/** Puts a value where it belongs. */
function place(reading: DocumentResult, value: unknown, offset: number): void {
  reading.comma = undefined;
  reading.values++;
  if (reading.values > MOST_VALUES) {
    stop(reading, 'too-large', `more than ${MOST_VALUES} values`, offset);
  }
  const around = reading.open.at(-1);
  if (!around) {
    reading.root.value = value;
    reading.root.offset = offset;
  } else if (Array.isArray(around.container)) {
    around.offsets?.set(around.container.length, { key: offset, value: offset });
    around.container.push(value);
  } else if (around.key) {
    around.offsets?.set(around.key.name, { key: around.key.offset, value: offset });
    around.container[around.key.name] = value;
  }
}

function stop(
  reading: DocumentResult,
  kind: 'bad-json' | 'too-large',
  message: string,
  offset: number,
): never {
  reading.findings.push({ kind, path: [], message, offset });
  throw new Stop();
}

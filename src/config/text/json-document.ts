import { visit, type JSONPath, type JSONVisitor } from 'jsonc-parser';
import { DEEPEST } from '../../core/machine/document-limits.ts';
import type { Path } from '../../core/text/json-pointer.ts';
import { quote } from '../../core/text/quote.ts';
import type { Finding } from '../fault.ts';
import { parsePlainJson } from './plain-json.ts';
import { describeSyntaxError } from './syntax-error.ts';

/** A finding, and its UTF-16 offset in the text. */
export type Located = Finding & { readonly offset: number };

/** The value of a JSON document, with the position of each part in the text. */
export interface JsonDocument {
  readonly value: unknown;
  /** Errors of the JSON itself, such as duplicate keys. */
  readonly findings: readonly Located[];
  /** Whether all of the text was read, so that `value` can be checked. */
  readonly isWhole: boolean;
  /** The offset of the value at `path` or of its key; if there is none, of the nearest enclosing value. */
  readonly offsetOf: (path: Path, end: 'key' | 'value') => number;
}

const MOST_VALUES = 100_000;
/** Keys that give access to an object's prototype. */
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
const LIMITS = { deepest: DEEPEST, mostValues: MOST_VALUES, forbiddenKeys: FORBIDDEN_KEYS };

/** The offsets of key and value, by key or index. */
type Offsets = Map<string | number, { readonly key: number; readonly value: number }>;

/** The state of one pass over a text. */
interface Pass {
  readonly text: string;
  readonly root: { value: unknown; offset: number };
  readonly findings: Located[];
  /** The offsets of each container's keys and values; undefined in a pass that does not record them. */
  readonly offsets: WeakMap<object, Offsets> | undefined;
  /** The containers around the next value, the innermost last. */
  readonly open: Open[];
  values: number;
  /** The offset of the last token if it is a comma. */
  comma: number | undefined;
}

interface Open {
  readonly container: Record<string, unknown> | unknown[];
  readonly offsets: Offsets | undefined;
  /** The key of the next value; undefined when that value is ignored. */
  key: { readonly name: string; readonly offset: number } | undefined;
}

/** Thrown to end the visit, which jsonc-parser cannot stop otherwise. */
class Stop extends Error {}

/**
 * Reads JSON with comments. Duplicate keys, forbidden keys and trailing commas are all reported. Any other error
 * ends the reading, because the structure of the rest would be a guess.
 */
export function readJson(text: string): JsonDocument {
  // Recording offsets takes longer than reading, and most documents have no problem to locate.
  let recorded: ReturnType<typeof recordOffsets> | undefined;
  const offsetOf: JsonDocument['offsetOf'] = (path, end) => {
    recorded ??= recordOffsets(text);
    return recorded(path, end);
  };
  const plain = parsePlainJson(text, LIMITS);
  if (plain) return { ...plain, findings: [], isWhole: true, offsetOf };
  const pass = newPass(text, undefined);
  const isWhole = visitAll(pass);
  return { value: pass.root.value, findings: pass.findings, isWhole, offsetOf };
}

/** Reads `text` again, to record offsets. */
function recordOffsets(text: string): JsonDocument['offsetOf'] {
  const offsets = new WeakMap<object, Offsets>();
  const { root, ...rest } = newPass(text, offsets);
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

function newPass(text: string, offsets: Pass['offsets']): Pass {
  const root = { value: undefined, offset: 0 };
  return { text, root, findings: [], offsets, open: [], values: 0, comma: undefined };
}

/** Visits the text; returns whether all of it could be read. */
function visitAll(pass: Pass): boolean {
  const visitor: JSONVisitor = {
    onObjectBegin: (offset) => open(pass, {}, offset),
    onArrayBegin: (offset) => open(pass, [], offset),
    onObjectEnd: (offset) => close(pass, offset),
    onArrayEnd: (offset) => close(pass, offset),
    onObjectProperty: (name, offset, ...rest) => startProperty(pass, { name, offset }, rest[3]),
    onLiteralValue: (value, offset) => addValue(pass, value, offset),
    onSeparator: (character, offset) => {
      if (character === ',') pass.comma = offset;
    },
    onError: (code, offset) => stop(pass, 'bad-json', describeSyntaxError(code), offset),
  };
  try {
    visit(pass.text, visitor, { allowTrailingComma: true });
    return true;
  } catch (error) {
    if (error instanceof Stop) return false;
    throw error;
  }
}

function open(pass: Pass, container: Open['container'], offset: number): void {
  addValue(pass, container, offset);
  if (pass.open.length === DEEPEST) {
    stop(pass, 'too-large', `nested more than ${DEEPEST} levels deep`, offset);
  }
  const offsets: Offsets | undefined = pass.offsets && new Map();
  if (offsets) pass.offsets?.set(container, offsets);
  pass.open.push({ container, offsets, key: undefined });
}

function close(pass: Pass, offset: number): void {
  const closing = pass.text[offset];
  if (pass.comma !== undefined && closing !== undefined) {
    const message = `trailing comma before ${quote(closing)}`;
    pass.findings.push({ kind: 'bad-json', path: [], message, offset: pass.comma });
  }
  pass.comma = undefined;
  pass.open.pop();
}

/** Records the key of the next value, or reports why that value is ignored. */
function startProperty(pass: Pass, key: NonNullable<Open['key']>, path: () => JSONPath): void {
  pass.comma = undefined;
  const parent = pass.open.at(-1);
  if (!parent) return;
  const isForbidden = FORBIDDEN_KEYS.has(key.name);
  const isDuplicate = Object.hasOwn(parent.container, key.name);
  parent.key = isForbidden || isDuplicate ? undefined : key;
  if (parent.key) return;
  const at = { path: [...path(), key.name], end: 'key', offset: key.offset } as const;
  if (isForbidden) {
    const message = 'no field can have this name';
    pass.findings.push({ ...at, kind: 'forbidden-key', message });
  } else {
    const message = 'this key appears twice';
    pass.findings.push({ ...at, kind: 'duplicate-key', message, also: at.path });
  }
}

/** Adds a value to its container. */
function addValue(pass: Pass, value: unknown, offset: number): void {
  pass.comma = undefined;
  pass.values++;
  if (pass.values > MOST_VALUES) {
    stop(pass, 'too-large', `more than ${MOST_VALUES} values`, offset);
  }
  const parent = pass.open.at(-1);
  if (!parent) {
    pass.root.value = value;
    pass.root.offset = offset;
  } else if (Array.isArray(parent.container)) {
    parent.offsets?.set(parent.container.length, { key: offset, value: offset });
    parent.container.push(value);
  } else if (parent.key) {
    parent.offsets?.set(parent.key.name, { key: parent.key.offset, value: offset });
    parent.container[parent.key.name] = value;
  }
}

function stop(pass: Pass, kind: 'bad-json' | 'too-large', message: string, offset: number): never {
  pass.findings.push({ kind, path: [], message, offset });
  throw new Stop();
}

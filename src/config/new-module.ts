import { findNodeAtLocation, parseTree, type JSONPath, type Node } from 'jsonc-parser';
import type { ModuleId } from '../core/index.ts';

/** The fields of a registry module that is added. */
export interface NewModule {
  readonly name: string;
  readonly moduleId: ModuleId;
  /** A constraint. */
  readonly version: string;
}

/** Text that is inserted at a UTF-16 offset of a document. */
export interface Insertion {
  readonly offset: number;
  readonly text: string;
}

/** How the surroundings of an insertion are written. */
interface Style {
  /** The line ending if values begin lines of their own; undefined if they follow each other on one line. */
  readonly lineEnd: string | undefined;
  /** The indentation of the line on which the value begins. */
  readonly indent: string;
  /** The indentation of one level. */
  readonly unit: string;
  /** Text of the document that is written in the same way. */
  readonly sample: string;
}

const LINE_END = /\r\n|\n|\r/;
const WHITE = /[ \t\r\n]/;
/** The comments that follow a value on its line: those with an end, and one that ends with the line. */
const COMMENTS = /(?<closed>(?:[ \t]*\/\*(?:(?!\*\/)[^\r\n])*\*\/)*)(?<open>[ \t]*\/\/[^\r\n]*)?/y;
const DEFAULT_UNIT = '  ';

/**
 * What to insert into `text`, a machine config without errors, so that `modules` ends with `entry`. In document order. Nothing
 * else changes: comments, indentation and line endings stay, and the entry is written like the one before it
 * (D45).
 */
export function newModule(text: string, entry: NewModule): Insertion[] {
  const { name, moduleId, version } = entry;
  const fields = { type: 'registry', name, module_id: moduleId, version };
  const root = parseTree(text);
  const modules = root && findNodeAtLocation(root, ['modules']);
  if (!root) throw new RangeError('the document is empty, expected a machine config');
  if (modules) return appended(text, { root, parent: modules }, (style) => written(fields, style));
  return appended(text, { root, parent: root }, (style) => {
    const key = isSpaced(style) ? '"modules": ' : '"modules":';
    return key + written([fields], style);
  });
}

/** What to insert into `text` so that the list at `path`, which has entries, ends with `entry`, written like the one before it (D416). */
export function newEntry(text: string, path: JSONPath, entry: object): Insertion[] {
  const root = parseTree(text);
  const parent = root && findNodeAtLocation(root, path);
  if (!root || !parent) throw new RangeError('the document has no such list');
  return appended(text, { root, parent }, (style) => written(entry, style));
}

/** `text` with `insertions`, which are in document order. */
export function inserted(text: string, insertions: readonly Insertion[]): string {
  let end = 0;
  const parts = insertions.map(({ offset, text: added }) => {
    const part = text.slice(end, offset) + added;
    end = offset;
    return part;
  });
  return parts.join('') + text.slice(end);
}

/** Where a value is appended: to the list or object `parent`. */
interface Place {
  readonly root: Node;
  readonly parent: Node;
}

/** Appends what `write` returns. */
function appended(text: string, place: Place, write: (style: Style) => string): Insertion[] {
  const last = place.parent.children?.at(-1);
  return last ? afterLast(text, place, last, write) : asOnly(text, place, write);
}

function afterLast(
  text: string,
  { root, parent }: Place,
  last: Node,
  write: (style: Style) => string,
): Insertion[] {
  const end = last.offset + last.length;
  const { closed = '', open = '' } = commentsAt(text, end);
  const indent = indentAt(text, last.offset);
  const lineEnd = lineEndIn(text);
  const sample = text.slice(last.offset, end);
  // A member that is added to an object is written like the members before it, and an entry like the entry before it.
  const isOnOwnLines = parent === root ? indent.isAlone : LINE_END.test(sample);
  const style: Style = {
    lineEnd: isOnOwnLines ? lineEnd : undefined,
    indent: indent.text,
    unit: unitOf(text, root),
    sample,
  };
  if (!indent.isAlone && open === '') {
    const comma = isSpaced(style) ? ', ' : ',';
    return [{ offset: end + closed.length, text: comma + write(style) }];
  }
  return [
    { offset: end, text: ',' },
    { offset: end + closed.length + open.length, text: `${lineEnd}${indent.text}${write(style)}` },
  ];
}

function asOnly(
  text: string,
  { root, parent }: Place,
  write: (style: Style) => string,
): Insertion[] {
  const close = parent.offset + parent.length - 1;
  let offset = close;
  while (WHITE.test(text.charAt(offset - 1))) offset--;
  const space = text.slice(offset, close);
  const sample = text.slice(root.offset, root.offset + root.length);
  const unit = unitOf(text, root);
  if (!LINE_END.test(sample)) {
    const style = { lineEnd: undefined, indent: '', unit, sample };
    const isAfterComment = offset > parent.offset + 1;
    return [{ offset, text: (isAfterComment ? ' ' : '') + write(style) }];
  }
  const lineEnd = lineEndIn(text);
  const { text: outer } = indentAt(text, parent.offset);
  const indent = outer + unit;
  const body = lineEnd + indent + write({ lineEnd, indent, unit, sample });
  return [{ offset, text: LINE_END.test(space) ? body : body + lineEnd + outer }];
}

function written(value: object, style: Style): string {
  const { lineEnd, indent, unit } = style;
  if (lineEnd !== undefined) {
    return JSON.stringify(value, undefined, unit).replaceAll('\n', lineEnd + indent);
  }
  if (!isSpaced(style)) return JSON.stringify(value);
  const padded = JSON.stringify(value, undefined, 1).replaceAll(/\n */g, ' ');
  return /^[[{]\s/.test(style.sample) ? padded : padded.replaceAll(/(?<=[[{]) | (?=[\]}])/g, '');
}

/** Whether a space follows the colon of a key. */
function isSpaced({ lineEnd, sample }: Pick<Style, 'lineEnd' | 'sample'>): boolean {
  return lineEnd !== undefined || /":\s/.test(sample);
}

function lineEndIn(text: string): string {
  return LINE_END.exec(text)?.[0] ?? '\n';
}

/** The indentation of the line with `offset`, and whether nothing else is before `offset` on that line. */
function indentAt(
  text: string,
  offset: number,
): { readonly text: string; readonly isAlone: boolean } {
  const end = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1));
  const before = text.slice(end + 1, offset);
  const indent = /^[ \t]*/.exec(before)?.[0] ?? '';
  return { text: indent, isAlone: indent === before };
}

/** The indentation of the first member of `root`, if that begins a line. */
function unitOf(text: string, root: Node): string {
  const [first] = root.children ?? [];
  const indent = first ? indentAt(text, first.offset) : undefined;
  return indent?.isAlone && indent.text !== '' ? indent.text : DEFAULT_UNIT;
}

function commentsAt(text: string, offset: number): Readonly<Record<string, string | undefined>> {
  COMMENTS.lastIndex = offset;
  return COMMENTS.exec(text)?.groups ?? {};
}

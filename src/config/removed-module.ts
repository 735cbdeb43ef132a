import { findNodeAtLocation, parseTree } from 'jsonc-parser';

/** A part of a text, in UTF-16 units. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * `text`, a machine config without errors, without its module entry at `place`. Nothing else changes: comments stay, and a line
 * that has nothing left is removed (D291).
 */
export function withoutModule(text: string, place: number): string {
  const root = parseTree(text);
  const entries = (root && findNodeAtLocation(root, ['modules'])?.children) ?? [];
  const entry = entries[place];
  if (!entry) throw new RangeError(`the machine config has no module entry ${place}`);
  const own = { start: entry.offset, end: entry.offset + entry.length };
  const before = entries[place - 1];
  const comma = entries[place + 1]
    ? commaAfter(text, own.end)
    : before && commaAfter(text, before.offset + before.length);
  const removed = comma ? [own, comma].toSorted((a, b) => b.start - a.start) : [own];
  return removed.reduce(without, text);
}

/** A comma, and what may precede it: white space and comments. */
const COMMA = /(?:[ \t\r\n]|\/\/[^\r\n]*[\r\n]|\/\*(?:(?!\*\/)[^])*\*\/)*,/y;

/** The first comma after the value that ends at `offset`. */
function commaAfter(text: string, offset: number): Span | undefined {
  COMMA.lastIndex = offset;
  const end = COMMA.test(text) ? COMMA.lastIndex : undefined;
  return end === undefined ? undefined : { start: end - 1, end };
}

/** `text` without a part, and without its line if nothing is left there. */
function without(text: string, { start, end }: Span): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  const [indent = ''] = /(?:\r\n|\n|\r)[ \t]*$/.exec(before) ?? [];
  const isAlone = indent !== '' && /^[ \t]*(?:\r\n|\n|\r|$)/.test(after);
  if (isAlone) return before.slice(0, -indent.length) + after.replace(/^[ \t]+/, '');
  const isAtEdge = indent !== '' || before.endsWith('[') || /^[ \t]*\]/.test(after);
  return before + (isAtEdge ? after.replace(/^[ \t]+/, '') : after);
}

import type { Insertion } from '../../config/new-module.ts';
import { excerpt } from '../../core/text/quote.ts';

const LINE_END = /\r\n|\n|\r/;
/** Texts, and what else a line has besides white space, brackets and commas. */
const VALUES = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s[\]{},"]+|"/g;
const SEVERAL = /…(?:[ \t]*…)+/g;
const TAB = '    ';

/**
 * The lines that `insertions` change in the file at `path`, as `diff -u` shows them. What was in the line before is shown as `…`,
 * because it may contain a password. All insertions are in one line of `text`.
 */
export function insertionDiff(
  path: string,
  text: string,
  insertions: readonly Insertion[],
): string[] {
  const first = insertions[0]?.offset ?? 0;
  const before = text.slice(0, first);
  const start = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
  const rest = text.slice(first);
  const end = first + (LINE_END.exec(rest)?.index ?? rest.length);
  const line = before.slice(0, start).split(LINE_END).length;
  let at = start;
  const parts = insertions.map(({ offset, text: added }) => {
    const part = masked(text.slice(at, offset)) + added;
    at = offset;
    return part;
  });
  const changed = (parts.join('') + masked(text.slice(at, end))).split(LINE_END);
  return [
    `--- ${excerpt(path)}`,
    `+++ ${excerpt(path)}`,
    `@@ -${line} +${line}${changed.length === 1 ? '' : `,${changed.length}`} @@`,
    `-${shown(masked(text.slice(start, end)))}`,
    ...changed.map((one) => `+${shown(one)}`),
  ];
}

function masked(text: string): string {
  return text.replaceAll(VALUES, '…').replaceAll(SEVERAL, '…');
}

/** `line` without tabs, which would be escaped. */
function shown(line: string): string {
  return line.replaceAll('\t', TAB).trimEnd();
}

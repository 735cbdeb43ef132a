import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { MACHINE } from './machine.ts';
import type { Line } from './part.ts';
import type { Row } from './row.ts';

const DOCUMENT = new URL('../docs/benchmarks.md', import.meta.url);
const COLUMNS = ['measured', 'figure', 'peer', 'target'] as const;

/**
 * Writes the rows into docs/benchmarks.md, between the comments `<!-- measured: <section> -->` and `<!-- end -->`. A row
 * replaces the one that measured the same; all other rows stay.
 */
export async function writeDocument(sections: ReadonlyMap<string, readonly Row[]>): Promise<void> {
  let text = readFileSync(DOCUMENT, 'utf8');
  for (const [section, rows] of sections)
    text = withRows(text, { section, machine: MACHINE, rows });
  await writeFormatted(DOCUMENT, text);
}

/** What was measured for a section of the document. */
interface MeasuredSection {
  readonly section: string;
  readonly machine: string;
  readonly rows: readonly Row[];
}

/** The document with these rows in its section. */
export function withRows(text: string, { section, machine, rows }: MeasuredSection): string {
  const begin = `<!-- measured: ${section} -->\n`;
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf('<!-- end -->', from);
  if (from < begin.length || to < 0) {
    throw new Error(`docs/benchmarks.md has no "${begin.trim()}" with an "<!-- end -->"`);
  }
  const lines = new Map<string, Line>();
  for (const line of [...linesIn(text.slice(from, to)), ...rows.map(lineOf)]) {
    lines.set(String(line['measured']), line);
  }
  const all = [...lines.values()];
  const columns = COLUMNS.filter((column) => all.some((line) => (line[column] ?? '') !== ''));
  const table = tableOf(all, columns);
  return `${text.slice(0, from)}\nMeasured on ${machine}.\n\n${table}\n\n${text.slice(to)}`;
}

function lineOf({ measured, figure, peer = '', target = '', isMet = true }: Row): Line {
  return { measured, figure, peer, target: isMet ? target : `${target}: missed` };
}

/** The rows of a table in Markdown. */
function linesIn(markdown: string): Line[] {
  const [header = [], , ...rows] = markdown
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').slice(1, -1));
  return rows.map((cells) =>
    Object.fromEntries(header.map((name, place) => [name.trim(), (cells[place] ?? '').trim()])),
  );
}

/** A table in Markdown. */
export function tableOf(
  lines: readonly Line[],
  columns: readonly string[] = [...new Set(lines.flatMap((line) => Object.keys(line)))],
): string {
  const cells = [
    columns,
    ...lines.map((line) => columns.map((column) => String(line[column] ?? ''))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const drawn = cells.map((row) => {
    return `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  });
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [...drawn.slice(0, 1), rule, ...drawn.slice(1)].join('\n');
}

/** Writes Markdown in the format of the project. */
export async function writeFormatted(file: URL, text: string): Promise<void> {
  const options = await resolveConfig(file);
  writeFileSync(file, await format(text, { ...options, parser: 'markdown' }));
}

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './modreg.ts';

/** A page of the documentation, by its path from the root. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** README, CONTRIBUTING and everything under `docs`. */
export const PAGES: readonly Page[] = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT })
  .toSorted()
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

export function pageAt(path: string): Page {
  const page = PAGES.find((one) => one.path === path);
  if (!page) throw new Error(`no page is called ${path}`);
  return page;
}

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly content: string;
  /** The path of the file that the page says it is, in a line such as "`machine.json`:". */
  readonly path: string | undefined;
}

export function blocksOf({ text }: Page): Block[] {
  const fences = text.matchAll(/(?:^`(\S+)`:\n\n)?^ *```([\w-]+)\n([\s\S]*?)^ *```$/gm);
  return Array.from(fences, ([, path, language = '', content = '']) => ({
    path,
    language,
    content,
  }));
}

/** The cells of each row of a page's tables, trimmed; a `\|` in a cell is a `|`. */
export function tableRows({ text }: Page): string[][] {
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.map((row) =>
    row
      .slice(1, row.lastIndexOf('|'))
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
}

/** An item of a list of rows: `- **term**: text`, and its labelled parts in the lines below. */
export interface ListedRow {
  readonly term: string;
  readonly text: string;
  readonly parts: Readonly<Record<string, string>>;
}

/** The rows of a page's lists, with the parts of each: `  - label: text`. */
export function listedRows({ text }: Pick<Page, 'text'>): ListedRow[] {
  const items = text.matchAll(/^- \*\*(.+?)\*\*(?:: (.*))?\n((?: {2}- .*\n)*)/gm);
  return Array.from(items, ([, term = '', meaning = '', below = '']) => {
    const parts = Array.from(below.matchAll(/^ {2}- ([^:]+): (.*)$/gm), ([, label, part]) => [
      label,
      part,
    ]);
    return { term, text: meaning, parts: Object.fromEntries(parts) as Record<string, string> };
  });
}

/** The text below a heading of the second level, up to the next one. */
export function sectionOf({ text }: Page, heading: string): Page {
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  return { path: '', text: section.split('\n## ')[0] ?? '' };
}

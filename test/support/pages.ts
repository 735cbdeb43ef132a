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

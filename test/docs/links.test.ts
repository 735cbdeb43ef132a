import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/modreg.ts';
import { PAGES, type Page } from '../support/pages.ts';

/** The text of a page without its code. */
function prose({ text }: Page): string {
  return text
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchors(page: Page): string[] {
  const headings = page.text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/^#+ (.*)$/gm);
  return Array.from(headings, ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  );
}

function targetsOf(page: Page): string[] {
  const inline = prose(page).matchAll(/\]\(([^)\s]+)\)/g);
  const references = page.text.matchAll(/^\[.+\]: (\S+)$/gm);
  return [...inline, ...references].map(([, target = '']) => target);
}

/** The page and the target of each link to a file. */
function linksOf(pages: readonly Page[]): [string, string][] {
  return pages.flatMap((page) =>
    targetsOf(page)
      .filter((target) => !/^https?:/.test(target))
      .map((target): [string, string] => [page.path, target]),
  );
}

const LINKS = linksOf(PAGES);

/** The page or file that a link leads to, and its anchor. */
function destination(from: string, target: string): { path: string; anchor: string | undefined } {
  const [path = '', anchor] = target.split('#');
  return { path: path === '' ? from : normalize(join(dirname(from), path)), anchor };
}

it('has links to existing files only', () => {
  const broken = LINKS.filter(
    ([from, target]) => !existsSync(join(ROOT, destination(from, target).path)),
  );
  expect(broken).toEqual([]);
});

it('has links to existing headings only', () => {
  const broken = LINKS.filter(([from, target]) => {
    const { path, anchor } = destination(from, target);
    const page = PAGES.find((one) => one.path === path);
    return anchor !== undefined && !(page && anchors(page).includes(anchor));
  });
  expect(broken).toEqual([]);
});

/** Whether npm packs a file, by `files` of package.json. Debian's package has the same documents. */
function isPacked(path: string): boolean {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly files: readonly string[];
  };
  const isIn = (one: string): boolean => path === one || path.startsWith(`${one}/`);
  const isLeftOut = files.some((one) => one.startsWith('!') && isIn(one.slice(1)));
  return ['README.md', 'LICENSE', ...files].some(isIn) && !isLeftOut;
}

it('has links from packed pages to packed pages only, with these exceptions', () => {
  const examples = globSync('examples/**/*.md', { cwd: ROOT }).map((path): Page => ({
    path,
    text: readFileSync(join(ROOT, path), 'utf8'),
  }));
  const links = [...LINKS, ...linksOf(examples)].filter(([from]) => isPacked(from));
  const leading = links.filter(([from, target]) => !isPacked(destination(from, target).path));
  expect(links.filter(([from]) => from.startsWith('examples/'))).not.toEqual([]);
  expect(leading.filter(([, target]) => !/\.(svg|webp|test\.ts)$/.test(target))).toEqual([
    ['README.md', 'docs/benchmarks.md'],
    ['README.md', 'docs/design/decision-table.md'],
    ['README.md', 'docs/design/decision-table.md'],
    ['README.md', 'docs/design/faults.md'],
    ['README.md', 'docs/design/architecture.md'],
    ['README.md', 'docs/design/decisions.md'],
    ['README.md', 'docs/design/glossary.md'],
    ['README.md', 'docs/design/promises.md'],
    ['README.md', 'docs/benchmarks.md'],
    ['README.md', 'CONTRIBUTING.md'],
    ['README.md', 'SECURITY.md'],
    ['docs/install.md', '../CONTRIBUTING.md'],
    ['docs/running-the-agent.md', '../SECURITY.md#threat-model'],
    ['docs/running-the-agent.md', '../SECURITY.md'],
  ]);
});

it('has links from README to each page, directly or not', () => {
  const reached = new Set(['README.md']);
  for (const from of reached) {
    for (const [page, target] of LINKS) {
      const to = destination(page, target).path;
      if (page === from && to.endsWith('.md')) reached.add(to);
    }
  }
  const unreached = PAGES.map(({ path }) => path).filter((path) => !reached.has(path));
  expect(unreached).toEqual([]);
});

it('defines no link reference that is unused', () => {
  const unused = PAGES.flatMap((page) =>
    Array.from(page.text.matchAll(/^(\[.+\]): \S+$/gm), ([, label = '']) => label)
      .filter((label) => page.text.split(label).length < 3)
      .map((label) => `${page.path}: ${label}`),
  );
  expect(unused).toEqual([]);
});

it('names existing files only', () => {
  const files = globSync('{src,mocks,test,tools,benchmarks,examples}/**', {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  });
  const names = new Set(files.map((path) => basename(path)));
  const missing = PAGES.flatMap((page) =>
    Array.from(page.text.matchAll(/`(\w[\w./-]*\.(?:ts|json|svg))`/g), ([, name = '']) => name)
      .filter((name) =>
        name.includes('/') ? !files.some((path) => path.endsWith(name)) : !names.has(name),
      )
      .map((name) => `${page.path}: ${name}`),
  );
  expect(missing).toEqual([]);
});

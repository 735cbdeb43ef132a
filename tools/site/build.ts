/*
 * Builds the site of the documentation in _site: `npm run site`. Eleventy renders README, CHANGELOG and so on, docs, the
 * API pages that typedoc writes from the published declarations, and a table of all rows.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { Eleventy, type EleventyConfig } from '@11ty/eleventy';
import { rolldown } from 'rolldown';
import { step } from '../debian/steps.ts';
import { apiPages } from './api.ts';
import { landingPage, searchPage } from './own-pages.ts';
import { amendMarkdown, type Rendering } from './markdown.ts';
import { menuOf, pagesOfRepository, ROOT, type Page } from './pages.ts';
import { rowsPage } from './rows.ts';
import { writeSearchIndex } from './search-index.ts';

const HERE = import.meta.dirname;
const OUT = join(ROOT, '_site');
/** Pages that repeat others: the search does not find them. */
const LEFT_OUT = new Set(['index.html', 'search.html', 'design/rows.html']);

function relativeAddress(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}

/** The files of the repository that pages link to, by their address in the site. */
const linkedFiles = new Map<string, string>();

/** Where a link of a page leads in the site: to a page, or to a copy of a file. */
function resolved(from: Page, target: string, pages: ReadonlyMap<string, Page>): string {
  const [path = '', anchor] = target.split('#');
  if (path === '' || /^[a-z]+:/.test(path)) return target;
  const source = posix.normalize(posix.join(posix.dirname(from.source), path));
  const known = pages.get(source)?.address;
  if (known === undefined && !existsSync(join(ROOT, source))) {
    throw new Error(`${from.source} links to ${target}, which does not exist`);
  }
  // A browser shows text, and would save a file of an unknown kind.
  const address = known ?? `files/${source}${/\.(svg|webp)$/.test(source) ? '' : '.txt'}`;
  if (known === undefined) linkedFiles.set(address, source);
  return relativeAddress(from.address, address) + (anchor === undefined ? '' : `#${anchor}`);
}

function renderings(pages: readonly Page[]): (source: string) => Rendering {
  const bySource = new Map(pages.map((page) => [page.source, page]));
  return (source) => {
    const page = bySource.get(source);
    if (!page) throw new Error(`no page is built from ${source}`);
    return {
      resolve: (target) => resolved(page, target, bySource),
      inlined: (target) => {
        const path = join(ROOT, dirname(source), target);
        return path.startsWith(join(ROOT, 'docs')) && path.endsWith('.svg')
          ? readFileSync(path, 'utf8')
          : undefined;
      },
    };
  };
}

/** The headings of the second level of a rendered page, for the menu. */
function sectionsOf(html: string): { id: string; name: string }[] {
  const headings = html.matchAll(/<h2 id="([^"]+)"[^>]*>(.*?)<\/h2>/g);
  return Array.from(headings, ([, id = '', inner = '']) => ({
    id,
    name: inner.replaceAll(/<[^>]+>/g, ''),
  }));
}

function configure(config: EleventyConfig, pages: readonly Page[]): object {
  config.setTemplateFormats(['md']);
  config.addGlobalData('menu', menuOf(pages));
  config.addFilter('from', (to: string, from: string) => relativeAddress(from, to));
  config.addFilter('sections', sectionsOf);
  config.amendLibrary('md', (markdown) => {
    amendMarkdown(markdown, renderings(pages));
  });
  for (const { source, address, title, text } of pages) {
    const data = { source, address, title, permalink: address, layout: 'page.liquid' };
    config.addTemplate(`${address.replace(/\.html$/, '')}.md`, text, data);
  }
  return { dir: { input: '.', output: OUT }, markdownTemplateEngine: false };
}

async function writeScripts(): Promise<void> {
  for (const name of ['page', 'rows', 'search']) {
    const input = join(HERE, `browser/${name}.ts`);
    const bundle = await rolldown({ input, platform: 'browser' });
    await bundle.write({ file: join(OUT, `${name}.js`), format: 'iife', minify: true });
  }
}

rmSync(OUT, { recursive: true, force: true });
const written = [...pagesOfRepository(), ...apiPages()];
const withRows = written.filter(({ source }) =>
  ['docs/design/decision-table.md', 'docs/design/faults.md'].includes(source),
);
const pages = [landingPage(written), ...written, rowsPage(withRows), searchPage()];
const site = new Eleventy(join(HERE, 'theme'), OUT, {
  quietMode: true,
  configPath: false,
  config: (config) => configure(config, pages),
});
await step(`writes ${pages.length} pages`, async () => {
  await site.init();
  await site.write();
});
for (const [address, source] of linkedFiles) {
  mkdirSync(dirname(join(OUT, address)), { recursive: true });
  cpSync(join(ROOT, source), join(OUT, address));
}
cpSync(join(HERE, 'theme/style.css'), join(OUT, 'style.css'));
await step('bundles the scripts', writeScripts);
await step('writes the search index', () =>
  writeSearchIndex(
    OUT,
    pages.map(({ address }) => address).filter((address) => !LEFT_OUT.has(address)),
  ),
);
console.log(`${pages.length} pages in _site`);

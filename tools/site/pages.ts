import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT: string = join(import.meta.dirname, '../..');

/** A page of the site, and the Markdown that it is built from. */
export interface Page {
  /** Path of the Markdown from the root of the repository: its links are relative to it. */
  readonly source: string;
  /** Path in the site. */
  readonly address: string;
  readonly title: string;
  readonly text: string;
}

/** The pages of the menu by their reader, without folder and extension. A page that is missing here is under "More". */
const READERS: Readonly<Record<string, readonly string[]>> = {
  Start: ['readme', 'install', 'lifecycle', 'upgrade', 'downgrade', 'back-up', 'uninstall'],
  Operators: [
    'operating',
    'running-the-agent',
    'running-the-poller',
    'machine-page',
    'policy-and-documents',
    'system-settings',
    'recalling-a-release',
    'a-machine-did-not-upgrade',
    'a-machine-must-not-upgrade-tonight',
    'a-registry-was-restored',
    'a-token-leaked',
  ],
  'Agent authors': ['embedding', 'fake-board'],
  'Registry operators': [
    'running-a-registry',
    'site-page',
    'registry',
    'registry-protocol',
    'signing',
    'fleet-cluster',
    'notices',
    'configuration-from-the-site',
  ],
  Reference: ['rows', 'command-line', 'benchmarks', 'security', 'changelog'],
  More: [],
  Maintainers: [
    'contributing',
    'architecture',
    'decision-table',
    'faults',
    'decisions',
    'glossary',
    'simulator',
    'model',
    'promises',
    'mutants',
    'mutant-survivors',
  ],
};

/** `docs/design/faults.md` is `design/faults.html`. */
function addressOf(source: string): string {
  return `${source
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase()}.html`;
}

export function page(source: string, text: string): Page {
  const heading = /^# (.*)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? source;
  const title = source === 'README.md' ? 'README' : heading;
  return { source, address: addressOf(source), title, text };
}

/** README, CHANGELOG and so on, and everything under `docs`. */
export function pagesOfRepository(): Page[] {
  const sources = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).toSorted();
  return sources.map((source) => page(source, readFileSync(join(ROOT, source), 'utf8')));
}

export interface MenuGroup {
  readonly name: string;
  readonly pages: readonly Page[];
}

function nameOf({ address }: Page): string {
  return address.replace(/^design\//, '').replace(/\.html$/, '');
}

export function menuOf(pages: readonly Page[]): MenuGroup[] {
  const listed = new Set(Object.values(READERS).flat());
  const api = pages.filter(({ address }) => address.startsWith('api/'));
  const others = pages.filter((one) => !api.includes(one));
  const groups = Object.entries(READERS).map(([name, names]) => {
    const named = names.flatMap((one) => others.filter((other) => nameOf(other) === one));
    const more = name === 'More' ? others.filter((one) => !listed.has(nameOf(one))) : [];
    return { name, pages: [...named, ...more] };
  });
  return [...groups, { name: 'API', pages: api }].filter((group) => group.pages.length > 0);
}

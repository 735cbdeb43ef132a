import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { page, type Page } from './pages.ts';

/** README's first paragraphs, up to its list of readers, without pictures, which are large, and then landing.md. */
export function landingPage(pages: readonly Page[]): Page {
  const readme = pages.find(({ source }) => source === 'README.md')?.text ?? '';
  const [first = ''] = readme.split('\n- **');
  const introduction = first.replaceAll(/^!\[.*\n/gm, '');
  const rest = readFileSync(join(import.meta.dirname, 'landing.md'), 'utf8');
  return page('index.md', `${introduction}\n${rest}`);
}

export function searchPage(): Page {
  return page('search.md', readFileSync(join(import.meta.dirname, 'search.md'), 'utf8'));
}

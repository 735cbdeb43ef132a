import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { wordsOf } from './browser/words.ts';

/** A place that the search finds: its address, its title, and how its text begins. */
type Place = readonly [address: string, title: string, start: string];

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  amp: '&',
  '#39': "'",
};

function plain(html: string): string {
  return html
    .replaceAll(/<svg[\s\S]*?<\/svg>|<[^>]+>/g, ' ')
    .replaceAll(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[,.:;)])/g, '')
    .trim();
}

function start(text: string): string {
  return text.length > 80 ? `${text.slice(0, text.lastIndexOf(' ', 80))} …` : text;
}

function placesOf(address: string, html: string): { place: Place; text: string }[] {
  const [, main = ''] = /<main[^>]*>([\s\S]*)<\/main>/.exec(html) ?? [];
  const [, pageTitle = ''] = /<h1[^>]*>(.*?)<\/h1>/.exec(main) ?? [];
  const sections = main.matchAll(
    /<h([1-3]) id="([^"]*)"[^>]*>(.*?)<\/h\1>([\s\S]*?)(?=<h[1-3] |$)/g,
  );
  const rows = main.matchAll(
    /<li id="(.*?)">\s*<strong>.*?<\/strong>: (.*?)\s*<ul>([\s\S]*?)<\/ul>/g,
  );
  return [
    ...Array.from(sections, ([, level, id = '', heading = '', rest = '']) => {
      const title = level === '1' ? plain(pageTitle) : `${plain(pageTitle)}: ${plain(heading)}`;
      const to = level === '1' ? address : `${address}#${id}`;
      const text = plain(rest);
      return { place: [to, title, start(text)] as const, text: `${title} ${text}` };
    }),
    ...Array.from(rows, ([, id = '', what = '', rest = '']) => {
      const text = plain(rest);
      const title = `${id}: ${plain(what)}`;
      return { place: [`${address}#${id}`, title, start(text)] as const, text: `${title} ${text}` };
    }),
  ];
}

/**
 * Writes places.json, and a file for each first character of a word: the words with the numbers of the places
 * that have them. A search loads only the files that its words need.
 */
export function writeSearchIndex(folder: string, addresses: readonly string[]): void {
  const found = addresses.flatMap((address) =>
    placesOf(address, readFileSync(join(folder, address), 'utf8')),
  );
  const files = new Map<string, Map<string, number[]>>();
  found.forEach(({ text }, number) => {
    for (const word of new Set(wordsOf(text))) {
      const first = word.slice(0, 1);
      const words = files.get(first) ?? new Map<string, number[]>();
      files.set(first, words.set(word, [...(words.get(word) ?? []), number]));
    }
  });
  mkdirSync(join(folder, 'search'), { recursive: true });
  const places = found.map(({ place }) => place);
  writeFileSync(join(folder, 'search/places.json'), JSON.stringify(places));
  for (const [first, words] of files) {
    const text = JSON.stringify(Object.fromEntries(words));
    writeFileSync(join(folder, `search/${first}.json`), text);
  }
}

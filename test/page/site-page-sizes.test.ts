import { expect, it } from 'vitest';
import { prose } from '../support/prose.ts';
import { fillWithTexts } from './support/long-texts.ts';
import { testSite } from './support/site-page.ts';

const LARGEST = 30_000;

/** Pages, and how often what each shows most of is in it: without that, a small page proves nothing. */
const PAGES: readonly (readonly [string, RegExp, number])[] = [
  ['/changes', /revision \d+/g, 100],
  ['/changes?machine=rover-7', /revision \d+/g, 100],
  ['/logs', /<li/g, 100],
  ['/machines/rover-7/logs', /<li/g, 100],
  ['/machines/rover-7/commands', /refused/g, 100],
  ['/machines/rover-7/documents', /revision \d+/g, 100],
  ['/machines/rover-7/documents/100', /\/\/ \d+ /g, 290],
  ['/modules/acme%3Alidar/notes?version=1.3.0', /[a-z]+ /g, 8000],
];

it('[D320] [D321] [D323] [D324] [D379] each page has at most 30 kB compressed, with as much text as it may have', async () => {
  const site = testSite();
  await fillWithTexts(site, prose(1));
  const found: (readonly [string, number, number])[] = [];
  for (const [path, part] of PAGES) {
    const plain = await (await site.app.request(path)).text();
    const answer = await site.app.request(path, { headers: { 'accept-encoding': 'br' } });
    found.push([path, (await answer.arrayBuffer()).byteLength, plain.match(part)?.length ?? 0]);
  }
  expect(found.filter(([, bytes]) => bytes > LARGEST)).toEqual([]);
  expect(found.filter(([, , parts], place) => parts < (PAGES[place]?.[2] ?? 0))).toEqual([]);
});

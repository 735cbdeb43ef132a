import { fitOf, ranked, type Fit, type Place, type Words } from './ranking.ts';
import { wordsOf } from './words.ts';

/** Searches as the text in the header is typed. `search.html?q=D13` begins with a text. */

const MOST = 20;
const results = document.getElementById('results');
const loaded = new Map<string, Promise<unknown>>();

async function load(name: string): Promise<unknown> {
  const started =
    loaded.get(name) ??
    // No word begins with this character.
    fetch(`search/${name}.json`).then(async (answer) => (answer.ok ? await answer.json() : {}));
  loaded.set(name, started);
  return await started;
}

/** The places that a word is found in, and how well it fits there. */
async function fits(word: string): Promise<Fit> {
  return fitOf(word, (await load(word.slice(0, 1))) as Words);
}

/** The places that have every word, best first. */
async function find(words: readonly string[]): Promise<Place[]> {
  const places = (await load('places')) as readonly Place[];
  return ranked(places, words, await Promise.all(words.map(fits)));
}

function element(name: string, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

function resultOf([address, title, start]: Place): HTMLElement {
  const link = document.createElement('a');
  link.href = address;
  link.textContent = title;
  return element('li', link, element('p', start));
}

async function search(field: HTMLInputElement): Promise<void> {
  const text = field.value;
  history.replaceState(null, '', `?${new URLSearchParams({ q: text })}`);
  const words = wordsOf(text);
  const found = await find(words);
  // A later text has replaced this one.
  if (field.value !== text) return;
  const shown = found.length > MOST ? `, of which these are the best ${MOST}` : '';
  const summary =
    words.length === 0
      ? 'Type a word, an error code or the id of a row.'
      : `${found.length} found${shown}`;
  results?.replaceChildren(
    element('p', summary),
    element('ol', ...found.slice(0, MOST).map(resultOf)),
  );
}

const input = document.querySelector<HTMLInputElement>('header input');
if (input) {
  input.value = new URLSearchParams(location.search).get('q') ?? '';
  input.addEventListener('input', () => void search(input));
  input.focus();
  void search(input);
}

import { wordsOf } from './words.ts';

/** Searches as the text in the header is typed. `search.html?q=D13` begins with a text. */
type Place = readonly [address: string, title: string, start: string];
type Words = Readonly<Record<string, readonly number[]>>;

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

/** How well each place fits a word: a whole word counts more than the beginning of one. */
async function fits(word: string): Promise<Map<number, number>> {
  const words = Object.entries((await load(word.slice(0, 1))) as Words);
  const fit = new Map<number, number>();
  for (const [known, places] of words.filter(([one]) => one.startsWith(word))) {
    const value = known === word ? 2 : 1;
    for (const place of places) fit.set(place, Math.max(fit.get(place) ?? 0, value));
  }
  return fit;
}

/** The places that have every word, best first. A word in the title counts most. */
async function find(words: readonly string[]): Promise<Place[]> {
  const places = (await load('places')) as readonly Place[];
  const perWord = await Promise.all(words.map(fits));
  const [first = new Map<number, number>(), ...others] = perWord;
  const common = [...first.keys()].filter((place) => others.every((fit) => fit.has(place)));
  const scored = common.flatMap((number) => {
    const place = places[number];
    if (!place) return [];
    const title = wordsOf(place[1]);
    const inTitle = words.filter((word) => title.some((one) => one.startsWith(word))).length;
    const isFirst = title[0] === words[0] ? 4 : 0;
    const whole = perWord.reduce((sum, fit) => sum + (fit.get(number) ?? 0), 0);
    return [{ place, score: 4 * inTitle + isFirst + whole }];
  });
  return scored.toSorted((a, b) => b.score - a.score).map(({ place }) => place);
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

import { wordsOf } from './words.ts';

/** A place that the search finds. */
export type Place = readonly [address: string, title: string, start: string];
/** The known words with one first character, and the numbers of the places that have them. */
export type Words = Readonly<Record<string, readonly number[]>>;

/** What a word that was typed stands for. */
export interface Fit {
  /** The known words. */
  readonly known: ReadonlySet<string>;
  /** By the number of the place. */
  readonly places: ReadonlyMap<number, number>;
}

/** A shorter word is near too many others. */
const LEAST_LETTERS = 5;
/** Of fewer places, none may be what is searched. */
const ENOUGH = 5;
const WHOLE = 2;
const BEGINNING = 1;
const TYPO = 0.5;

/**
 * A whole word counts more than the beginning of one. If few places have such words, those with one typing error are found, too
 * (D319): the misspelt word may be in an example.
 */
export function fitOf(word: string, words: Words): Fit {
  const places = new Map<number, number>();
  const known = new Set<string>();
  const add = (one: string, value: number): void => {
    known.add(one);
    for (const place of words[one] ?? [])
      places.set(place, Math.max(places.get(place) ?? 0, value));
  };
  for (const one of Object.keys(words).filter((each) => each.startsWith(word))) {
    add(one, one === word ? WHOLE : BEGINNING);
  }
  if (places.size >= ENOUGH || word.length < LEAST_LETTERS || /\d/.test(word)) {
    return { known, places };
  }
  for (const one of Object.keys(words).filter((each) => isNear(word, each))) add(one, TYPO);
  return { known, places };
}

/** Whether a word, or its beginning, differs by one letter that is wrong, missing or too much, or by two that are swapped. */
function isNear(typed: string, known: string): boolean {
  const lengths = [typed.length - 1, typed.length, typed.length + 1];
  return lengths.some((length) => isOneEditAway(typed, known.slice(0, length)));
}

function isOneEditAway(a: string, b: string): boolean {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [restOfA, restOfB] = [a.slice(at), b.slice(at)];
  const swapped = `${restOfB[1] ?? ''}${restOfB[0] ?? ''}${restOfB.slice(2)}`;
  return (
    restOfA.slice(1) === restOfB.slice(1) ||
    restOfA.slice(1) === restOfB ||
    restOfA === restOfB.slice(1) ||
    restOfA === swapped
  );
}

/** The places that have every word, best first. */
export function ranked(
  places: readonly Place[],
  words: readonly string[],
  fits: readonly Fit[],
): Place[] {
  const [first, ...others] = fits;
  const common = [...(first?.places.keys() ?? [])].filter((place) =>
    others.every((fit) => fit.places.has(place)),
  );
  const scored = common.flatMap((number) => {
    const place = places[number];
    if (!place) return [];
    const whole = fits.reduce((sum, fit) => sum + (fit.places.get(number) ?? 0), 0);
    return [{ place, score: scoreOf(place, words, fits) + whole }];
  });
  return scored.toSorted((a, b) => b.score - a.score).map(({ place }) => place);
}

const OF_ID = 100;
const OF_GUIDE = 4;

/**
 * An id finds its row first. Otherwise guides and the API come before tables of decisions and faults, whose titles are sentences
 * with many words; a word in the title of a page or section counts most.
 */
function scoreOf([address, title]: Place, words: readonly string[], fits: readonly Fit[]): number {
  const inTitle = wordsOf(title);
  const isFirst = inTitle[0] !== undefined && (fits[0]?.known.has(inTitle[0]) ?? false);
  if (/#[DT]\d+$/.test(address)) return inTitle[0] === words[0] ? OF_ID : 0;
  const count = fits.filter(({ known }) => inTitle.some((one) => known.has(one))).length;
  const isGuide = !/^(?:design\/|changelog|contributing)/.test(address);
  return 4 * count + (isFirst ? 4 : 0) + (isGuide ? OF_GUIDE : 0);
}

import { distance } from 'fastest-levenshtein';

const FARTHEST_TYPO = 2;

/**
 * The word of `words` that is at most two typing mistakes away from `text`, the case of letters not
 * counted; the nearest first, then by its letters. Undefined where none is, or where as many mistakes as
 * letters would make one.
 */
export function nearestWord(text: string, words: Iterable<string>): string | undefined {
  const farthest = Math.min(FARTHEST_TYPO, text.length - 1);
  const lowercase = text.toLowerCase();
  let nearest: { readonly word: string; readonly typos: number } | undefined;
  for (const word of words) {
    if (word === text || Math.abs(word.length - text.length) > farthest) continue;
    const typos = distance(word.toLowerCase(), lowercase);
    if (typos > farthest) continue;
    if (nearest && (typos > nearest.typos || (typos === nearest.typos && word >= nearest.word))) {
      continue;
    }
    nearest = { word, typos };
  }
  return nearest?.word;
}

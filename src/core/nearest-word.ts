import { distance } from 'fastest-levenshtein';

const FARTHEST_TYPO = 2;

/**
 * The word of `words` that is one or two typing mistakes away from `text`, the nearest first and then
 * by its letters. Undefined where none is, or where as many mistakes as letters would make one.
 */
export function nearestWord(text: string, words: Iterable<string>): string | undefined {
  const farthest = Math.min(FARTHEST_TYPO, text.length - 1);
  let nearest: { readonly word: string; readonly typos: number } | undefined;
  for (const word of words) {
    if (Math.abs(word.length - text.length) > farthest) continue;
    const typos = distance(word, text);
    if (typos === 0 || typos > farthest) continue;
    if (nearest && (typos > nearest.typos || (typos === nearest.typos && word >= nearest.word))) {
      continue;
    }
    nearest = { word, typos };
  }
  return nearest?.word;
}

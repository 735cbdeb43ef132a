import { distance } from 'fastest-levenshtein';

const FARTHEST_TYPO = 2;

/**
 * The word in `words` that is nearest to `text`: at most two typos away, and fewer typos than `text` has letters. Case is
 * ignored; of equally near words the first in text order is returned. Undefined if no word is near.
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

import { randomFrom } from './mutate.ts';

/** Text of so many characters, of words that are chosen at random: it is compressed as little as prose. */
export type Prose = (length: number) => string;

/** Text that is always the same for a seed. */
export function prose(seed: number): Prose {
  const random = randomFrom(seed);
  const letters = 'etaoinshrdlucmfw';
  const word = (): string =>
    Array.from(
      { length: 3 + Math.floor(7 * random()) },
      () => letters[Math.floor(letters.length * random())],
    ).join('');
  const words = Array.from({ length: 2000 }, word);
  return (length) => {
    let text = '';
    while (text.length < length) text += `${words[Math.floor(words.length * random())]} `;
    return text.slice(0, length);
  };
}

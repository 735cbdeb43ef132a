import type { Secret } from '../../core/text/secret.ts';

const MASK = '[token]';
/** A text of so many characters is hardly in a message by chance. */
const LEAST_ANYWHERE = 8;
/** So many are hardly a word of a message by chance. */
const LEAST_WORD = 4;
/** Where a shorter text is a secret: in a header, in user info, as a field or a quoted value. */
const BEFORE = String.raw`(?i:\b(?:bearer|basic) |\b(?:_?authtoken|token|_?password)["']?\s?[=:]\s?["']?)|:\/\/(?:[^\s/?#@]*:)?|"`;

/**
 * `text`, a message that may repeat what a server sent, with `[token]` instead of each secret. A registry or its token server may choose a
 * secret of one character, and a password may be empty: the words of the message itself stay as they are (T514).
 */
export function masked(text: string, secrets: readonly Secret[]): string {
  const values = new Set(secrets.map((one) => one.reveal()));
  values.delete('');
  // The longest first: one may contain another.
  const longestFirst = [...values].toSorted((one, other) => other.length - one.length);
  return longestFirst.reduce((rest, value) => rest.replaceAll(patternOf(value), MASK), text);
}

function patternOf(value: string): string | RegExp {
  if (value.length >= LEAST_ANYWHERE) return value;
  const text = value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
  const before = value.length < LEAST_WORD ? `(?<=${BEFORE})` : '';
  return new RegExp(String.raw`${before}(?<![A-Za-z\d])${text}(?![A-Za-z\d])`, 'g');
}

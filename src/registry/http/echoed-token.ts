import type { Secret } from '../../core/text/secret.ts';

/** A shorter token could be part of any word. */
const LEAST_LENGTH = 8;
const MASK = '[token]';

/**
 * `json` without the token that was sent, in case the registry repeats it, for example in the reason of a yank (T93): what
 * comes from a list is printed, logged, saved and delivered. The token is also found if it is escaped as in JSON,
 * once or twice, percent-encoded, or encoded as base64 from its first character.
 */
export function withoutToken(json: string, token: Secret | undefined): string {
  const text = token?.reveal() ?? '';
  if (text.length < LEAST_LENGTH) return json;
  const forms = new Set([text, encodeURIComponent(text), ...base64(text)]);
  const isEscaped = json.includes('\\');
  return [...forms].reduce((rest, form) => {
    const pattern = isEscaped ? new RegExp(Array.from(form, escapable).join(''), 'g') : form;
    return rest.replaceAll(pattern, MASK);
  }, json);
}

/** What does not depend on the text after the token. */
function base64(text: string): string[] {
  const length = Math.floor((text.length * 8) / 6);
  return (['base64', 'base64url'] as const).map((encoding) =>
    Buffer.from(text).toString(encoding).slice(0, length),
  );
}

/** A pattern for a character of printable ASCII: as it is, or as in JSON, or in JSON within JSON. */
function escapable(character: string): string {
  const hex = character.charCodeAt(0).toString(16).padStart(4, '0');
  const digits = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const backslashes = '"\\/'.includes(character) ? '\\\\{0,3}' : '';
  return `(?:${backslashes}\\u${hex}|\\\\{1,2}u${digits})`;
}

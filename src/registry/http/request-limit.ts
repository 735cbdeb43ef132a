import { passing, say, toldAs } from '../../core/text/time-words.ts';
import { RegistryError } from '../registry-error.ts';
import type { Reply } from './exchange.ts';
import { readRetryAfter, retryAfterWords } from './retry-after.ts';

/** How long to wait if the server does not say it. (REST API of GitHub, "Exceeding the rate limit") */
const UNSAID_MS = 60_000;

/**
 * The error for a server that refuses because a limit of requests is reached, as GitHub does with 403 or 429 (REST API, "Rate limits");
 * undefined for another answer. Its secondary limits name a time in `Retry-After`, or say what they are in the body.
 */
export function limitReached(
  { status, headers, body }: Pick<Reply, 'status' | 'headers'> & Partial<Pick<Reply, 'body'>>,
  where: string,
  { hasToken, now }: { readonly hasToken: boolean; readonly now: number },
): RegistryError | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const asked = readRetryAfter(headers.get('retry-after'), now);
  const isUsedUp = headers.get('x-ratelimit-remaining') === '0';
  const isSecondary =
    (status === 403 && asked !== undefined) || /secondary rate limit/i.test(body?.text ?? '');
  if (!isUsedUp && !isSecondary) return undefined;
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN);
  const seconds = Math.max(0, Math.ceil(reset - now / 1000));
  const ofReset = isUsedUp ? seconds : UNSAID_MS / 1000;
  const delay = asked === undefined ? `${ofReset}` : headers.get('retry-after');
  const retryAfterMs = readRetryAfter(delay, now);
  const after = retryAfterWords(delay, now);
  const later = after === undefined ? '' : say`; it allows more after ${passing(after)}`;
  const told = toldAs(say`${where} allows no more requests now (${`${status}`})${later}`);
  const hint = hasToken ? undefined : 'it allows more requests with a token';
  return new RegistryError('registry-busy', told.text, { words: told.words, hint, retryAfterMs });
}

import { passing, say, toldAs } from '../../core/text/time-words.ts';
import { RegistryError } from '../registry-error.ts';
import type { Reply } from './exchange.ts';
import { readRetryAfter, retryAfterWords } from './retry-after.ts';

/**
 * The error for a server that refuses because a limit of requests is reached, as GitHub does with 403 or 429 (REST API, "Rate limits");
 * undefined for another answer.
 */
export function limitReached(
  { status, headers }: Pick<Reply, 'status' | 'headers'>,
  where: string,
  { hasToken, now }: { readonly hasToken: boolean; readonly now: number },
): RegistryError | undefined {
  if (status !== 403 && status !== 429) return undefined;
  if (headers.get('x-ratelimit-remaining') !== '0') return undefined;
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN);
  const seconds = Math.max(0, Math.ceil(reset - now / 1000));
  const header = headers.get('retry-after');
  const delay = readRetryAfter(header, now) === undefined ? `${seconds}` : header;
  const retryAfterMs = readRetryAfter(delay, now);
  const after = retryAfterWords(delay, now);
  const later = after === undefined ? '' : say`; it allows more after ${passing(after)}`;
  const told = toldAs(say`${where} allows no more requests now (${`${status}`})${later}`);
  const hint = hasToken ? undefined : 'it allows more requests with a token';
  return new RegistryError('registry-busy', told.text, { words: told.words, hint, retryAfterMs });
}

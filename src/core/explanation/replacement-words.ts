import type { DecideInput, Replacement } from '../decision/decision.ts';
import { isInForce, requestFor } from '../decision/upgrade-request.ts';
import { MOST_RETRIES } from '../releases/retry.ts';
import type { Said } from '../text/time-words.ts';
import { upgradeRequestWords } from './words.ts';

/** Who requested the replacement at once; undefined if nobody did (D76). */
export function upgradeWords(input: DecideInput, replacement: Replacement): Said | undefined {
  const request = requestFor(replacement, input);
  return request && isInForce(request, input.eligibility.now)
    ? upgradeRequestWords(request)
    : undefined;
}

/** Why a release that failed is tried again (D82); undefined if it did not fail. */
export function retryWords({ quarantine }: DecideInput, { to }: Replacement): string | undefined {
  if ('url' in to) return undefined;
  const { text } = to.version;
  const retry = quarantine.find(({ version }) => version === text)?.retry;
  return retry === undefined
    ? undefined
    : `the entry was edited since ${text} failed; one more try, ${retry} of ${MOST_RETRIES}`;
}

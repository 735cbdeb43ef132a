import type { DecideInput, Replacement } from '../decision/decision.ts';
import { releaseOf } from '../decision/replacement-text.ts';
import { isInForce, requestFor } from '../decision/upgrade-request.ts';
import { MOST_RETRIES } from '../releases/retry.ts';
import type { SkippedFloor } from '../releases/eligibility-policy.ts';
import { deployedVersion } from '../decision/deployed.ts';
import { excerpt, quote } from '../text/quote.ts';
import { joined, passing, say, type Said } from '../text/time-words.ts';
import { parseVersion } from '../version/version.ts';
import { compareVersions } from '../version/version-order.ts';
import { upgradeRequestWords } from './requester-words.ts';

/** Who requested the replacement at once; undefined if nobody did (D76). */
export function upgradeWords(input: DecideInput, replacement: Replacement): Said | undefined {
  const request = requestFor(replacement, input);
  return request && isInForce(request, input.eligibility.now)
    ? upgradeRequestWords(request)
    : undefined;
}

/** Which floors the replacement passes because operators skipped them (D92); undefined if there are none. */
export function skippedWords(
  { deployed, requirement, skippedFloors = [] }: DecideInput,
  replacement: Replacement,
): Said | undefined {
  const [from, to] = [deployedVersion(deployed), releaseOf(replacement)];
  if (!from || !to || requirement.kind === 'patch') return undefined;
  const passed = skippedFloors.filter((skip) => {
    const floor = parseVersion(skip.version);
    if (!floor.ok) return false;
    const isAbove = compareVersions(from, floor.value) < 0;
    return isAbove && compareVersions(floor.value, to.version) < 0;
  });
  return passed.length === 0 ? undefined : joined(passed.map(skipWords), '; ');
}

function skipWords({ version, by, because, at }: SkippedFloor): Said {
  const why = because === undefined ? '' : `: ${quote(because)}`;
  return say`floor ${excerpt(version)} was skipped by ${excerpt(by)} at ${passing(at)}${why}`;
}

/** Why a release that failed is tried again (D82); undefined if it did not fail. */
export function retryWords(
  { quarantine }: DecideInput,
  replacement: Replacement,
): string | undefined {
  const to = releaseOf(replacement);
  if (!to) return undefined;
  const { text } = to.version;
  const retry = quarantine.find(({ version }) => version === text)?.retry;
  return retry === undefined
    ? undefined
    : `the entry was edited since ${text} failed; one more try, ${retry} of ${MOST_RETRIES}`;
}

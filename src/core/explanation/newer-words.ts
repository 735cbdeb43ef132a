import { firstFew } from '../text/few.ts';
import type { RefusedRelease } from '../releases/refusal.ts';
import { newerRefused, type Resolution } from '../releases/resolve.ts';
import type { Version } from '../version/version.ts';
import { describeRefused } from './words.ts';

/** How many reasons, and how many versions of one reason, are named. */
const NAMED = 3;

/** What precedes a reason: `1.4.0 is yanked`, `1.4.0 and 1.3.0 have no artifact`. The default is `is` and `are`. */
const VERBS: Readonly<
  Partial<Record<RefusedRelease['reason'], readonly [one: string, many: string]>>
> = {
  'conflicting-digest': ['has', 'have'],
  'no-artifact': ['has', 'have'],
  'untrusted-artifact': ['has an', 'have an'],
  'digest-changed': ['is refused:', 'are refused:'],
  'not-in-rollout': ['is refused:', 'are refused:'],
  'rollout-halted': ['is refused:', 'are refused:'],
  'rollout-unconfirmed': ['is refused:', 'are refused:'],
  'unknown-age': ['is of', 'are of'],
};

/**
 * Why the releases that the constraint accepts and that are newer than `version` are refused, newest first; undefined if
 * there are none. `known` is a version that was named already (D31).
 */
export function describeNewer(
  resolution: Resolution,
  version: Version,
  known?: Version,
): string | undefined {
  const newer = newerRefused(resolution, version).filter(
    ({ release }) => release.version.text !== known?.text,
  );
  if (newer.length === 0) return undefined;
  const groups = Map.groupBy(newer, (one) => describeRefused(one, resolution.input.constraint));
  const rest = [...groups.values()].slice(NAMED).flat().length;
  const named = Array.from(groups, describeGroup).slice(0, NAMED);
  return [...named, ...(rest > 0 ? [`${rest} more refused`] : [])].join(', ');
}

function describeGroup([reason, refused]: [string, readonly RefusedRelease[]]): string {
  const texts = refused.map(({ release }) => release.version.text);
  const named = texts.length > NAMED ? firstFew(texts, NAMED - 1) : texts;
  const [last = ''] = named.slice(-1);
  const [one, many] = (refused[0] && VERBS[refused[0].reason]) ?? ['is', 'are'];
  if (named.length === 1) return `${last} ${one} ${reason}`;
  return `${named.slice(0, -1).join(', ')} and ${last} ${many} ${reason}`;
}

import { firstFew } from '../text/few.ts';
import type { Refused, RefusedRelease } from '../releases/refusal.ts';
import type { Constraint } from '../version/constraint.ts';
import { newerRefused, type Resolution } from '../releases/resolve.ts';
import { joined, say, textOf, type Said } from '../text/time-words.ts';
import type { Version } from '../version/version.ts';
import { refusalWords } from './words.ts';

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
  'bad-signature': ['has a', 'have a'],
  'requirement-unmet': ['is refused: it', 'are refused: each'],
  'not-in-rollout': ['is refused:', 'are refused:'],
  'rollout-halted': ['is refused:', 'are refused:'],
  'rollout-unconfirmed': ['is refused:', 'are refused:'],
  'unknown-age': ['is of', 'are of'],
};

/**
 * Why the releases that the constraint accepts and that are newer than `version` are refused, newest first; undefined if
 * there are none. `known` is a version that was named already (D31).
 */
export function newerWords(
  resolution: Resolution,
  version: Version,
  known?: Version,
): Said | undefined {
  const newer = newerRefused(resolution, version).filter(
    ({ release }) => release.version.text !== known?.text,
  );
  if (newer.length === 0) return undefined;
  const { constraint } = resolution.input;
  const groups = Map.groupBy(newer, (one) => textOf(refusalWords(one, constraint)));
  const rest = [...groups.values()].slice(NAMED).flat().length;
  const named = [...groups.values()].slice(0, NAMED).map((group) => groupWords(group, constraint));
  return joined([...named, ...(rest > 0 ? [`${rest} more refused`] : [])], ', ');
}

/** Releases that are refused for the same reason. */
function groupWords(refused: readonly RefusedRelease[], constraint: Constraint): Said {
  const texts = refused.map(({ release }) => release.version.text);
  const named = texts.length > NAMED ? firstFew(texts, NAMED - 1) : texts;
  const [last = ''] = named.slice(-1);
  const [first] = refused;
  if (!first) return '';
  if (named.length === 1) return say`${last} ${refusedWords(first, constraint)}`;
  const [, many] = verbsOf(first);
  return say`${named.slice(0, -1).join(', ')} and ${last} ${many} ${refusalWords(first, constraint)}`;
}

/** Why a release is refused, after its version: `is yanked: stops the motor`. */
export function refusedWords(refused: Refused, constraint: Constraint): Said {
  const [one] = verbsOf(refused);
  return say`${one} ${refusalWords(refused, constraint)}`;
}

function verbsOf(refused: Refused): readonly [one: string, many: string] {
  const verbs = refused.reason === 'not-a-version' ? undefined : VERBS[refused.reason];
  return verbs ?? ['is', 'are'];
}

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
  'unknown-age': ['is of', 'are of'],
};

/**
 * Why the releases that the constraint accepts and that are newer than `version` are refused, newest first; empty if
 * there are none. `known` is a version that was named already (D31).
 */
export function describeNewer(
  resolution: Resolution,
  version: Version,
  known?: Version,
): string | undefined {
  const groups: { readonly reason: string; readonly refused: RefusedRelease[] }[] = [];
  for (const refused of newerRefused(resolution, version)) {
    if (refused.release.version.text === known?.text) continue;
    const reason = describeRefused(refused, resolution.input.constraint);
    const last = groups.at(-1);
    if (last?.reason === reason) last.refused.push(refused);
    else groups.push({ reason, refused: [refused] });
  }
  const named = groups.slice(0, NAMED).map(describeGroup);
  const rest = groups.slice(NAMED).reduce((count, { refused }) => count + refused.length, 0);
  return [...named, ...(rest > 0 ? [`${rest} more refused`] : [])].join(', ') || undefined;
}

function describeGroup({
  reason,
  refused,
}: {
  readonly reason: string;
  readonly refused: readonly RefusedRelease[];
}): string {
  const texts = refused.map(({ release }) => release.version.text);
  const [first = '', last = first] = [texts[0], texts.at(-1)];
  const [one, many] = verbsOf(refused[0]);
  if (texts.length === 1) return `${first} ${one} ${reason}`;
  const names =
    texts.length > NAMED
      ? `${first} to ${last} (${texts.length} releases)`
      : `${texts.slice(0, -1).join(', ')} and ${last}`;
  return `${names} ${many} ${reason}`;
}

function verbsOf(refused: RefusedRelease | undefined): readonly [one: string, many: string] {
  if (refused?.reason === 'quarantined' && refused.isRolledBack) return ['was', 'were'];
  return (refused && VERBS[refused.reason]) ?? ['is', 'are'];
}

import type { Effect } from './configuring.ts';
import { keyOf, type Ledger, type Target } from './ledger.ts';
import type { World } from './world.ts';

/*
 * A machine that loses its power again and again, within minutes of its starts. (D85)
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const SOON_MS = 10 * MINUTE;
/** After so many, the release that changed last is suspected. */
const MOST_STARTS = 3;

export const UNCLEAN: Readonly<Record<string, Effect>> = {
  'lose power again and again': ({ line, host }, chance, { losePower }) => {
    if (!host) return undefined;
    const times = 2 + chance.below(6);
    losePower();
    let at = 0;
    for (let time = 1; time < times; time++) {
      at += chance.between(10 * SECOND, 4 * MINUTE);
      line.after(at, () => {
        if (!host.isMended) losePower();
      });
    }
    return `${times} times in ${Math.round(at / SECOND)} s`;
  },
};

/**
 * The targets on which actions may be carried out in a crash loop: the release that changed last may be its cause. More than one if
 * they changed together.
 */
export function suspectedIn(world: World): ReadonlySet<string> {
  return new Set(suspectsIn(world).map(keyOf));
}

/** A process that starts may replace what is suspected then, whatever is reported later. */
export function suspectAtStart(world: World): void {
  world.ledger.blamed.clear();
  for (const { name } of suspectsIn(world)) world.ledger.blamed.add(name);
}

function suspectsIn({ host, disk, ledger }: World): Pick<Target, 'kind' | 'name'>[] {
  if (!host || !hasUncleanStarts(ledger)) return [];
  const rows = disk.rows('SELECT kind, name, text, since FROM deployed');
  // Where nothing is deployed, nothing is the cause.
  const times = rows.flatMap(({ text, since }) => (text === null ? [] : [Number(since)]));
  const last = Math.max(...times);
  // What this agent has blamed may be replaced by a fix, whatever else it reports since.
  const suspects = rows.filter(({ text, since, name }) => {
    return (text !== null && Number(since) === last) || ledger.blamed.has(String(name));
  });
  return suspects.map(({ kind, name }) => ({
    kind: kind === 'module' ? 'module' : 'subsystem',
    name: String(name),
  }));
}

/** What the agent says of a release after whose starts the machine went down. */
const WENT_DOWN = /^the agent or the machine went down within ten minutes /;

/** A release is blamed for the end of the machine only after several starts, each within ten minutes of the one before. */
export function judgeBlame(
  { ledger, disk, line, complain }: World,
  name: string,
  reason: string,
): void {
  if (WENT_DOWN.test(reason)) ledger.blamed.add(name);
  // On a full disk this start is not recorded.
  const starts = disk.isFull() ? [...ledger.starts, line.wall()] : ledger.starts;
  if (!WENT_DOWN.test(reason) || hasUncleanStarts({ starts })) return;
  complain('D85', `${name} is blamed for starts at ${ledger.starts.join()}: ${reason}`);
}

function hasUncleanStarts({ starts }: Pick<Ledger, 'starts'>): boolean {
  // One that a wrong clock dated before the others says nothing.
  const [first = 0] = starts;
  const last = starts.filter((at) => at >= first).slice(-MOST_STARTS);
  const isSoon = last.every((at, place) => {
    const before = last[place - 1] ?? at;
    return at >= before && at - before < SOON_MS;
  });
  return isSoon && last.length === MOST_STARTS;
}

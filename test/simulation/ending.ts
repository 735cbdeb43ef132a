import { keyOf, targetsOf, termsOf, type ListInForce, type Target } from './ledger.ts';
import { clearLink } from './network.ts';
import { trusted } from './trust.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;

/** Nothing is in the way any more. */
export function heal({ sites, disk, mood, line, points, trace, ledger }: World): void {
  trace.note('healed');
  for (const { registry, link } of sites) {
    registry.recover();
    Object.assign(link, clearLink());
  }
  disk.fill(undefined);
  points.disarm();
  line.drift(0);
  ledger.isServerBusy = false;
  Object.assign(mood, {
    configuration: 'there',
    maintenance: 'allowed',
    deployedVersion: 'known',
    consumer: 'prompt',
    broken: 0,
    obstructed: 0,
    lateMs: 0,
    isServerBusy: false,
  });
}

export interface Ending {
  readonly at: number;
  looked: number;
  readonly good: ReadonlyMap<string, number>;
}

/** An hour that a registry asked for, a round that never ends, and what comes after them. */
const LONGEST_SILENCE_MS = 60 * MINUTE + 25 * MINUTE;
const LONGEST_SETTLING_MS = 50 * MINUTE;

/** Within two rounds that succeed everything is as it is wanted, but for what somebody has in hand. (L1) */
export function isSettled(world: World, ending: Ending): boolean {
  const { line, ledger, habits, complain } = world;
  const now = line.elapsed();
  // To look once in a while is enough.
  if (now - ending.looked < Math.min(habits.intervalMs, MINUTE)) return false;
  ending.looked = now;
  const waiting = awaited(world).filter(
    (address) => (ledger.goodPolls.get(address) ?? 0) < (ending.good.get(address) ?? 0) + 2,
  );
  if (waiting.length > 0) {
    if (now - ending.at > LONGEST_SILENCE_MS + 4 * habits.intervalMs) {
      complain('L1', `${waiting.join(', ')} was not polled twice with success since it is back`);
    }
    return false;
  }
  const unsettled = world.judge.unsettled((target) => truth(world, target));
  const [first] = unsettled;
  if (!first) return true;
  if (
    now - ending.at >
    LONGEST_SILENCE_MS +
      LONGEST_SETTLING_MS +
      4 * habits.intervalMs +
      2 * habits.acknowledgeWithinMs
  ) {
    complain(first.invariant, first.found);
  }
  return false;
}

/** The registries that lists are needed of. */
function awaited({ mood, ledger }: World): string[] {
  const { wish } = mood;
  const targets = targetsOf(wish).filter((target) => {
    if (wish.server.isDisabled && target.name !== 'platform-agent') return false;
    return target.kind === 'module' || ledger.known.get(keyOf(target))?.running !== undefined;
  });
  return [...new Set(targets.map(({ name }) => termsOf(wish, name).registry))];
}

function truth({ sites, mood, line, ledger }: World, target: Target): ListInForce | undefined {
  const { registry: address } = termsOf(mood.wish, target.name);
  const site = sites.find(({ registry }) => registry.address === address);
  const list = site?.registry.truth(target.moduleId);
  if (!list || list.generation === 0) return undefined;
  const confirmedAt = line.wall();
  return { list, trusted: trusted(ledger, address, list), confirmedAt, standsIn: false };
}

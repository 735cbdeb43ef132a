import type { World } from './world.ts';

/** The rounds of one registry, and how often its feed was asked to wait for a change. Times are of the monotonic clock. */
export interface Pace {
  /** All rounds of the last ten minutes. */
  rounds: number[];
  /** Those of them that no start, other configuration or added module explains. */
  regular: number[];
  waits: number[];
  /** When operators asked for rounds at once. (D76) */
  requests: number[];
  /** The modules of the last round; undefined after a start and after another configuration. */
  modules: ReadonlySet<string> | undefined;
}

const WINDOW_MS = 600_000;
const LEAST_INTERVAL_MS = 5000;
/** The shortest time between two rounds of an interval, which varies by 10 %. */
const SHORTEST = 0.9;
/** A feed that answers sooner, without a change, is not asked again in the same round. */
const SHORTEST_WAIT_MS = 12_500;

/** The next round of each registry is one more than its interval explains. */
export function excuseNextRounds({ ledger }: World): void {
  for (const pace of ledger.paces.values()) pace.modules = undefined;
}

/** An operator asked for a round at once. (D76) */
export function noteRequestedRound(world: World): void {
  for (const { registry } of world.sites) {
    paceOf(world, registry.address).requests.push(world.line.elapsed());
  }
}

/** A round begins: at most one per interval and one per change of the registry. (R4) */
export function noteRound(world: World, address: string, moduleIds: readonly string[]): void {
  const { line, settings, complain } = world;
  const pace = paceOf(world, address);
  const now = line.elapsed();
  const { modules } = pace;
  pace.rounds = within(pace.rounds, now);
  pace.rounds.push(now);
  if (modules && moduleIds.every((id) => modules.has(id))) pace.regular.push(now);
  pace.modules = new Set(moduleIds);
  pace.regular = within(pace.regular, now);
  const interval = Math.max(LEAST_INTERVAL_MS, SHORTEST * settings.intervalMs);
  pace.requests = within(pace.requests, now);
  const most =
    Math.floor(WINDOW_MS / interval) + 1 + changesOf(world, address) + pace.requests.length;
  if (pace.regular.length <= most) return;
  complain('R4', `${pace.regular.length} rounds of ${address} in ten minutes, at most ${most}`);
}

/** The feed is asked to wait: again when a wait ends, after a change, and after a round of any registry or an interval without one. (R4) */
export function noteWait(world: World, address: string): void {
  const { line, sites, settings, complain } = world;
  const now = line.elapsed();
  const pace = paceOf(world, address);
  pace.waits = within(pace.waits, now);
  pace.waits.push(now);
  let most = WINDOW_MS / SHORTEST_WAIT_MS + 1 + Math.floor(WINDOW_MS / settings.intervalMs) + 1;
  for (const { registry } of sites) {
    const rounds = within(paceOf(world, registry.address).rounds, now).length;
    most += 2 * rounds + changesOf(world, registry.address);
  }
  if (pace.waits.length <= most) return;
  complain('R4', `${pace.waits.length} waits for ${address} in ten minutes, at most ${most}`);
}

function within(times: readonly number[], now: number): number[] {
  return times.filter((at) => at > now - WINDOW_MS);
}

function changesOf({ sites }: World, address: string): number {
  return sites.find(({ registry }) => registry.address === address)?.registry.changeCount() ?? 0;
}

function paceOf({ ledger: { paces } }: World, address: string): Pace {
  const pace = paces.get(address) ?? {
    rounds: [],
    regular: [],
    waits: [],
    requests: [],
    modules: undefined,
  };
  paces.set(address, pace);
  return pace;
}

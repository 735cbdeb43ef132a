import { isAddress } from '../support/plan-judge.ts';
import { constraintOf } from './expectation.ts';
import { keyOf, targetsOf, termsOf, type ListInForce, type Target } from './ledger.ts';
import { blamedForTheWorld, plugIn } from './devices.ts';
import { lacksServer, mayKeepFailing, unsettledProcesses } from './host-judge.ts';
import { believed } from './first-sight.ts';
import { clearLink } from './network.ts';
import { correctValues } from './operating.ts';
import { judgeTrials } from './stops.ts';
import { trusted } from './trust.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;

/** Ends every fault: network, registries, disk, clock and callbacks work from now on. */
export function heal(world: World): void {
  // What has just begun is judged by the conditions under which it began.
  judgeTrials(world);
  const { sites, disk, conditions, line, points, trace, ledger, host } = world;
  trace.note('healed');
  for (const { registry, link } of sites) {
    registry.recover();
    Object.assign(link, clearLink());
  }
  plugIn(world);
  correctValues(world);
  if (host) host.isMended = true;
  host?.statuses.clear();
  disk.fill(undefined);
  points.disarm();
  line.drift(0);
  ledger.isServerBusy = false;
  // What passed before is not certain.
  if (!ledger.isClockRight) line.setWall(line.wall());
  ledger.isClockRight = true;
  Object.assign(conditions, {
    configuration: 'available',
    maintenance: 'allowed',
    deployedVersion: 'known',
    consumer: 'prompt',
    broken: 0,
    obstructed: 0,
    longestDownloadMs: MINUTE,
    lateMs: 0,
    isClockRight: true,
    isServerBusy: false,
  });
}

export interface Ending {
  at: number;
  /** Since when the registries that are needed have been read twice. */
  informedAt: number | undefined;
  checkedAt: number;
  /** When the next replacement is released that time alone holds. */
  releaseAt: number;
  /** How often each of them was released. */
  readonly releases: Map<string, number>;
  readonly good: ReadonlyMap<string, number>;
}

/** A time from which on the machine has to settle. */
export function endingAt({ line, ledger }: World): Ending {
  return {
    at: line.elapsed(),
    informedAt: undefined,
    checkedAt: 0,
    releaseAt: 0,
    releases: new Map(),
    good: new Map(ledger.goodPolls),
  };
}

/** The hour that a registry may ask clients to wait, plus a round that never ends and its retries. */
const LONGEST_SILENCE_MS = 60 * MINUTE + 25 * MINUTE;
const LONGEST_SETTLING_MS = 50 * MINUTE;
/** So long after its world was mended and it knows the releases, modreg's own agent runs them. (D80, D82) */
const MENDED_MS = 15 * MINUTE;
/** A crash loop before that lasts so long at most. (T57) */
const LOOP_MS = 10 * MINUTE;
const LOOP_STARTS = 5;

/** After two successful rounds every module runs the desired version, except for delivered actions. (L1) */
export function isSettled(world: World, ending: Ending): boolean {
  const { line, ledger, settings, complain } = world;
  const now = line.elapsed();
  if (now - ending.checkedAt < Math.min(settings.intervalMs, MINUTE)) return false;
  ending.checkedAt = now;
  const waiting = awaited(world).filter(
    (address) => (ledger.goodPolls.get(address) ?? 0) < (ending.good.get(address) ?? 0) + 2,
  );
  if (waiting.length > 0) {
    if (now - ending.at > LONGEST_SILENCE_MS + 4 * settings.intervalMs) {
      complain('L1', `${waiting.join(', ')} was not polled successfully twice since it recovered`);
    }
    return false;
  }
  const unsettled = [
    ...world.judge.unsettled(
      (target) => truth(world, target),
      ({ kind }) => (kind === 'module' ? lacksServer(world) : mayKeepFailing(world)),
    ),
    ...unsettledProcesses(world),
    ...blamedForTheWorld(world),
  ];
  const [first] = unsettled;
  if (!first) return !awaitsRelease(world, ending);
  // A machine that needs no registry reads its config and writes what it could not write in its next rounds.
  if (!isInformed(world, ending)) return false;
  ending.informedAt ??= now;
  const lateAt = world.host
    ? Math.max(ending.at, ending.informedAt) + MENDED_MS + loopMs(ledger.starts)
    : ending.at +
      LONGEST_SILENCE_MS +
      LONGEST_SETTLING_MS +
      4 * settings.intervalMs +
      2 * settings.acknowledgeWithinMs;
  if (now > lateAt) complain(first.invariant, first.found);
  return false;
}

/** Whether the machine had the time for two rounds. */
function isInformed(world: World, { at }: Ending): boolean {
  const { line, settings } = world;
  return awaited(world).length > 0 || line.elapsed() - at > 2 * settings.intervalMs;
}

/** How long the last starts may keep the agent from acting. */
function loopMs(starts: readonly number[]): number {
  const last = starts.slice(-LOOP_STARTS);
  const isLoop = last.length === LOOP_STARTS && Math.max(...last) - Math.min(...last) < LOOP_MS;
  return isLoop ? LOOP_MS : 0;
}

/** The rounds for which the end of a hold is awaited. */
const MOST_ROUNDS = 200;
/** A window of a minute may be too short for a replacement. */
const MOST_RELEASES = 10;

/** What held a replacement ends, and then it is made. (L1) */
function awaitsRelease(world: World, ending: Ending): boolean {
  const { host, line, settings, judge, complain } = world;
  const now = line.elapsed();
  if (!host) return false;
  if (now < ending.releaseAt) return true;
  const releases = judge.releases((target) => truth(world, target));
  const [next] = releases.toSorted((a, b) => a.inMs - b.inMs);
  if (!next || next.inMs > MOST_ROUNDS * settings.intervalMs) return false;
  const times = ending.releases.get(next.what) ?? 0;
  if (times === MOST_RELEASES)
    complain('L1', `${next.what}, although it was released ${times} times`);
  ending.releases.set(next.what, times + 1);
  Object.assign(ending, { at: now + next.inMs, releaseAt: now + next.inMs });
  return true;
}

/** The addresses of the registries that are needed. */
function awaited({ conditions, ledger }: World): string[] {
  const { desired } = conditions;
  const targets = targetsOf(desired).filter((target) => {
    if (desired.server.isDisabled && target.name !== 'platform-agent') return false;
    // An address needs no list.
    if (isAddress(constraintOf(desired, target) ?? '')) return false;
    return target.kind === 'module' || ledger.known.get(keyOf(target))?.running !== undefined;
  });
  return [...new Set(targets.map(({ name }) => termsOf(desired, name).registry))];
}

function truth(
  { sites, conditions, line, ledger }: World,
  target: Target,
): ListInForce | undefined {
  const { registry: address } = termsOf(conditions.desired, target.name);
  const site = sites.find(({ registry }) => registry.address === address);
  const list = site?.registry.truth(target.moduleId);
  if (!list || list.generation === 0) return undefined;
  const confirmedAt = line.wall();
  const key = `${address} ${target.moduleId}`;
  const releases = believed(ledger, key, trusted(ledger, address, list));
  return { list, trusted: releases, confirmedAt, isStale: false };
}

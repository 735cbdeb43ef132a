import { rowsIn } from './host-judge.ts';
import type { Host } from './host.ts';
import type { Violation } from './judge-context.ts';
import { SERVER } from './ledger.ts';
import { isRetried } from './seen-quarantine.ts';
import { setupOf } from './setups.ts';
import type { World } from './world.ts';

/*
 * Devices that modules need, and that come and go: all versions of an entry fail while its device is away. (D80)
 */

interface DeviceFailure {
  readonly version: string;
  /** What its entry was when it was started. */
  readonly entry: string | undefined;
  readonly phase: string | undefined;
  /** Whether it had worked. */
  readonly isProven: boolean;
}

/** A time in which the device of an entry is away. */
export interface Outage {
  /** The versions that failed, in order. */
  readonly failures: DeviceFailure[];
  isOver: boolean;
}

/** How the failure of a process reads whose device is away. */
export const DEVICE_IS_AWAY = 'its device is away';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** Undefined for a device that stays away until the world is mended. */
export const AWAY_MS: readonly (number | undefined)[] = [
  14 * SECOND,
  2 * MINUTE,
  20 * MINUTE,
  undefined,
];

/** The device of an entry goes away, for `ms` if that is given. Returns false if it is away. */
export function unplug(
  { host, line, trace }: World,
  name: string,
  ms: number | undefined,
): boolean {
  if (!host || outageOf(host, name)) return false;
  const outage: Outage = { failures: [], isOver: false };
  host.outages.set(name, [...(host.outages.get(name) ?? []), outage]);
  for (const process of host.processes) if (process.name === name) process.unplug();
  if (ms === undefined) return true;
  line.after(ms, () => {
    outage.isOver = true;
    trace.note(`the device of ${name} is back`);
  });
  return true;
}

/** A version is tried in place of another one, which resets the device of its entry: that may go away. */
export function shake(world: World, name: string): void {
  const { loose = [] } = world.host ?? {};
  const isUpgrade = rowsIn(world).get(name)?.previous !== undefined;
  if (loose.length === 0 || name === SERVER.name || !isUpgrade) return;
  const ms = loose.shift();
  world.trace.note(`the device of ${name} goes away`);
  unplug(world, name, ms);
}

/** All devices are there. */
export function plugIn({ host }: World): void {
  host?.loose.splice(0);
  for (const outages of host?.outages.values() ?? []) {
    for (const outage of outages) outage.isOver = true;
  }
}

/** The time in which the device of this entry is away now; undefined if it is there. */
export function outageOf({ outages }: Host, name: string): Outage | undefined {
  const last = outages.get(name)?.at(-1);
  return last?.isOver === false ? last : undefined;
}

/** A version that failed in use so often would have been left. */
const CRASH_LOOP = 5;

/**
 * The releases that are in quarantine although only the world failed: after each of them, the version that took its place, which had
 * worked, failed too while the device was away. (D80)
 */
export function blamedForTheWorld({ host, ledger, line }: World): Violation[] {
  if (!host) return [];
  const inForce = [...ledger.quarantine.values()].filter(
    ({ until = Infinity }) => line.wall() < until,
  );
  return inForce.flatMap(({ version, moduleId, entries = [], setups }) =>
    entries
      .filter(({ state, reason }) => state === 'failed' && reason?.startsWith(DEVICE_IS_AWAY))
      .flatMap(({ key }) => {
        const [name = ''] = key.split(' ').slice(1);
        const other = failedToo(host, name, { moduleId, version });
        // An edit of the entry gives it another try. (D82)
        if (isRetried({ setups }, key, setupOf(ledger.desired, name))) return [];
        if (other === undefined || ledger.known.get(key)?.moduleId !== moduleId) return [];
        const found = `${version} of ${name} is in quarantine, and ${other} failed in its place: ${DEVICE_IS_AWAY}`;
        return [{ invariant: 'D80', found }];
      }),
  );
}

/**
 * The version that took the place of this one when it last failed without the device, and failed as well. One of the two had worked.
 * Another module under the same name is another entry (D84), and what a local module does says nothing about a release.
 */
function failedToo(
  { outages }: Host,
  name: string,
  { moduleId, version }: { readonly moduleId: string; readonly version: string },
): string | undefined {
  const all = (outages.get(name) ?? []).map(({ failures }) =>
    failures.filter(({ entry }) => entry === moduleId),
  );
  const failures = all.findLast((those) => those.some((one) => one.version === version)) ?? [];
  const at = failures.findLastIndex((one) => one.version === version);
  const later = failures.slice(at + 1);
  const instead = later.find(({ phase }) => phase !== 'stable') ?? later[CRASH_LOOP - 1];
  const isComparable = failures[at]?.isProven === true || instead?.isProven === true;
  return isComparable ? instead?.version : undefined;
}

import {
  hasFailed,
  type MachineMemory,
  type QuarantineEntry,
  type Remembered,
  type RememberedRestart,
} from '../core/plan/machine-memory.ts';
import type { Quarantined } from '../core/releases/eligibility-policy.ts';
import type { ActionTarget } from '../core/plan/action.ts';
import type { OpenAction } from '../core/plan/committed-action.ts';
import { keyOf, moduleOf } from '../core/plan/target.ts';
import type { Statements } from '../sqlite/statements.ts';
import { deployedIn, lastChangeIn, type DeployedRecord } from './deployed-versions.ts';
import * as outbox from './outbox.ts';
import { heldReplacementsIn, type StoredHeld } from './held-replacements.ts';
import { operatorHoldsIn } from './operator-holds.ts';
import { quarantineIn } from './quarantine.ts';
import { requestersIn } from './requesters.ts';
import { restartRequestsIn, type StoredRequest } from './restart-requests.ts';
import { failedSetupsIn, withRetry, type FailedSetups } from './failed-setups.ts';
import { skippedFloorsIn } from './skipped-floors.ts';
import { bootsIn, startsIn } from './starts.ts';
import { roundRequestsIn, upgradeRequestsIn } from './upgrade-requests.ts';

const NOTHING: DeployedRecord = {
  moduleId: '',
  deployed: { kind: 'unknown' },
  previous: undefined,
  failed: undefined,
};

/** The part of the memory that deliveries do not change. */
export type Facts = Omit<MachineMemory, 'of' | 'open' | 'held'> & {
  readonly held: ReadonlyMap<string, StoredHeld>;
  readonly deployed: ReadonlyMap<string, DeployedRecord>;
  readonly requests: ReadonlyMap<string, StoredRequest>;
  readonly failedSetups: FailedSetups;
};

export function factsIn(sql: Statements): Facts {
  const deployed = deployedIn(sql);
  const requesterOf = requestersIn(sql);
  return {
    deployed,
    quarantine: quarantineIn(sql, requesterOf),
    failedSetups: failedSetupsIn(sql),
    holds: operatorHoldsIn(sql),
    held: heldReplacementsIn(sql),
    requests: restartRequestsIn(sql, requesterOf),
    upgradeRequests: upgradeRequestsIn(sql),
    skippedFloors: skippedFloorsIn(sql),
    roundRequests: roundRequestsIn(sql),
    starts: startsIn(sql),
    boots: bootsIn(sql),
    lastChange: lastChangeIn(sql),
    isBlank: deployed.size === 0,
  };
}

/** The part of the memory that deliveries change. */
export interface Pending {
  readonly open: readonly OpenAction[];
  readonly restarts: ReadonlyMap<string, readonly RememberedRestart[]>;
}

/** What was `before`, if it is known, saves parsing the same actions again. */
export function pendingIn(sql: Statements, before?: Pending): Pending {
  const restarts = Map.groupBy(outbox.restartsIn(sql), ({ key }) => key);
  return { open: outbox.openActions(sql, before?.open), restarts };
}

/** What the quarantine of a release means for one entry: those in which it failed are not all (D80, D81). */
function quarantineFor({ entries, ...entry }: QuarantineEntry, key: string): Quarantined {
  const own = entries?.find((one) => one.key === key);
  if (!entries || (own && hasFailed(own))) return entry;
  const failed = entries.find(hasFailed);
  const other = failed ?? (own ? undefined : entries[0]);
  const failedIn = other?.name;
  const { state, sameAs } = own ?? other ?? {};
  if (failed) return { ...entry, failedIn };
  return { ...entry, failedIn, undecided: { sameAs, isWaiting: state === 'waiting' } };
}

function skipsFor({ skippedFloors }: Facts, target: ActionTarget): Remembered['skippedFloors'] {
  const skips = skippedFloors.filter(
    (one) => keyOf(one.target) === keyOf(target) && one.moduleId === moduleOf(target),
  );
  return skips.length > 0 ? skips.map(({ skip }) => skip) : undefined;
}

export function memoryOf(facts: Facts, { open, restarts }: Pending): MachineMemory {
  const { deployed, requests, failedSetups, held, ...rest } = facts;
  const quarantined = Map.groupBy(facts.quarantine, ({ moduleId }) => moduleId);
  return {
    ...rest,
    open,
    held: Array.from(held.values(), (one) => ({ ...one.target, ...one.held })),
    of(target, setup) {
      const key = keyOf(target);
      const record = deployed.get(key);
      // A record of another module with this name does not apply to this one.
      const known = record?.moduleId === moduleOf(target) ? record : NOTHING;
      const request = requests.get(key);
      const quarantine = quarantined.get(moduleOf(target)) ?? [];
      const heldAs = held.get(key);
      const holds = facts.holds.filter(
        ({ of }) => of.kind === 'machine' || `${of.kind} ${of.name}` === key,
      );
      const upgrade = facts.upgradeRequests.find(
        (one) => keyOf(one.target) === key && one.moduleId === moduleOf(target),
      );
      return {
        deployed: known.deployed,
        previous: known.previous,
        failed: known.failed,
        restarts: restarts.get(key) ?? [],
        quarantine: quarantine.map((one) =>
          quarantineFor(
            setup === undefined ? one : withRetry(one, { entry: key, setup }, failedSetups),
            key,
          ),
        ),
        restartRequest: request?.moduleId === moduleOf(target) ? request : undefined,
        upgradeRequest: upgrade?.request,
        skippedFloors: skipsFor(facts, target),
        holds: holds.length > 0 ? holds : undefined,
        held: heldAs?.moduleId === moduleOf(target) ? heldAs.held : undefined,
      };
    },
  };
}

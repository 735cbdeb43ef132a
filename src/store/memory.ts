import type {
  MachineMemory,
  QuarantineEntry,
  RememberedRestart,
} from '../core/plan/machine-memory.ts';
import type { Quarantined } from '../core/releases/eligibility-policy.ts';
import type { OpenAction } from '../core/plan/committed-action.ts';
import { keyOf, moduleOf } from '../core/plan/target.ts';
import type { Statements } from '../sqlite/statements.ts';
import { deployedIn, type DeployedRecord } from './deployed-versions.ts';
import * as outbox from './outbox.ts';
import { operatorHoldsIn } from './operator-holds.ts';
import { quarantineIn } from './quarantine.ts';
import { restartRequestsIn, type StoredRequest } from './restart-requests.ts';
import { startsIn } from './starts.ts';

const NOTHING: DeployedRecord = {
  moduleId: '',
  deployed: { kind: 'unknown' },
  previous: undefined,
  failed: undefined,
};

/** The part of the memory that deliveries do not change. */
export type Facts = Omit<MachineMemory, 'of' | 'open'> & {
  readonly deployed: ReadonlyMap<string, DeployedRecord>;
  readonly requests: ReadonlyMap<string, StoredRequest>;
};

export function factsIn(sql: Statements): Facts {
  const deployed = deployedIn(sql);
  return {
    deployed,
    quarantine: quarantineIn(sql),
    holds: operatorHoldsIn(sql),
    requests: restartRequestsIn(sql),
    starts: startsIn(sql),
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
  if (!entries || own?.state === 'failed') return entry;
  const failed = entries.find(({ state }) => state === 'failed');
  const other = failed ?? (own ? undefined : entries[0]);
  const failedIn = other?.name;
  const { state, sameAs } = own ?? other ?? {};
  if (failed) return { ...entry, failedIn };
  return { ...entry, failedIn, undecided: { sameAs, isWaiting: state === 'waiting' } };
}

export function memoryOf(facts: Facts, { open, restarts }: Pending): MachineMemory {
  const { deployed, requests, ...rest } = facts;
  const quarantined = Map.groupBy(facts.quarantine, ({ moduleId }) => moduleId);
  return {
    ...rest,
    open,
    of(target) {
      const key = keyOf(target);
      const record = deployed.get(key);
      // A record of another module with this name does not apply to this one.
      const known = record?.moduleId === moduleOf(target) ? record : NOTHING;
      const request = requests.get(key);
      const holds = facts.holds.filter(
        ({ of }) => of.kind === 'machine' || `${of.kind} ${of.name}` === key,
      );
      return {
        deployed: known.deployed,
        previous: known.previous,
        failed: known.failed,
        restarts: restarts.get(key) ?? [],
        quarantine: (quarantined.get(moduleOf(target)) ?? []).map((one) => quarantineFor(one, key)),
        restartRequest: request?.moduleId === moduleOf(target) ? request : undefined,
        holds: holds.length > 0 ? holds : undefined,
      };
    },
  };
}

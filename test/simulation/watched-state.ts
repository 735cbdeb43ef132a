import type { ActionTarget } from '../../src/core/index.ts';
import { moduleOf } from '../../src/core/plan/target.ts';
import { Killed } from './crash-points.ts';
import type { CommittedAction } from '../../src/store/index.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { inherit } from './inheritance.ts';
import { checkDisk } from './disk-check.ts';
import { keyOf, type SeenAction, type Target } from './ledger.ts';
import type { Killable } from './life.ts';
import { CANARY } from './desired.ts';
import { noteRequestedRound } from './pace.ts';
import { holdKey } from './orders.ts';
import type { World } from './world.ts';

/** The starts that machine.db has. */
const KEPT_STARTS = 10;
/** Calls that change neither deployed versions nor actions. */
const UNCHECKED = new Set(['log', 'note what is held', 'start', 'end']);

/** Wraps `state` so that the judge sees each change, and the process can be killed at each call. */
export function watchedState(state: MachineState, world: World, killable: Killable): MachineState {
  const { ledger, judge, trace } = world;
  let startedAt: number | undefined;
  /** How many events there were at the last check. */
  let checkedAt = 0;
  const check = (): void => {
    if (trace.count() === checkedAt) return;
    checkedAt = trace.count();
    checkDisk(world);
  };
  const writing = <T>(call: Parameters<Killable>[0], work: () => T, seen: (done: T) => void): T => {
    const observed = (): T => {
      const done = work();
      trace.note(call);
      seen(done);
      return done;
    };
    const done = atomically(call, observed, world, killable);
    for (const key of world.strays) {
      if (ledger.known.get(key)?.running === (world.running.get(key) ?? null))
        world.strays.delete(key);
    }
    // Checked after the judge has seen every change of this moment.
    if (!UNCHECKED.has(call)) world.line.after(0, check);
    return done;
  };
  return {
    ...state,
    memory: () => killable('read the memory', () => state.memory()),
    start: (at) => {
      writing(
        'start',
        () => state.start(at),
        () => {
          startedAt = world.line.wall();
          ledger.starts = [...ledger.starts, startedAt].slice(-KEPT_STARTS);
        },
      );
    },
    end: (at) => {
      writing(
        'end',
        () => state.end(at),
        () => {
          // A disk that was lost since then has no such start. (T57)
          const place = ledger.starts.lastIndexOf(startedAt ?? Number.NaN);
          ledger.starts = ledger.starts.filter((_, index) => index !== place);
        },
      );
    },
    report: (target, running, at) => {
      writing(
        'report',
        () => state.report(target, running, at),
        () => judge.reported(targetOf(target), running),
      );
    },
    forget: (target) => {
      writing(
        'report',
        () => state.forget(target),
        () => ledger.known.delete(keyOf(targetOf(target))),
      );
    },
    commit: (actions, superseded, at) =>
      writing(
        'commit',
        () => state.commit(actions, superseded, at),
        (committed) => {
          for (const action of committed) judgeSecrets(action, world);
          judge.committed(
            committed.map(seenAction),
            superseded.map(({ action: { id } }) => id),
          );
        },
      ),
    deliver: (id, at) =>
      writing(
        'deliver',
        () => state.deliver(id, at),
        (isOpen) => {
          judge.delivered(id, isOpen);
        },
      ),
    takeBack: (id, at) => {
      writing(
        'take back',
        () => state.takeBack(id, at),
        () => judge.takenBack(id),
      );
    },
    withdraw: (action, at) => {
      writing(
        'withdraw',
        () => state.withdraw(action, at),
        () => judge.withdrawn(action.id),
      );
    },
    acknowledge: (id, outcome, terms) =>
      writing(
        'acknowledge',
        () => state.acknowledge(id, outcome, terms),
        (action) => {
          const seen =
            outcome.kind === 'failed' ? outcome : { blame: undefined, running: undefined };
          judge.acknowledged(id, { ...seen, until: terms.quarantineUntil }, action !== undefined);
        },
      ),
    reportFailure: (target, failure, terms) =>
      writing(
        'reportFailure',
        () => state.reportFailure(target, failure, terms),
        (ended) => {
          const { quarantineUntil: until } = terms;
          judge.failed(targetOf(target), { ...failure, until }, ended);
        },
      ),
    noteHeld: (target, held) => {
      writing(
        'note what is held',
        () => state.noteHeld(target, held),
        () => judge.held(targetOf(target), held.since),
      );
    },
    endHeld: (target) => {
      writing(
        'note what is held',
        () => state.endHeld(target),
        () => judge.heldEnds(keyOf(target)),
      );
    },
    endHold: (of, since) =>
      writing(
        'note what is held',
        () => state.endHold(of, since),
        (isEnded) => isEnded && judge.holdEnds(holdKey(of), since),
      ),
    endUpgrade: (target, requestedAt) => {
      writing(
        'note what is held',
        () => state.endUpgrade(target, requestedAt),
        () => judge.wishEnds(keyOf(target), requestedAt),
      );
    },
    endRoundRequests: () => {
      writing(
        'note what is held',
        () => state.endRoundRequests(),
        () => noteRequestedRound(world),
      );
    },
    reportWorking: (target, working) =>
      writing(
        'reportWorking',
        () => state.reportWorking(target, working),
        () => judge.works(targetOf(target), working),
      ),
    inheritFailures: (target, earlier) => {
      state.inheritFailures(target, earlier);
      // Before another config, which may not have the heir.
      inherit(world);
    },
    log: (decisions, round, inputs) => {
      judgeSecrets(decisions, world);
      try {
        writing(
          'log',
          () => state.log(decisions, round, inputs),
          () => {
            // On a full disk the actions are committed later.
            if (!world.disk.isFull()) judge.planned();
          },
        );
      } finally {
        ledger.hasPlanned = true;
        ledger.plannedSince = Math.min(ledger.plannedSince, world.line.elapsed());
      }
    },
  };
}

/** A call that is killed within its commit leaves the file unchanged. (I9) */
function atomically<T>(
  call: Parameters<Killable>[0],
  work: () => T,
  world: World,
  killable: Killable,
): T {
  const { points, complain } = world;
  if (!points.isArmed(`within ${call}`)) return killable(call, work);
  const before = dump(world);
  try {
    return killable(call, work);
  } catch (error) {
    const isSame = dump(world) === before;
    if (error instanceof Killed && error.message === `within ${call}` && !isSame) {
      complain('I9', `killed within the commit of ${call}, the file changed all the same`);
    }
    throw error;
  }
}

const TABLES = [
  'actions',
  'deployed',
  'quarantine',
  'failed_entries',
  'restarts',
  'restart_requests',
  'upgrade_requests',
  'operator_holds',
  'held_replacements',
  'starts',
  'decisions',
];

function dump({ disk }: World): string {
  return JSON.stringify(TABLES.map((table) => disk.rows(`SELECT * FROM ${table}`)));
}

function judgeSecrets(written: object, { complain }: World): void {
  // As JSON, which escapes no character of the secret.
  if (JSON.stringify(written).includes(CANARY))
    complain('I14', 'a secret of a module is in an action or a decision');
}

/** A target, as the oracle names it. */
export function targetOf(target: ActionTarget): Target {
  return { kind: target.kind, name: target.name, moduleId: moduleOf(target) };
}

export function seenAction({
  id,
  target,
  from,
  to,
  direction,
  artifact,
  restart,
  reason,
}: CommittedAction): SeenAction {
  const stops = restart.stops.flatMap(({ moduleId }) => moduleId ?? []);
  const replaced = reason.kind === 'failure' && !reason.isRolledBack ? reason.version : undefined;
  const change = { from, to, direction, digest: artifact?.digest, replaced };
  return { id, target: targetOf(target), ...change, stops };
}

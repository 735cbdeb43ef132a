import type { ActionTarget } from '../../src/core/index.ts';
import { moduleOf } from '../../src/core/plan/target.ts';
import { Killed } from './crash-points.ts';
import type { CommittedAction } from '../../src/store/index.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { noteRunning, type SeenAction, type Target } from './ledger.ts';
import type { Killable } from './life.ts';
import { CANARY } from './desired.ts';
import type { World } from './world.ts';

/** Calls that change neither deployed versions nor actions. */
const UNCHECKED = new Set(['log', 'start']);

/** Wraps `state` so that the judge sees each change, and the process can be killed at each call. */
export function watchedState(state: MachineState, world: World, killable: Killable): MachineState {
  const { ledger, judge, trace } = world;
  const writing = <T>(call: Parameters<Killable>[0], work: () => T, seen: (done: T) => void): T => {
    const observed = (): T => {
      const done = work();
      trace.note(call);
      seen(done);
      return done;
    };
    const done = atomically(call, observed, world, killable);
    // Checked after the judge has seen every change of this moment.
    if (!UNCHECKED.has(call)) world.line.after(0, () => checkDisk(world));
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
          ledger.starts = [...ledger.starts, at].slice(-10);
        },
      );
    },
    report: (target, running, at) => {
      writing(
        'report',
        () => state.report(target, running, at),
        () => noteRunning(ledger, targetOf(target), running),
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
          if (isOpen) judge.delivered(id);
        },
      ),
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
          if (!action) return;
          judge.acknowledged(id, {
            isDone: outcome.kind === 'done',
            running: outcome.kind === 'failed' ? outcome.running : undefined,
            blame: outcome.kind === 'failed' ? outcome.blame : undefined,
            until: terms.quarantineUntil,
          });
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

const TABLES = ['actions', 'deployed', 'quarantine', 'restarts', 'starts', 'decisions'];

function dump({ disk }: World): string {
  return JSON.stringify(TABLES.map((table) => disk.rows(`SELECT * FROM ${table}`)));
}

/** Compares the rows of the file with the ledger. */
export function checkDisk({ disk, ledger, complain }: World): void {
  for (const row of disk.rows('SELECT * FROM deployed')) {
    const { kind, name, is_known, text, previous } = row;
    const known = ledger.known.get(`${String(kind)} ${String(name)}`);
    const running = is_known === 1 ? text : undefined;
    if (!known || known.running !== running || (known.previous ?? null) !== previous) {
      const expected = `${String(known?.running)} after ${String(known?.previous)}`;
      const found = `${String(running)} after ${String(previous)}`;
      complain('I11', `the file has ${String(name)} at ${found}, the ledger ${expected}`);
    }
  }
  const rows = disk.rows(
    "SELECT number, state FROM actions WHERE state IN ('waiting', 'delivered')",
  );
  const open = [...ledger.open.values()].map(({ id, state }) => `${id.split('-')[1]} ${state}`);
  const found = rows.map(({ number, state }) => `${String(number)} ${String(state)}`);
  for (const { module_id, version, digest, until } of disk.rows('SELECT * FROM quarantine')) {
    const seen = ledger.quarantine.get(`${String(module_id)} ${String(version)}`);
    const isSame = (seen?.digest ?? null) === digest && (seen?.until ?? null) === until;
    if (!isSame)
      complain(
        'D13',
        `a quarantine not in the ledger: ${String(version)} ${String(digest)} until ${String(until)}`,
      );
  }
  if (found.toSorted().join() !== open.toSorted().join()) {
    complain('I8', `open in the file: ${found.join()}; in the ledger: ${open.join()}`);
  }
}

function judgeSecrets(written: unknown, { complain }: World): void {
  if (contains(written, CANARY))
    complain('I14', 'a secret of a module is in an action or a decision');
}

/** Whether the text is part of a string or a key in `value`. */
function contains(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.includes(text);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, part]) => key.includes(text) || contains(part, text));
}

function targetOf(target: ActionTarget): Target {
  return { kind: target.kind, name: target.name, moduleId: moduleOf(target) };
}

export function seenAction({
  id,
  target,
  from,
  to,
  direction,
  artifact,
}: CommittedAction): SeenAction {
  return { id, target: targetOf(target), from, to, direction, digest: artifact?.digest };
}

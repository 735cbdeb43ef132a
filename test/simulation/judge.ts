import { describe, type Court, type Violation } from './court.ts';
import { judgeAgain, judgeDecision, judgeEnd, judgeMove } from './decision-invariants.ts';
import {
  keyOf,
  knownOf,
  noteRunning,
  termsOf,
  type ListInForce,
  type OpenAction,
  type SeenAction,
  type Target,
} from './ledger.ts';
import { restraint } from './restraint.ts';
import { judgeNeeds } from './needs.ts';
import { judgeOmissions } from './omissions.ts';
import { unsettledIn } from './settling.ts';

/** What a machine does, held against the invariants as it is seen. */
export interface Judge {
  readonly committed: (actions: readonly SeenAction[], superseded: readonly string[]) => void;
  readonly delivered: (id: string) => void;
  /** `recorded` is the state of its record on the disk. */
  readonly handedOver: (action: SeenAction, recorded: unknown) => void;
  readonly withdrawn: (id: string) => void;
  /** A plan was made, and what came of it is committed. */
  readonly planned: () => void;
  readonly acknowledged: (id: string, outcome: SeenOutcome) => void;
  /** What is not as it is wanted, where `truth` is what the registries have. */
  readonly unsettled: (truth: (target: Target) => ListInForce | undefined) => Violation[];
}

interface SeenOutcome {
  readonly isDone: boolean;
  readonly running: string | null | undefined;
  readonly blame: 'release' | 'machine' | undefined;
  /** When a quarantine ends that comes of it. */
  readonly until: number | undefined;
}

const LEAST_RETRY_MS = 30_000 - 2;

export function judgeOf(court: Court): Judge {
  const { ledger, complain } = court;
  return {
    committed(actions, superseded) {
      judgeRestraint(court);
      for (const id of superseded) {
        const open = ledger.open.get(id);
        const isFree = open?.state === 'waiting';
        if (!isFree) complain('I8', `${id} was superseded in the state ${open?.state}`);
        if (open) judgeEnd(court, open);
        ledger.open.delete(id);
      }
      for (const action of actions) commit(court, action);
    },
    delivered: (id) => deliver(court, id),
    handedOver(action, recorded) {
      const committed = ledger.committed.get(action.id);
      const was = committed && describe(committed);
      if (was !== describe(action) || committed?.digest !== action.digest) {
        complain('I8', `${describe(action)} is handed over, and was committed as ${was}`);
      }
      if (recorded === 'delivered') return;
      complain('I9', `${describe(action)} is handed over, and its record says ${String(recorded)}`);
    },
    withdrawn(id) {
      const open = ledger.open.get(id);
      if (!open) return;
      const isHad = open.state === 'delivered';
      if (!isHad) complain('I8', `${describe(open)} was withdrawn before it was delivered`);
      judgeEnd(court, open);
      ledger.open.delete(id);
      noteRunning(ledger, open.target, undefined);
    },
    planned: () => judgeOmissions(court),
    acknowledged: (id, outcome) => acknowledge(court, id, outcome),
    unsettled: (truth) => unsettledIn(court, truth),
  };
}

/** Nothing is done in the first look of a blank memory, nor by an agent that crashes again and again. */
function judgeRestraint(court: Court): void {
  const why = restraint(court);
  if (why) court.complain(...why);
}

function commit(court: Court, action: SeenAction): void {
  const { ledger, complain } = court;
  const { id, target } = action;
  const isTaken = ledger.committed.has(id);
  if (isTaken) complain('I8', `${id} was given to a second decision`);
  for (const other of ledger.open.values()) {
    if (keyOf(other.target) !== keyOf(target)) continue;
    complain('I6', `${describe(action)} beside ${describe(other)}`);
  }
  judgeDecision(court, action);
  judgeMove(court, action);
  ledger.committed.set(id, action);
  ledger.open.set(id, { ...action, state: 'waiting' });
}

function deliver(court: Court, id: string): void {
  const { ledger, moment, complain } = court;
  judgeRestraint(court);
  const open = ledger.open.get(id);
  if (!open) {
    complain('I8', `${id} was delivered and is not open`);
    return;
  }
  judgeNeeds(court, open);
  judgePatience(court, open);
  if (open.state === 'delivered') judgeAgain(court, open);
  else judgeDecision(court, open);
  open.state = 'delivered';
  const restart = { id, ...moment(), life: ledger.life };
  ledger.restarts.set(keyOf(open.target), [...otherRestarts(court, open), restart]);
}

function otherRestarts({ ledger }: Court, { id, target }: SeenAction): readonly OneRestart[] {
  return (ledger.restarts.get(keyOf(target)) ?? []).filter((restart) => restart.id !== id);
}

type OneRestart = NonNullable<ReturnType<Court['ledger']['restarts']['get']>>[number];

function acknowledge(court: Court, id: string, outcome: SeenOutcome): void {
  const { ledger, moment, complain } = court;
  const { isDone, running, blame, until } = outcome;
  const action = ledger.committed.get(id);
  if (!action) {
    complain('I8', `${id} was acknowledged, and never committed`);
    return;
  }
  const open: OpenAction | undefined = ledger.open.get(id);
  // What was withdrawn is late, and still says what runs.
  if (!open && knownOf(ledger, action.target).running !== undefined) return;
  const { target, to, digest } = action;
  noteRunning(ledger, target, isDone ? to : running);
  if (!isDone) ledger.novelty++;
  if (blame === 'release') judgeTerm(court, action, until);
  if (blame === 'release') {
    const { moduleId } = target;
    ledger.quarantine.set(`${moduleId} ${to}`, { moduleId, version: to, digest, until });
  }
  if (blame === 'machine') ledger.restarts.set(keyOf(target), [...otherRestarts(court, action)]);
  if (open && blame === 'machine') Object.assign(open, { state: 'waiting', failedAt: moment() });
  else ledger.open.delete(id);
}

/** A quarantine ends when the policy has it. What waited for room on the disk was judged by an earlier one. (D13) */
function judgeTerm(
  { ledger, moment, complain, isDelayed }: Court,
  action: SeenAction,
  until: number | undefined,
): void {
  if (!ledger.wish || isDelayed()) return;
  const { quarantineMs } = termsOf(ledger.wish, action.target.name);
  const expected = quarantineMs === undefined ? undefined : moment().wall + quarantineMs;
  if (until === expected) return;
  complain(
    'D13',
    `${describe(action)} failed, and is in quarantine until ${until}, not ${expected}`,
  );
}

/** What somebody has in hand is theirs for a time, and what the machine failed waits. (T61) */
function judgePatience(
  { ledger, moment, complain, acknowledgeWithinMs }: Court,
  open: OpenAction,
): void {
  const { elapsed, wall } = moment();
  const last = ledger.restarts.get(keyOf(open.target))?.find(({ id }) => id === open.id);
  const since = last?.life === ledger.life ? elapsed - last.elapsed : Infinity;
  if (open.state === 'delivered' && since < acknowledgeWithinMs - 1) {
    complain('T61', `${describe(open)} is delivered again after ${since} ms`);
  }
  const { failedAt } = open;
  // Only where the clock on the wall was left alone.
  const isSteady = failedAt && Math.abs(wall - failedAt.wall - (elapsed - failedAt.elapsed)) < 2;
  if (open.state !== 'waiting' || !isSteady || elapsed - failedAt.elapsed >= LEAST_RETRY_MS) return;
  complain(
    'T61',
    `${describe(open)} comes again ${elapsed - failedAt.elapsed} ms after the machine failed it`,
  );
}

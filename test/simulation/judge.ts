import { describe, type JudgeContext, type Violation } from './judge-context.ts';
import { judgeAgain, judgeDecision, judgeEnd, judgeMove } from './decision-invariants.ts';
import {
  fileOf,
  keyOf,
  knownOf,
  noteFailed,
  noteRunning,
  termsOf,
  type ListInForce,
  type OpenAction,
  type SeenAction,
  type Target,
} from './ledger.ts';
import { gateReason } from './action-gate.ts';
import { judgeNeeds } from './needs.ts';
import { judgeOmissions } from './omissions.ts';
import { unsettledIn } from './settling.ts';

/** Compares each observed step of a machine with the invariants. */
export interface Judge {
  readonly committed: (actions: readonly SeenAction[], superseded: readonly string[]) => void;
  readonly delivered: (id: string) => void;
  /** `recorded` is the state of its record on the disk. */
  readonly handedOver: (action: SeenAction, recorded: unknown) => void;
  readonly withdrawn: (id: string) => void;
  /** A plan was made, and its actions are committed. */
  readonly planned: () => void;
  readonly acknowledged: (id: string, outcome: SeenOutcome) => void;
  /** A release was reported as failed, which ended the action `ended`. (D38) */
  readonly failed: (target: Target, failure: SeenFailure, ended: string | undefined) => void;
  /** The consumer of all delivered actions has ended. (D39) */
  readonly consumerEnded: () => void;
  /** The consumer of an action asked for more time, in milliseconds. */
  readonly extended: (id: string, ms: number) => void;
  /** Differences from the desired state, given `truth`, the lists that the registries have. */
  readonly unsettled: (truth: (target: Target) => ListInForce | undefined) => Violation[];
}

interface SeenFailure {
  readonly version: string;
  readonly running: string | null | undefined;
  /** When the resulting quarantine ends. */
  readonly until: number | undefined;
}

interface SeenOutcome {
  readonly isDone: boolean;
  readonly running: string | null | undefined;
  readonly blame: 'release' | 'machine' | undefined;
  /** When the resulting quarantine ends. */
  readonly until: number | undefined;
}

const LEAST_RETRY_MS = 30_000 - 2;

export function judgeOf(context: JudgeContext): Judge {
  const { ledger, complain } = context;
  return {
    committed(actions, superseded) {
      judgeGate(context);
      for (const id of superseded) {
        const open = ledger.open.get(id);
        const isFree = open?.state === 'waiting';
        if (!isFree) complain('I8', `${id} was superseded in the state ${open?.state}`);
        if (open) judgeEnd(context, open);
        ledger.open.delete(id);
      }
      for (const action of actions) commit(context, action);
    },
    delivered: (id) => deliver(context, id),
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
      const isDelivered = open.state === 'delivered';
      if (!isDelivered) complain('I8', `${describe(open)} was withdrawn before it was delivered`);
      judgeEnd(context, open);
      judgeHeld(context, open);
      ledger.open.delete(id);
      noteRunning(ledger, open.target, undefined);
    },
    planned: () => judgeOmissions(context),
    acknowledged: (id, outcome) => acknowledge(context, id, outcome),
    failed: (target, failure, ended) => fail(context, target, failure, ended),
    consumerEnded: () => ledger.held.clear(),
    extended(id, ms) {
      const until = ledger.held.get(id);
      if (until === undefined) return;
      ledger.held.set(id, Math.max(until, context.moment().elapsed + ms));
    },
    unsettled: (truth) => unsettledIn(context, truth),
  };
}

/** No action is taken in the first plan of a blank memory, nor during a crash loop. (T53, T57) */
function judgeGate(context: JudgeContext): void {
  const reason = gateReason(context);
  if (reason) context.complain(...reason);
}

function commit(context: JudgeContext, action: SeenAction): void {
  const { ledger, complain } = context;
  const { id, target } = action;
  const isTaken = ledger.committed.has(id);
  if (isTaken) complain('I8', `${id} was given to a second decision`);
  for (const other of ledger.open.values()) {
    if (keyOf(other.target) !== keyOf(target)) continue;
    complain('I6', `${describe(action)} beside ${describe(other)}`);
  }
  judgeDecision(context, action);
  judgeMove(context, action);
  ledger.committed.set(id, action);
  ledger.open.set(id, { ...action, state: 'waiting' });
}

function deliver(context: JudgeContext, id: string): void {
  const { ledger, moment, complain } = context;
  judgeGate(context);
  const open = ledger.open.get(id);
  if (!open) {
    complain('I8', `${id} was delivered and is not open`);
    return;
  }
  judgeNeeds(context, open);
  judgePatience(context, open);
  if (open.state === 'delivered') judgeAgain(context, open);
  else judgeDecision(context, open);
  open.state = 'delivered';
  ledger.held.set(id, moment().elapsed + context.acknowledgeWithinMs);
  ledger.files.set(fileOf(open.target, open.to), open.digest);
  const restart = { id, ...moment(), life: ledger.life };
  ledger.restarts.set(keyOf(open.target), [...otherRestarts(context, open), restart]);
}

function otherRestarts(
  { ledger }: JudgeContext,
  { id, target }: SeenAction,
): readonly OneRestart[] {
  return (ledger.restarts.get(keyOf(target)) ?? []).filter((restart) => restart.id !== id);
}

type OneRestart = NonNullable<ReturnType<JudgeContext['ledger']['restarts']['get']>>[number];

function acknowledge(context: JudgeContext, id: string, outcome: SeenOutcome): void {
  const { ledger, moment, complain } = context;
  const { isDone, running, blame, until } = outcome;
  const action = ledger.committed.get(id);
  if (!action) {
    complain('I8', `${id} was acknowledged, and never committed`);
    return;
  }
  const open: OpenAction | undefined = ledger.open.get(id);
  ledger.held.delete(id);
  // A late acknowledgement of a withdrawn action still reports the deployed version.
  if (!open && knownOf(ledger, action.target).running !== undefined) return;
  const { target, to, digest } = action;
  noteRunning(ledger, target, isDone ? to : running, blame === 'release' ? to : undefined);
  if (!isDone) ledger.novelty++;
  if (blame === 'release') judgeTerm(context, target, until);
  if (blame === 'release') {
    const { moduleId } = target;
    ledger.quarantine.set(`${moduleId} ${to}`, { moduleId, version: to, digest, until });
  }
  if (blame === 'machine') ledger.restarts.set(keyOf(target), [...otherRestarts(context, action)]);
  if (open && blame === 'machine') Object.assign(open, { state: 'waiting', failedAt: moment() });
  else ledger.open.delete(id);
}

function fail(
  context: JudgeContext,
  target: Target,
  { version, running, until }: SeenFailure,
  ended: string | undefined,
): void {
  const { ledger, complain } = context;
  const open = [...ledger.open.values()].find(
    (one) =>
      one.state === 'delivered' &&
      one.to === version &&
      fileOf(one.target, version) === fileOf(target, version),
  );
  if (open?.id !== ended) complain('D38', `${ended} is ended, where ${open?.id} is expected`);
  const digest = ledger.files.get(fileOf(target, version));
  judgeTerm(context, target, until);
  if (open) noteRunning(ledger, target, running, version);
  else noteFailed(ledger, target, { version, running });
  const { moduleId } = target;
  ledger.quarantine.set(`${moduleId} ${version}`, { moduleId, version, digest, until });
  ledger.novelty++;
  if (!open) return;
  ledger.held.delete(open.id);
  ledger.open.delete(open.id);
}

/** A quarantine lasts as long as the policy states. One delayed by a full disk may follow an earlier policy. (D13) */
function judgeTerm(
  { ledger, moment, complain, isDelayed }: JudgeContext,
  target: Target,
  until: number | undefined,
): void {
  if (!ledger.desired || isDelayed()) return;
  const { quarantineMs } = termsOf(ledger.desired, target.name);
  const expected = quarantineMs === undefined ? undefined : moment().wall + quarantineMs;
  if (until === expected) return;
  complain(
    'D13',
    `a release of ${keyOf(target)} failed, and is in quarantine until ${until}, not ${expected}`,
  );
}

/** Before its deadline, an action is not taken from its consumer. (D39) */
function judgeHeld({ ledger, moment, complain }: JudgeContext, open: OpenAction): void {
  const until = ledger.held.get(open.id) ?? 0;
  ledger.held.delete(open.id);
  const early = until - moment().elapsed;
  if (early > 1) complain('D39', `${describe(open)} is withdrawn ${early} ms before its deadline`);
}

/** An action is not delivered to two consumers (D39), and one that the machine failed waits. (T61) */
function judgePatience({ ledger, moment, complain }: JudgeContext, open: OpenAction): void {
  const { elapsed, wall } = moment();
  if (ledger.held.has(open.id)) {
    complain('D39', `${describe(open)} is delivered again, and its consumer has not ended`);
  }
  const { failedAt } = open;
  // The back-off follows the wall clock, so a changed clock says nothing.
  const isSteady = failedAt && Math.abs(wall - failedAt.wall - (elapsed - failedAt.elapsed)) < 2;
  if (open.state !== 'waiting' || !isSteady || elapsed - failedAt.elapsed >= LEAST_RETRY_MS) return;
  complain(
    'T61',
    `${describe(open)} is delivered ${elapsed - failedAt.elapsed} ms after the machine failed it`,
  );
}

import { describe, numberOf, type JudgeContext, type Violation } from './judge-context.ts';
import { judgeAgain, judgeDecision, judgeEnd, judgeMove } from './decision-invariants.ts';
import { noteRunning } from './deployed.ts';
import {
  fileOf,
  keyOf,
  termsOf,
  type Ledger,
  type ListInForce,
  type OpenAction,
  type SeenAction,
  type Target,
} from './ledger.ts';
import { gateReason } from './action-gate.ts';
import {
  acknowledge,
  fail,
  otherRestarts,
  type SeenFailure,
  type SeenOutcome,
  works,
} from './judge-outcomes.ts';
import {
  answered,
  begin,
  judgeFirstRun,
  judgeStopped,
  stopsWithServer,
  takeBack,
  type Answer,
} from './moment-judge.ts';
import { judgeNeeds } from './needs.ts';
import { judgeOmissions } from './omissions.ts';
import {
  judgeHeldEnd,
  judgeHeldSince,
  judgeHoldEnd,
  judgeWishEnd,
  wordsFor,
} from './orders-judge.ts';
import { releasesIn, unsettledIn, type Release } from './settling.ts';

/** The most restarts in 24 hours that a policy can allow. */
const MOST_RESTARTS = 1440;

/** Compares each observed step of a machine with the invariants. */
export interface Judge {
  readonly committed: (actions: readonly SeenAction[], superseded: readonly string[]) => void;
  /** The agent's answer about a deployed version was recorded. */
  readonly reported: (target: Target, running: string | null | undefined) => void;
  /** `isOpen`: modreg found it open, and recorded the delivery. */
  readonly delivered: (id: string, isOpen: boolean) => void;
  /** `recorded` is the state of its record on the disk, and `times` how often modreg says that it was delivered. */
  readonly handedOver: (action: SeenAction, recorded: unknown, times: number) => void;
  readonly withdrawn: (id: string) => void;
  /** The agent asked whether it may begin an action. (D72) */
  readonly answered: (id: string, answer: Answer) => void;
  /** An action that the agent did not begin waits again. (D72) */
  readonly takenBack: (id: string) => void;
  /** The first run of a version takes place for an action, before anything is stopped. (D72) */
  readonly runsFirst: (id: string) => void;
  /** The version in use is ended for an action, or a version is tried. (D72) */
  readonly begins: (id: string) => void;
  /** A process that works is stopped, and its own version is not being replaced. (D72) */
  readonly stops: (target: Target) => void;
  /** A process is stopped while the server is down. */
  readonly stopsWithServer: (target: Target) => void;
  /** A plan was made, and its actions are committed. */
  readonly planned: () => void;
  /** Since when replacements of a target are held was recorded. (D79) */
  readonly held: (target: Target, since: number) => void;
  readonly heldEnds: (key: string) => void;
  /** modreg ended the hold of an operator. (D75) */
  readonly holdEnds: (key: string, since: number | undefined) => void;
  /** modreg ended the request for a replacement at once. (D76) */
  readonly wishEnds: (key: string, at: number) => void;
  /** What is expected of a target now: more than one where something is uncertain. */
  readonly expected: (target: Target) => string[];
  readonly acknowledged: (id: string, outcome: SeenOutcome, isRecorded: boolean) => void;
  /** A release was reported as failed, which ended the action `ended`. (D38) */
  readonly failed: (target: Target, failure: SeenFailure, ended: string | undefined) => void;
  /** The deployed version of a target has worked for some time. (D80) */
  readonly works: (target: Target, working: Parameters<typeof works>[2]) => void;
  /** The consumer of all delivered actions has ended. (D39) */
  readonly consumerEnded: () => void;
  /** The consumer of an action asked for more time, in milliseconds. */
  readonly extended: (id: string, ms: number) => void;
  /** Differences from the desired state, given `truth`, the lists that the registries have. */
  readonly unsettled: (
    truth: (target: Target) => ListInForce | undefined,
    mayWait: (target: Target) => boolean,
  ) => Violation[];
  /** The replacements that only time holds, given the same `truth`. */
  readonly releases: (truth: (target: Target) => ListInForce | undefined) => Release[];
}

const LEAST_RETRY_MS = 30_000 - 2;

export function judgeOf(context: JudgeContext): Judge {
  const { ledger, complain } = context;
  return {
    committed(actions, superseded) {
      for (const { target } of actions) judgeGate(context, target);
      for (const id of superseded) {
        const open = ledger.open.get(id);
        if (open) judgeGate(context, open.target);
        const isFree = open?.state === 'waiting';
        if (!isFree) complain('I8', `${id} was superseded in the state ${open?.state}`);
        if (open) judgeEnd(context, open);
        ledger.open.delete(id);
        ledger.ended.set(id, 'superseded');
      }
      for (const action of actions) commit(context, action);
    },
    reported(target, running) {
      const told = ledger.told.get(keyOf(target));
      if (told === undefined || told !== running) {
        complain('D14', `${keyOf(target)} has ${running} recorded, and the agent said ${told}`);
      }
      noteRunning(ledger, target, told);
    },
    delivered: (id, isOpen) => deliver(context, id, isOpen),
    handedOver(action, recorded, times) {
      judgeHandover(context, action, times);
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
      if (!open) {
        complain('I8', `${id} was withdrawn and is not open`);
        return;
      }
      const isDelivered = open.state === 'delivered';
      if (!isDelivered) complain('I8', `${describe(open)} was withdrawn before it was delivered`);
      judgeEnd(context, open);
      judgeHeld(context, open);
      ledger.open.delete(id);
      ledger.ended.set(id, 'withdrawn');
      // Whatever became of a restart, the same version is deployed. (D41)
      if (open.direction !== 'restart') noteRunning(ledger, open.target, undefined);
    },
    answered: (id, answer) => answered(context, id, answer),
    takenBack: (id) => takeBack(context, id),
    runsFirst: (id) => judgeFirstRun(context, id),
    begins: (id) => begin(context, id),
    stops: (target) => judgeStopped(context, target),
    stopsWithServer: (target) => stopsWithServer(context, target),
    planned: () => judgeOmissions(context),
    held: (target, since) => judgeHeldSince(context, target, since),
    heldEnds: (key) => judgeHeldEnd(context, key),
    holdEnds: (key, since) => judgeHoldEnd(context, key, since),
    wishEnds: (key, at) => judgeWishEnd(context, key, at),
    expected: (target) => wordsFor(context, target),
    acknowledged: (id, outcome, isRecorded) => acknowledge(context, id, outcome, isRecorded),
    failed: (target, failure, ended) => fail(context, target, failure, ended),
    works: (target, working) => works(context, target, working),
    consumerEnded: () => ledger.held.clear(),
    extended(id, ms) {
      const until = ledger.held.get(id);
      if (until === undefined) return;
      ledger.held.set(id, Math.max(until, context.moment().elapsed + ms));
    },
    unsettled: (truth, mayWait) => unsettledIn(context, truth, mayWait),
    releases: (truth) => releasesIn(context, truth),
  };
}

/** No action is taken in the first plan of a blank memory, nor during a crash loop but on what may be its cause. (T53, T57, D85) */
function judgeGate(context: JudgeContext, target: Target): void {
  const reason = gateReason(context, target);
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
  ledger.open.set(id, { ...action, state: 'waiting', deliveries: 0, failures: 0 });
}

function deliver(context: JudgeContext, id: string, isOpen: boolean): void {
  const { ledger, moment, complain } = context;
  const open = ledger.open.get(id);
  if (isOpen !== (open !== undefined)) {
    complain('I8', `${id} was ${isOpen ? 'delivered and is not open' : 'open and not delivered'}`);
  }
  if (!open || !isOpen) return;
  judgeGate(context, open.target);
  judgeNeeds(context, open);
  judgePatience(context, open);
  if (open.state === 'delivered') judgeAgain(context, open);
  else judgeDecision(context, open);
  open.state = 'delivered';
  open.setup = setupOf(ledger, open.target);
  open.deliveries++;
  ledger.held.set(id, moment().elapsed + context.acknowledgeWithinMs);
  ledger.files.set(fileOf(open.target, open.to), open.digest);
  // Cooldown and ceiling do not count what an operator requested. (D41)
  if (open.direction === 'restart') return;
  const restart = { id, ...moment(), life: ledger.life };
  const all = [...otherRestarts(context, open), restart];
  const inOrder = all.toSorted((one, other) => numberOf(one.id) - numberOf(other.id));
  // No policy counts more, and the file keeps no more.
  ledger.restarts.set(keyOf(open.target), inOrder.slice(-MOST_RESTARTS));
}

/** What an operator can change about a target without another decision, as text. */
function setupOf({ desired }: Ledger, { kind, name }: Target): string | undefined {
  if (!desired) return undefined;
  const entry = kind === 'module' && desired.modules.find((one) => one.name === name);
  return JSON.stringify([entry, termsOf(desired, name), desired.terms.refuse, desired.asking]);
}

/** A delivery reaches one consumer, once. (I8, D39) */
function judgeHandover(
  { ledger, complain }: JudgeContext,
  action: SeenAction,
  times: number,
): void {
  const { id } = action;
  const handovers = (ledger.handovers.get(id) ?? 0) + 1;
  ledger.handovers.set(id, handovers);
  const deliveries = ledger.open.get(id)?.deliveries ?? 0;
  if (handovers > deliveries)
    complain(
      'I8',
      `${describe(action)} is handed over ${handovers} times, and delivered ${deliveries} times`,
    );
  if (times !== deliveries)
    complain(
      'I8',
      `${describe(action)} is handed over as delivered ${times} times, not ${deliveries}`,
    );
}

/** Before its deadline, an action is not taken from its consumer. (D39) */
function judgeHeld({ ledger, moment, complain }: JudgeContext, open: OpenAction): void {
  const until = ledger.held.get(open.id) ?? 0;
  ledger.held.delete(open.id);
  const early = until - moment().elapsed;
  if (early > 1) complain('D39', `${describe(open)} is withdrawn ${early} ms before its deadline`);
}

/** An action is not delivered to two consumers (D39), and one that the machine failed waits, unless its setup changed. (T61) */
function judgePatience({ ledger, moment, complain }: JudgeContext, open: OpenAction): void {
  const { elapsed, wall } = moment();
  if (ledger.held.has(open.id)) {
    complain('D39', `${describe(open)} is delivered again, and its consumer has not ended`);
  }
  const { failedAt, setup, target } = open;
  if (setup !== setupOf(ledger, target)) return;
  // The back-off follows the wall clock, so a changed clock says nothing.
  const isSteady = failedAt && Math.abs(wall - failedAt.wall - (elapsed - failedAt.elapsed)) < 2;
  if (open.state !== 'waiting' || !isSteady || elapsed - failedAt.elapsed >= LEAST_RETRY_MS) return;
  complain(
    'T61',
    `${describe(open)} is delivered ${elapsed - failedAt.elapsed} ms after the machine failed it`,
  );
}

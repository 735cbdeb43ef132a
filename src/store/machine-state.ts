import type { ActionTarget, DecideInput, ModuleId } from '../core/index.ts';
import type { RolledBack, SkippedFloor } from '../core/releases/eligibility-policy.ts';
import type {
  ActionOutcome,
  CommittedAction,
  NewAction,
  OpenAction,
} from '../core/plan/committed-action.ts';
import type { RestartRequest } from '../core/decision/restart-request.ts';
import type { HeldReplacement } from '../core/decision/longest-hold.ts';
import type { RecordedHold } from '../core/decision/operator-hold.ts';
import type { UpgradeRequest } from '../core/decision/upgrade-request.ts';
import type { LoggedDecision } from '../core/plan/logged-decisions.ts';
import type { MachineMemory, QuarantineEntry } from '../core/plan/machine-memory.ts';
import type { TargetName } from '../core/plan/target.ts';
import { translated } from '../sqlite/database.ts';
import { acknowledge, type AcknowledgementTerms } from './acknowledge.ts';
import {
  decisionsIn,
  logDecisions,
  logRound,
  pollerLog,
  writtenDecisions,
  type LoggedRound,
  type PollerLog,
  type WrittenDecisions,
} from './decision-log.ts';
import {
  historyIn,
  newestInHistory,
  noteDecisions,
  notedDecisions,
  recentHistory,
  type NotedDecisions,
  type PastDecision,
  type RecordedDecision,
} from './decision-history.ts';
import { endHeld, noteHeld } from './held-replacements.ts';
import { forgetDeployed, noteDeployed } from './deployed-versions.ts';
import { inheritFailures, noteWorking, type Working } from './failed-entries.ts';
import { writeTo, type MachineFile } from './machine-file.ts';
import { memoryReader, versionIn } from './memory-reader.ts';
import * as outbox from './outbox.ts';
import { countHold, endHold, setHold } from './operator-holds.ts';
import { lift, refuse } from './quarantine.ts';
import {
  reportFailure,
  type FailureTerms,
  type ReleaseFailure,
  rollBack,
  type RollbackTerm,
} from './release-failure.ts';
import { cancelRestart, requestRestart } from './restart-requests.ts';
import { endRoundRequests, endUpgrade, requestRound, requestUpgrade } from './upgrade-requests.ts';
import { isProven } from './proven-versions.ts';
import { skipFloor, unskipFloor } from './skipped-floors.ts';
import { forgetStart, noteStart } from './starts.ts';

/**
 * A machine's memory of deployed versions, open actions and failed releases. What a method writes is on disk when it
 * returns. Each method throws a DatabaseError if the file cannot be used.
 */
export interface MachineState {
  memory(): MachineMemory;
  /** @internal Another number once another process has written the file. */
  version(): number;
  /** Records the deployed version: `null` if nothing is deployed, undefined if that is not known (D14). */
  report(target: ActionTarget, deployed: string | null | undefined, at: number): void;
  /** Forgets the deployed version of a target, and which of its releases failed last: another program runs it, or none. */
  forget(target: ActionTarget): void;
  /**
   * Ends the waiting actions of `superseded`, and returns the new actions with their ids. Throws if a target would have
   * two open actions.
   */
  commit(
    actions: readonly NewAction[],
    superseded: readonly OpenAction[],
    at: number,
  ): CommittedAction[];
  /** Records a delivery. Returns whether the action is open: only then may it be executed. */
  deliver(id: string, at: number): boolean;
  /** Makes an action wait again that was delivered and not begun (D72). It does not count as a restart. */
  takeBack(id: string, at: number): void;
  /** Ends an action that was delivered. Its target's deployed version is then unknown. */
  withdraw(action: CommittedAction, at: number): void;
  /** Records an outcome and returns the action; undefined if no action with this id awaits an acknowledgement. */
  acknowledge(
    id: string,
    outcome: ActionOutcome,
    terms: AcknowledgementTerms,
  ): NewAction | undefined;
  /**
   * Records a release that failed, at any time (D38). Returns the id of the delivered action that deploys it, which this
   * ends; undefined if there is none.
   */
  reportFailure(
    target: ActionTarget,
    failure: ReleaseFailure,
    terms: FailureTerms,
  ): string | undefined;
  /** Records that the deployed version of a target has worked for some time: what is undecided there may be tried again (D80). */
  reportWorking(target: ActionTarget, working: Working): void;
  /** Makes the suspended quarantines of an entry with the name `earlier` those of the entry that takes its place (D105). */
  inheritFailures(target: ActionTarget, earlier: string): void;
  /** Puts a version into quarantine for an operator, unless it is refused by a rollback, which is returned (D32). */
  quarantine(entry: QuarantineEntry): QuarantineEntry | undefined;
  /** Ends a quarantine. Returns whether the version was in quarantine. */
  lift(moduleId: ModuleId, version: string): boolean;
  /** Quarantines the deployed version for an operator (D13). Returns false if another one is deployed by now. */
  rollBack(target: ActionTarget, rolledBack: RolledBack, term: RollbackTerm): boolean;
  /** Records the restart that an operator requests. It takes the place of an earlier request for the target (D41). */
  requestRestart(target: ActionTarget, request: RestartRequest): void;
  /** Ends the request of an operator. Returns false if there is none, or if its restart was delivered: it is then finished. */
  cancelRestart(target: ActionTarget): boolean;
  /** Records the replacement at once that an operator requests. It takes the place of an earlier request for the target (D76). */
  requestUpgrade(target: ActionTarget, request: UpgradeRequest): void;
  /** Ends the request for a replacement that was made at `requestedAt`, unless another one took its place. */
  endUpgrade(target: TargetName, requestedAt: number): void;
  /** Records that a target passes a floor without running it (D92). */
  skipFloor(target: ActionTarget, skip: SkippedFloor): void;
  /** Lets a skipped floor count again. Returns whether it was skipped. */
  unskipFloor(target: ActionTarget, version: string): boolean;
  /** Records that the list of a target is to be read now. */
  requestRound(target: TargetName, at: number): void;
  endRoundRequests(): void;
  /** Holds a target or the machine for an operator, in place of an earlier hold of it (D75). */
  setHold(hold: RecordedHold): void;
  /** Ends a hold, with `since` only the one that was set then. Returns whether there was one. */
  endHold(of: RecordedHold['of'], since?: number): boolean;
  /** Records the elapsed time of `hold`, unless another one took its place. */
  countHold(hold: RecordedHold, elapsed: Pick<RecordedHold, 'elapsedMs' | 'countedAt'>): void;
  /** Records since when the replacements of a target are held, and for how long (D79). */
  noteHeld(target: ActionTarget, held: HeldReplacement): void;
  /** Forgets since when: nothing of it is held any more. */
  endHeld(target: TargetName): void;
  /** Records the start of a poller, and in which boot of the machine that is, if it is known (D85). */
  start(at: number, boot?: string): void;
  /** Forgets the start at `at`, because its poller ends cleanly: it is not counted for a crash loop (T57). */
  end(at: number): void;
  /**
   * Logs the decisions, and the round whose lists they are based on. A decision whose input is in `inputs`, by target
   * key, is added to the history if it has changed.
   */
  log(
    decisions: readonly LoggedDecision[],
    round: LoggedRound,
    inputs?: ReadonlyMap<string, DecideInput>,
  ): void;
  decisions(): readonly LoggedDecision[];
  /** The decisions about a target, the oldest first: at most 90 days, and 32 MiB for all targets. */
  history(target: TargetName): readonly PastDecision[];
  /** The newest decisions about all targets, at most `count`, the oldest first. */
  recentHistory(count: number): readonly PastDecision[];
  /** The newest decision of each target that has a history, also of those that the machine no longer has. */
  newestInHistory(): readonly RecordedDecision[];
  poller(): PollerLog;
  /** @internal Whether a version was up for an hour in the entry (D104). */
  isProven(target: ActionTarget, version: string): boolean;
  /** @internal The settled actions whose ids are not `known`, in the order of their commit. */
  settled(known: ReadonlySet<string>): readonly outbox.SettledAction[];
}

export function machineStateIn(file: MachineFile): MachineState {
  const { path, sql } = file;
  const reader = memoryReader(file);
  let written: WrittenDecisions | undefined;
  let noted: NotedDecisions | undefined;
  const writing = <T>(work: () => T): T => writeTo(file, work);
  return {
    ...writesOf(sql, {
      facts: (work) => {
        reader.forget('all');
        return writing(work);
      },
      actions: (work) => {
        reader.forget('pending');
        return writing(work);
      },
    }),
    // The memory contains none of this, and no other process writes it.
    log: (decisions, round, inputs = new Map()) => {
      [written, noted] = writing(() => {
        logRound(sql, round);
        return [
          logDecisions(sql, decisions, written ?? writtenDecisions(sql)),
          noteDecisions(sql, decisions, inputs, noted ?? notedDecisions(sql)),
        ];
      });
    },
    memory: () => translated(path, () => reader.read()),
    version: () => translated(path, () => versionIn(sql)),
    decisions: () => translated(path, () => decisionsIn(sql)),
    history: (target) => translated(path, () => historyIn(sql, target)),
    recentHistory: (count) => translated(path, () => recentHistory(sql, count)),
    newestInHistory: () => translated(path, () => newestInHistory(sql)),
    poller: () => translated(path, () => pollerLog(sql)),
    isProven: (target, version) => translated(path, () => isProven(sql, target, version)),
    settled: (known) => translated(path, () => outbox.settledActions(sql, known)),
  };
}

/** Runs `work` in one transaction, and forgets the part of the memory that it changes. */
type Writing = <T>(work: () => T) => T;

type Read =
  | 'log'
  | 'memory'
  | 'version'
  | 'decisions'
  | 'history'
  | 'recentHistory'
  | 'newestInHistory'
  | 'poller'
  | 'isProven'
  | 'settled';

function writesOf(
  sql: Statements,
  { facts: writing, actions }: { readonly facts: Writing; readonly actions: Writing },
): Omit<MachineState, Read> {
  return {
    forget: (target) => writing(() => forgetDeployed(sql, target)),
    report: (target, deployed, at) => writing(() => noteDeployed(sql, target, deployed, { at })),
    commit: (committed, superseded, at) =>
      actions(() => {
        for (const { action } of superseded) {
          const number = outbox.actionNumber(sql, action.id);
          if (number !== undefined) outbox.supersede(sql, number, at);
        }
        return committed.map((action) => outbox.insertAction(sql, action));
      }),
    deliver: (id, at) =>
      actions(() => {
        const number = outbox.actionNumber(sql, id);
        return number !== undefined && outbox.markDelivered(sql, number, at);
      }),
    takeBack: (id, at) => actions(() => outbox.takeBack(sql, id, at)),
    withdraw: (action, at) =>
      writing(() => {
        const number = outbox.actionNumber(sql, action.id);
        const isEnded = number !== undefined && outbox.withdraw(sql, number, at);
        // Whatever became of a restart, the same version is deployed (D41).
        const isUnknown = isEnded && action.direction !== 'restart';
        if (isUnknown) noteDeployed(sql, action.target, undefined, { at });
      }),
    acknowledge: (id, outcome, terms) => writing(() => acknowledge(sql, id, outcome, terms)),
    reportFailure: (target, failure, terms) =>
      writing(() => reportFailure(sql, target, failure, terms)),
    reportWorking: (target, working) => writing(() => noteWorking(sql, target, working)),
    inheritFailures: (target, earlier) => writing(() => inheritFailures(sql, target, earlier)),
    quarantine: (entry) => writing(() => refuse(sql, entry)),
    lift: (moduleId, version) => writing(() => lift(sql, moduleId, version)),
    rollBack: (target, rolledBack, term) => writing(() => rollBack(sql, target, rolledBack, term)),
    ...requestWritesOf(sql, writing),
    ...startWritesOf(sql, writing),
  };
}

function startWritesOf(sql: Statements, writing: Writing): Pick<MachineState, 'start' | 'end'> {
  return {
    start: (at, boot) => writing(() => noteStart(sql, at, boot)),
    end: (at) => writing(() => forgetStart(sql, at)),
  };
}

type RequestWrite =
  | 'requestRestart'
  | 'cancelRestart'
  | 'requestUpgrade'
  | 'endUpgrade'
  | 'skipFloor'
  | 'unskipFloor'
  | 'requestRound'
  | 'endRoundRequests'
  | 'setHold'
  | 'endHold'
  | 'countHold'
  | 'noteHeld'
  | 'endHeld';

/** The writes of what operators request, and of what is held. */
function requestWritesOf(sql: Statements, writing: Writing): Pick<MachineState, RequestWrite> {
  return {
    requestRestart: (target, request) => writing(() => requestRestart(sql, target, request)),
    cancelRestart: (target) => writing(() => cancelRestart(sql, target)),
    requestUpgrade: (target, request) => writing(() => requestUpgrade(sql, target, request)),
    endUpgrade: (target, requestedAt) => writing(() => endUpgrade(sql, target, requestedAt)),
    skipFloor: (target, skip) => writing(() => skipFloor(sql, target, skip)),
    unskipFloor: (target, version) => writing(() => unskipFloor(sql, target, version)),
    requestRound: (target, at) => writing(() => requestRound(sql, target, at)),
    endRoundRequests: () => writing(() => endRoundRequests(sql)),
    setHold: (hold) => writing(() => setHold(sql, hold)),
    endHold: (of, since) => writing(() => endHold(sql, of, since)),
    countHold: (hold, elapsed) => writing(() => countHold(sql, hold, elapsed)),
    noteHeld: (target, held) => writing(() => noteHeld(sql, target, held)),
    endHeld: (target) => writing(() => endHeld(sql, target)),
  };
}

type Statements = MachineFile['sql'];

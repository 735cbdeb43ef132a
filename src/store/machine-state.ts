import type { ActionTarget, ModuleId } from '../core/index.ts';
import type { RolledBack } from '../core/releases/eligibility-policy.ts';
import type {
  ActionOutcome,
  CommittedAction,
  NewAction,
  OpenAction,
} from '../core/plan/committed-action.ts';
import type { LoggedDecision } from '../core/plan/logged-decisions.ts';
import type { MachineMemory, RememberedRestart } from '../core/plan/machine-memory.ts';
import { keyOf, moduleOf } from '../core/plan/target.ts';
import { snapshot, transaction, translated } from '../sqlite/database.ts';
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
import { deployedIn, noteDeployed, type DeployedRecord } from './deployed-versions.ts';
import type { MachineFile } from './machine-file.ts';
import * as outbox from './outbox.ts';
import { lift, quarantine, quarantineIn, versionOf } from './quarantine.ts';

/** The times of an acknowledgement, in milliseconds since the epoch. */
export interface AcknowledgementTerms {
  readonly at: number;
  /** When the quarantine of a version that failed ends; undefined if it does not end by itself. */
  readonly quarantineUntil: number | undefined;
  /** When an action that failed because of the machine is delivered again. */
  readonly retryAt: number;
}

/**
 * A machine's memory of deployed versions, open actions and failed releases. What a method writes is on the disk when
 * it returns. All throw a DatabaseError if the file cannot be used.
 */
export interface MachineState {
  memory(): MachineMemory;
  /** Notes the deployed version: `null` for none, undefined if it is not known. (D14) */
  report(target: ActionTarget, running: string | null | undefined, at: number): void;
  /**
   * Ends the waiting actions of `superseded`, and gives each new one its id. A target has one open action
   * at most: a second one throws.
   */
  commit(
    actions: readonly NewAction[],
    superseded: readonly OpenAction[],
    at: number,
  ): CommittedAction[];
  /** Whether the action was open: only then may it be executed. */
  deliver(id: string, at: number): boolean;
  /** Ends an action that was delivered. Its target's deployed version is then unknown. */
  withdraw(action: CommittedAction, at: number): void;
  /** The action that was acknowledged; undefined if no open action of this id was delivered. */
  acknowledge(
    id: string,
    outcome: ActionOutcome,
    terms: AcknowledgementTerms,
  ): NewAction | undefined;
  /** Whether the version was in quarantine. */
  lift(moduleId: ModuleId, version: string): boolean;
  /**
   * Puts the deployed version into quarantine for an operator, so that the previous one replaces it. False if
   * another version is deployed by now. (D13)
   */
  rollBack(target: ActionTarget, rolledBack: RolledBack, at: number): boolean;
  /** Notes that a poller starts. */
  start(at: number): void;
  /** Logs the decisions, and the round whose lists they are based on. */
  log(decisions: readonly LoggedDecision[], round: LoggedRound): void;
  decisions(): readonly LoggedDecision[];
  poller(): PollerLog;
}

const KEPT_STARTS = 10;

export function machineStateIn(file: MachineFile): MachineState {
  const { path, database, sql } = file;
  const reader = memoryReader(file);
  let written: WrittenDecisions | undefined;
  const writing = <T>(work: () => T): T => translated(path, () => transaction(database, work));
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
    // The memory holds none of this, and no other process writes it.
    log: (decisions, round) => {
      written = writing(() => {
        logRound(sql, round);
        return logDecisions(sql, decisions, written ?? writtenDecisions(sql));
      });
    },
    memory: () => translated(path, () => reader.read()),
    decisions: () => translated(path, () => decisionsIn(sql)),
    poller: () => translated(path, () => pollerLog(sql)),
  };
}

/** Keeps what was read until it is forgotten, or another process writes. */
function memoryReader({ database, sql }: MachineFile): {
  readonly read: () => MachineMemory;
  readonly forget: (what: 'all' | 'pending') => void;
} {
  let version: number | undefined;
  let facts: Facts | undefined;
  let memory: MachineMemory | undefined;
  return {
    read() {
      const now = Number(sql.get('PRAGMA data_version')?.['data_version']);
      if (now !== version) facts = memory = undefined;
      version = now;
      memory ??= snapshot(database, () => memoryOf((facts ??= factsIn(sql)), pendingIn(sql)));
      return memory;
    },
    forget(what) {
      memory = undefined;
      if (what === 'all') facts = undefined;
    },
  };
}

type Writes = Omit<MachineState, 'log' | 'memory' | 'decisions' | 'poller'>;

/** Does all of `work` or nothing, and forgets what it changes. */
type Writing = <T>(work: () => T) => T;

function writesOf(
  sql: Statements,
  { facts: writing, actions }: { readonly facts: Writing; readonly actions: Writing },
): Writes {
  return {
    report: (target, running, at) => writing(() => noteDeployed(sql, target, running, at)),
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
    withdraw: (action, at) =>
      writing(() => {
        const number = outbox.actionNumber(sql, action.id);
        const isEnded = number !== undefined && outbox.withdraw(sql, number, at);
        if (isEnded) noteDeployed(sql, action.target, undefined, at);
      }),
    acknowledge: (id, outcome, terms) => writing(() => acknowledge(sql, id, outcome, terms)),
    lift: (moduleId, version) => writing(() => lift(sql, moduleId, version)),
    rollBack: (target, rolledBack, at) => writing(() => rollBack(sql, target, rolledBack, at)),
    start: (at) => writing(() => noteStart(sql, at)),
  };
}

function noteStart(sql: Statements, at: number): void {
  sql.run('INSERT INTO starts (at) VALUES (?)', at);
  sql.run('DELETE FROM starts WHERE id <= (SELECT max(id) FROM starts) - ?', KEPT_STARTS);
}

type Statements = MachineFile['sql'];

const NOTHING: DeployedRecord = {
  moduleId: '',
  deployed: { kind: 'unknown' },
  previous: undefined,
};

/** The part of the memory that deliveries do not change. */
type Facts = Omit<MachineMemory, 'of' | 'open'> & {
  readonly deployed: ReadonlyMap<string, DeployedRecord>;
};

function factsIn(sql: Statements): Facts {
  const deployed = deployedIn(sql);
  const starts = sql.all('SELECT at FROM starts ORDER BY id').map(({ at }) => Number(at));
  return { deployed, quarantine: quarantineIn(sql), starts, isBlank: deployed.size === 0 };
}

/** The part of the memory that deliveries change. */
interface Pending {
  readonly open: readonly OpenAction[];
  readonly restarts: ReadonlyMap<string, readonly RememberedRestart[]>;
}

function pendingIn(sql: Statements): Pending {
  const restarts = Map.groupBy(outbox.restartsIn(sql), ({ key }) => key);
  return { open: outbox.openActions(sql), restarts };
}

function memoryOf(facts: Facts, { open, restarts }: Pending): MachineMemory {
  const { deployed, ...rest } = facts;
  const quarantined = Map.groupBy(facts.quarantine, ({ moduleId }) => moduleId);
  return {
    ...rest,
    open,
    of(target) {
      const key = keyOf(target);
      const record = deployed.get(key);
      // What is known of another module with this name says nothing of this one.
      const known = record?.moduleId === moduleOf(target) ? record : NOTHING;
      return {
        deployed: known.deployed,
        previous: known.previous,
        restarts: restarts.get(key) ?? [],
        quarantine: quarantined.get(moduleOf(target)) ?? [],
      };
    },
  };
}

function acknowledge(
  sql: Statements,
  id: string,
  outcome: ActionOutcome,
  { at, quarantineUntil, retryAt }: AcknowledgementTerms,
): NewAction | undefined {
  const number = outbox.actionNumber(sql, id);
  const known = number === undefined ? undefined : outbox.acknowledgeable(sql, number);
  if (number === undefined || !known) return undefined;
  const { action, isWithdrawn } = known;
  const { target, to, artifact } = action;
  const running = outcome.kind === 'done' ? to : outcome.running;
  if (isWithdrawn) {
    // A late acknowledgement still says what is deployed, unless that was reported since.
    const record = deployedIn(sql).get(keyOf(target));
    if (record?.deployed.kind !== 'unknown') return undefined;
  }
  noteDeployed(sql, target, running, at);
  // An address has no version to put into quarantine.
  if (outcome.kind === 'failed' && outcome.blame === 'release' && versionOf(to)) {
    const { digest } = artifact ?? {};
    const entry = { moduleId: moduleOf(target), version: to, digest, reason: outcome.reason };
    quarantine(sql, { ...entry, since: at, until: quarantineUntil });
  }
  outbox.settle(sql, number, outcome, { at, retryAt: isWithdrawn ? undefined : retryAt });
  return action;
}

function rollBack(
  sql: Statements,
  target: ActionTarget,
  rolledBack: RolledBack,
  at: number,
): boolean {
  const { deployed } = memoryOf(factsIn(sql), pendingIn(sql)).of(target);
  const { text: version } = rolledBack.from;
  if (deployed.kind !== 'version' || deployed.version.text !== version) return false;
  const reason = 'rolled back by an operator';
  quarantine(sql, { moduleId: moduleOf(target), version, since: at, reason, rolledBack });
  return true;
}

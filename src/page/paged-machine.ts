import type { Plan, Result } from '../core/index.ts';
import type { TargetNotes } from '../host/target-notes.ts';
import type { ModuleProcess } from '../host/status/module-processes.ts';
import type { LogPart, LogQuery } from '../host/machine-log.ts';
import type { MachineMark } from '../host/machine-mark.ts';
import type { Answered } from '../host/resolution-document.ts';
import type { Status } from '../host/status/machine-status.ts';
import type { MachineChanges } from './machine-changes.ts';
import type { FoundProblem, PageProblem } from './page-problem.ts';

/** A machine as the page sees it. Each method reads the documents and machine.db again. */
export interface PagedMachine extends MachineChanges {
  /** The name of the machine on its page. */
  readonly title: string;
  /** What is planned now, from the saved lists: no registry is contacted. */
  view(): Promise<Result<MachineView, PageProblem[]>>;
  /** The list of a module entry, and what its constraint selects. */
  explain(name: string): Promise<Result<Answered, PageProblem[]>>;
  /** The notes of the release that a module gets next, from its registry (D415). */
  notes(name: string): Promise<Result<TargetNotes, PageProblem[]>>;
  /** The newest decisions, of one module or of all, the newest first. */
  history(named: string | undefined): Result<readonly HistoryEntry[], PageProblem[]>;
  /** The newest records of the agent's log, the oldest first. */
  logs(query: LogQuery): Result<LogPart, PageProblem[]>;
  /** Texts that differ when the documents and machine.db, or the log, have changed. Nothing is opened for them. */
  mark(): MachineMark;
  /** Fetches the release lists now. */
  look(): Promise<Result<void, PageProblem[]>>;
}

/** What the page shows of a machine at one moment. */
export interface MachineView {
  readonly title: string;
  /** In milliseconds since the epoch. */
  readonly now: number;
  readonly plan: Plan;
  /** By target key: the versions that are held and whose packages are there. */
  readonly downloaded: ReadonlyMap<string, string>;
  /** By the name of the module entry: what modreg's agent runs. */
  readonly processes: ReadonlyMap<string, ModuleProcess>;
  /** The state in machine.db; undefined if no agent has run here yet. */
  readonly state: Status | undefined;
  /** Where the lists are from, and how old the oldest is. */
  readonly lists: string | undefined;
  /** The time zone of the policy. */
  readonly timeZone: string | undefined;
  /** What an operator should know, besides the rows: errors and warnings. */
  readonly problems: readonly FoundProblem[];
  /** The documents of `modreg plan --json` and `modreg status --json`. */
  readonly documents: () => { readonly plan: object; readonly status: object };
}

/** A decision of the past in words. */
export interface HistoryEntry {
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly name: string;
  readonly label: string;
  /** `upgraded 1.2.3 → 1.2.9`. */
  readonly event: string;
  readonly why: string;
  /** What made this decision replace the one before it. */
  readonly causes: readonly string[];
  /** As `modreg why --json` has it: `upgrade`, `hold`. */
  readonly decision: string;
  readonly deployed: string;
  readonly target: string | undefined;
}

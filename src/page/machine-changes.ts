import type { Result, Stop } from '../core/index.ts';
import type { Said, TimeContext } from '../core/text/time-words.ts';
import type { PageProblem } from './page-problem.ts';

type Answer<T> = Promise<Result<T, PageProblem[]>>;

/**
 * What a person may change on a machine. Each method reads the documents and machine.db again. An answer that is text is the
 * document of the command with --json.
 */
export interface MachineChanges {
  previewRestart(name: string, request: RestartWish): Answer<RestartPreview>;
  restart(name: string, request: RestartWish & Seen): Answer<string>;
  cancelRestart(name: string): Answer<string>;
  previewRollback(name: string, term: Term): Answer<RollbackPreview>;
  rollBack(name: string, term: Term & Seen): Answer<string>;
  quarantine(): Answer<QuarantineList>;
  quarantineVersion(refused: NewQuarantine): Answer<string>;
  liftQuarantine(entry: QuarantinedVersion): Answer<string>;
  /** What each version type would do with a module. */
  compare(name: string): Answer<VersionChoices>;
  changeVersion(name: string, change: VersionChange): Answer<SavedConfig>;
  config(): Answer<ShownConfig>;
  checkConfig(text: string): Answer<ConfigCheck>;
  saveConfig(change: ConfigChange): Answer<SavedConfig>;
}

export interface RestartWish {
  /** Whether it passes the maintenance window. */
  readonly isImmediate: boolean;
}

/** What the person saw who asks for a change; undefined if a program asks that did not look. */
interface Seen {
  readonly deployed?: string | undefined;
  /** Of a rollback: the version that replaces the deployed one. */
  readonly to?: string | undefined;
}

interface Term {
  /** How long a rollback or a quarantine lasts, in milliseconds; undefined if until it is lifted. */
  readonly termMs: number | undefined;
}

export interface RestartPreview {
  readonly label: string;
  readonly deployed: string;
  /** As `modreg restart` prints it. */
  readonly lines: readonly string[];
  /** In the order in which they stop. */
  readonly stops: readonly Stop[];
  /** What happens in the same restart. */
  readonly shares: readonly string[];
  /** Whether a restart is requested already. */
  readonly isRequested: boolean;
}

export interface RollbackPreview {
  readonly label: string;
  readonly from: string;
  readonly to: string;
  /** As `modreg rollback` prints it. */
  readonly lines: readonly string[];
}

interface QuarantinedVersion {
  readonly moduleId: string;
  readonly version: string;
  /** When the entry that the person saw began, as text of RFC 3339. */
  readonly since?: string | undefined;
}

interface NewQuarantine {
  /** The name of an entry, or a module_id. */
  readonly module: string;
  readonly version: string;
  readonly reason: string | undefined;
  /** A duration: `7d`. */
  readonly for: string | undefined;
}

export interface QuarantineList {
  readonly entries: readonly (Required<QuarantinedVersion> & {
    readonly since: string;
    /** When it ends, for a person. */
    readonly until: string;
    readonly reason: string;
  })[];
  /** The document of `modreg quarantine list --json`. */
  readonly json: string;
}

/** The five version types of a module, and what each would do. */
export interface VersionChoices {
  readonly name: string;
  readonly label: string;
  readonly moduleId: string;
  readonly deployed: string;
  /** The constraint that the machine config has. */
  readonly constraint: string;
  readonly etag: string;
  /** How times are shown. */
  readonly times: TimeContext;
  /** What is planned with that constraint. */
  readonly now: PlannedOutcome;
  readonly choices: readonly VersionChoice[];
}

/** What is planned for a module. */
export interface PlannedOutcome {
  /** The word of the decision: `upgrade`, `hold`, `up-to-date`. */
  readonly decision: string;
  readonly direction: string | undefined;
  readonly target: string | undefined;
  /** Its times are those of RFC 3339. */
  readonly reason: Said;
  readonly nextChange: Said | undefined;
  readonly isNewMajor: boolean;
  /** In the order in which they stop. */
  readonly stops: readonly Stop[];
  /** What else happens in the same restart. */
  readonly shares: readonly string[];
}

export interface VersionChoice extends PlannedOutcome {
  readonly type: string;
  readonly constraint: string;
  /** Whether the machine config has it already. */
  readonly isCurrent: boolean;
  /** What `modreg check` finds in the changed document. */
  readonly check: DocumentCheck;
  /** The line that changes: `machine.json:18 "1.2.*" -> "1.*"`. */
  readonly line: string;
}

export interface VersionChange {
  readonly version: string;
  readonly etag: string;
  readonly deployed?: string | undefined;
}

export interface DocumentCheck {
  readonly errors: number;
  readonly warnings: number;
  readonly findings: readonly Finding[];
}

interface Finding {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly line: number;
  readonly column: number;
  /** A JSON Pointer. */
  readonly path: string;
  readonly message: string;
}

export interface ShownConfig {
  /** The name of the file. */
  readonly file: string;
  /** With `"•••"` instead of secrets. */
  readonly text: string;
  readonly etag: string;
}

export interface ConfigCheck extends DocumentCheck {
  /** The decisions that would be others; undefined if the document has errors, or the machine cannot be planned. */
  readonly changes: readonly DecisionChange[] | undefined;
  /** Why the changes are not known, if that is not an error of the document. */
  readonly problems: readonly PageProblem[];
}

export interface DecisionChange {
  readonly kind: 'module' | 'subsystem';
  readonly name: string;
  /** In words; undefined if the machine does not have it. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

interface ConfigChange {
  readonly text: string;
  readonly etag: string;
}

export interface SavedConfig {
  readonly etag: string;
  readonly isChanged: boolean;
  /** What was changed. */
  readonly lines: readonly string[];
}

import type { DocumentEdit } from '../config/document-edit.ts';
import type { Result } from '../core/index.ts';
import type { RestartRequest } from '../core/decision/restart-request.ts';
import type { LoggedDecision } from '../core/plan/logged-decisions.ts';
import type { ConfigCheck, ShownConfig } from '../host/config/checked-config.ts';
import type { EditableMachine, MachineEdit } from '../host/config/document-edits.ts';
import type { SavedConfig } from '../host/config/config-file.ts';
import type { VersionChange, VersionChoices } from '../host/config/version-choices.ts';
import type { EndedHold, Holds, SetHold } from '../host/requests/holds.ts';
import type { HoldWish } from '../host/requests/hold-wish.ts';
import type { Lifted, Quarantine, Refusal, RefusedVersion } from '../host/requests/quarantine.ts';
import type { RestartEffects } from '../host/requests/restart-effects.ts';
import type { Restart } from '../host/requests/restart.ts';
import type { AskedUpgrade } from '../host/requests/requested-round.ts';
import type { UpgradeWish } from '../host/requests/upgrade-wish.ts';
import type { Upgrade } from '../host/requests/upgrade.ts';
import type { Rollback } from '../host/requests/rollback.ts';
import type { PageProblem } from './page-problem.ts';

type Answer<T> = Promise<Result<T, PageProblem[]>>;
type Wish = Pick<RestartRequest, 'isImmediate'>;

/** What a person may change on a machine. Each method reads the documents and machine.db again. */
export interface MachineChanges {
  previewRestart(name: string, request: Wish): Answer<RestartPreview>;
  restart(name: string, request: Wish & Seen & Asking): Answer<Restart>;
  cancelRestart(name: string): Answer<LoggedDecision>;
  previewUpgrade(name: string): Answer<Upgrade>;
  /** Reads the list of a module, and says what holds the release that it selects. */
  askUpgrade(name: string): Answer<AskedUpgrade>;
  upgrade(wish: UpgradeWish): Answer<Upgrade>;
  previewRollback(name: string, term: Term): Answer<Rollback>;
  rollBack(name: string, term: Term & Seen & Asking): Answer<Rollback>;
  quarantine(): Answer<Quarantine>;
  quarantineVersion(refused: RefusedVersion): Answer<Refusal>;
  liftQuarantine(entry: QuarantinedVersion): Answer<Lifted>;
  holds(): Answer<Holds>;
  setHold(wish: HoldWish): Answer<SetHold>;
  endHold(hold: SeenHold): Answer<EndedHold>;
  /** What each version type would do with a module, and the constraint that a person typed. */
  compare(name: string, typed?: string): Answer<VersionChoices>;
  changeVersion(name: string, change: VersionChange): Answer<SavedConfig>;
  editable(): Result<EditableMachine, PageProblem[]>;
  /** What saving an edit means on a machine that follows a site; none on another. */
  editWarnings(): readonly PageProblem[];
  /** What an edit would change. */
  previewEdit(edit: DocumentEdit): Answer<MachineEdit>;
  /** Saves an edit of the documents that the person saw. */
  saveEdit(edit: DocumentEdit, etag: string): Result<void, PageProblem[]>;
  config(): Answer<ShownConfig>;
  checkConfig(text: string): Answer<CheckedConfig>;
  saveConfig(change: Pick<ShownConfig, 'text' | 'etag'>): Answer<SavedConfig>;
}

/** What the person saw who asks for a change; undefined if a program asks that did not look. */
interface Seen {
  readonly deployed?: string | undefined;
  /** Of a rollback: the version that replaces the deployed one. */
  readonly to?: string | undefined;
}

/** Who asks (D489); undefined if that is not known. */
interface Asking {
  readonly by?: string | undefined;
}

interface Term {
  /** How long a rollback or a quarantine lasts, in milliseconds; undefined if until it is lifted. */
  readonly termMs: number | undefined;
}

/** A restart, with what else happens in it. */
export type RestartPreview = Restart & RestartEffects;

interface SeenHold {
  /** The name of an entry or a subsystem; undefined for the machine. */
  readonly named: string | undefined;
  /** When the hold that the person saw began, as text of RFC 3339. */
  readonly since?: string | undefined;
}

interface QuarantinedVersion {
  readonly moduleId: string;
  readonly version: string;
  /** When the entry that the person saw began, as text of RFC 3339. */
  readonly since?: string | undefined;
}

/** What was found in a machine config, and what it would change. */
export type CheckedConfig = Omit<ConfigCheck, 'problems'> & {
  readonly problems: readonly PageProblem[];
};

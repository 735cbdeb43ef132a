import type { Stop } from '../core/index.ts';
import type { RowState } from '../core/plan/row-state.ts';
import type { Said, TimeContext } from '../core/text/time-words.ts';
import type { ModuleProcess } from '../host/status/module-processes.ts';

/** What a card says about a module or a subsystem, in words: on the page of the machine, and on that of its site (D413). */
export interface CardRow {
  readonly kind: 'module' | 'subsystem';
  readonly name: string;
  readonly label: string;
  readonly moduleId: string;
  /** The address of its page; undefined if it has none. */
  readonly path: string | undefined;
  readonly state: RowState;
  readonly constraint: string;
  readonly deployed: string;
  readonly target: string;
  /** Whether the target replaces what is deployed. */
  readonly isChange: boolean;
  /** Undefined if it is not known here. */
  readonly latest: string | undefined;
  /** Who signed what is selected, else what is deployed; undefined if it is not known here. */
  readonly signatures: string | undefined;
  /** What matters most (D352). */
  readonly headline: Said;
  readonly nextChange: Said | undefined;
  /** The version that is held and whose package is there; undefined if there is none (D78). */
  readonly downloaded: string | undefined;
  /** What runs now (D353); undefined if nothing does, or if it cannot be seen. */
  readonly process: ModuleProcess | undefined;
  /** What is in quarantine, and until when (D389). */
  readonly quarantined: readonly Said[];
  /** What a person can do about the deployed release; undefined if it was not yanked, or is replaced. */
  readonly remedy: string | undefined;
  /** The release that is deployed next, if it has notes, and where they are (D380); undefined without. */
  readonly notes: { readonly version: string; readonly path: string } | undefined;
  readonly stops: readonly Stop[];
  /** The warnings that the headline and the reasons do not say. */
  readonly warnings: readonly Said[];
  /** The complete reason, a paragraph each. */
  readonly reasons: readonly Said[];
  /** How its times are shown. */
  readonly times: TimeContext;
}

import type { Edit } from '../decision/warning.ts';
import type { ListError, StaleList } from '../decision/module-list.ts';
import type { RequiredRow } from '../plan/requirement-outlook.ts';
import type { Refusal } from '../releases/refusal.ts';
import type { ResolveInput, Unsatisfied } from '../releases/resolve.ts';
import type { Platform } from '../releases/platform.ts';
import type { Version } from '../version/version.ts';

/** What a machine config says of a module or a subsystem, and the release lists contradict. */
export type LintFinding = {
  /** The module entry or the subsystem. */
  readonly row: RequiredRow;
} & (
  | {
      /** There is no list to check against. */
      readonly kind: 'no-list';
      readonly error: ListError;
    }
  | {
      /** The registry did not answer, and the saved list is used, unless it is too old. */
      readonly kind: 'stale-list';
      readonly stale: StaleList;
      readonly isTooOld: boolean;
    }
  | {
      /** Each release of the list is refused for good (D115, D116). */
      readonly kind: 'nothing-matches';
      readonly unsatisfied: Unsatisfied;
    }
  | {
      /** The pinned release is one that should no longer be used (D116). */
      readonly kind: 'yanked' | 'deprecated';
      /** What else may be selected. */
      readonly input: ResolveInput;
      readonly version: Version;
      /** The reason, `""` if none was given. */
      readonly because: string;
    }
  | ({ readonly kind: 'platform-missing' } & MissingPlatform)
  | {
      /** The constraint is `0.*` (D117). */
      readonly kind: 'zero-major';
      /** The minor number of the newest release that it may select; undefined if there is none. */
      readonly minor: number | undefined;
    }
  | ({
      /** The newest release that would be selected requires what nothing on this machine will meet (D118). */
      readonly kind: 'requirement-unreachable';
      readonly edit: Edit;
      /** The release that would meet it, and why this machine refuses it for good; undefined if that is not the reason. */
      readonly refused: { readonly version: Version; readonly against: Refusal } | undefined;
      readonly isOnly: boolean;
    } & Required)
  | {
      /** Releases that require each other, so that none can be the first (D118). */
      readonly kind: 'requires-cycle';
      /** What each requires of the next one; the last requires the first. */
      readonly steps: readonly Step[];
      readonly isOnly: boolean;
    }
  | ({
      /** The entry never gets what a release requires of all entries of its module, and another entry does (D119). */
      readonly kind: 'excluded-entry';
      /** Whose release requires it. */
      readonly by: RequiredRow;
      /** The entry of the same module that may fit. */
      readonly other: RequiredRow;
    } & Required)
  | {
      /** What two rows should run requires what no version meets that the machine may get (D119). */
      readonly kind: 'excluding-rows';
      readonly first: Step;
      readonly second: Step;
    }
);

/** What a release requires. */
export interface Required {
  /** The version of the release. */
  readonly version: Version;
  /** `platform-server`, `platform-agent` or a module id; `tags` for a tag. */
  readonly of: string;
  /** The range, or the tag. */
  readonly range: string;
}

/** What the release of a row requires. */
export interface Step extends Required {
  readonly row: RequiredRow;
}

/** A release of a branch that the machine cannot run (D117). */
export interface MissingPlatform {
  /** The newest release that is not refused otherwise. */
  readonly version: Version;
  readonly platform: Platform;
  /** The platforms that it is published for. */
  readonly published: readonly string[];
  /** How long ago it was published, in milliseconds. */
  readonly ageMs: number;
  /** The newest release that has a file for the platform; undefined if there is none. */
  readonly instead: Version | undefined;
}

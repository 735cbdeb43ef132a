import type { JudgedClock } from './judge.ts';
import type { JudgedEntry } from './judged-entry.ts';
import type { JudgedMachineParts } from './judged-requirements.ts';
import type { JudgedAge } from './judged-terms.ts';

/* What the judge of a plan knows of a machine. */

/** What a module that would stop says against it. */
export type JudgedVeto = Readonly<Record<'isOverridable' | 'isNamed', boolean>>;

export interface JudgedModule {
  /** For a subsystem also the address of a `pin_url`. */
  readonly constraint: string;
  readonly isSubsystem?: boolean;
  /** `null` when nothing is deployed, undefined when unknown. */
  readonly deployed: string | null | undefined;
  readonly previous: string | undefined;
  /** The release that failed, if no deployed version was reported since. */
  readonly failed: string | undefined;
  /** Undefined when no list could be read. */
  readonly list: readonly JudgedEntry[] | undefined;
  /** Set if the list is a saved one, used because the registry gave none. */
  readonly confirmedAt: number | undefined;
  /** When a list that is not a saved one was confirmed; undefined for now. */
  readonly readAt: number | undefined;
  /** What is wrong with the machine's clock; undefined if nothing is known to be. (D57) */
  readonly clock?: JudgedClock | undefined;
  /** When the releases were first seen, and the deployed version as yanked. (D99) */
  readonly firstSeen?:
    | {
        readonly since: number;
        readonly added: ReadonlyMap<string, { readonly after: number; readonly at: number }>;
      }
    | undefined;
  readonly quarantine: readonly {
    readonly version: string;
    readonly until?: number | undefined;
    /** It failed in another entry. */
    readonly isElsewhere?: boolean | undefined;
  }[];
  /** Floors that an operator skipped. */
  readonly skipped?: readonly string[] | undefined;
  readonly restarts: readonly number[];
  /** The restart that an operator requested. */
  readonly request: { readonly isImmediate: boolean } | undefined;
  /** The hold of an operator, since when, and how long it lasts. */
  readonly hold?: { readonly from: number; readonly ms: number } | undefined;
  /** The replacement at once that an operator requested, and when. */
  readonly wish?:
    | { readonly from: string | null | undefined; readonly to: string; readonly at: number }
    | undefined;
  /** What of the modules that would stop must not, and whether the wish names it. */
  readonly vetoes?: readonly JudgedVeto[] | undefined;
  /** Whether its replacements have been held for as long as the policy allows. */
  readonly isOverdue?: boolean | undefined;
  readonly terms: JudgedTerms;
}

export interface JudgedTerms {
  readonly minimumAge: JudgedAge & { readonly unknown: 'refuse' | 'allow' };
  /** What the site refuses: `1.2.7`, `1.3.*` or `1.*`; absent for nothing. (D94) */
  readonly refuse?: readonly string[] | undefined;
  readonly allowDowngrade: boolean;
  readonly replacesYanked: boolean;
  readonly requireDigest: boolean;
  /** The times at which the window is open; undefined for always. */
  readonly openings: readonly (readonly [number, number])[] | undefined;
  /** The times in which it is not open, whatever `openings` says; absent if there are none. */
  readonly blackouts?:
    | readonly { readonly from: number; readonly until: number; readonly timeZone: string }[]
    | undefined;
  readonly restMs: number;
  readonly ceiling: number;
  readonly maxIndexAgeMs: number;
}

export interface JudgedMachine {
  readonly now: number;
  readonly platform: string;
  readonly machineId: string | undefined;
  readonly group: string | undefined;
  readonly isAsOf: boolean;
  readonly isServerBusy: boolean;
  readonly answer: string | undefined;
  readonly isDisabled: boolean;
  /** The modules acme:m0, acme:m1, … whose versions others may require; absent if none does. (D86) */
  readonly modules?: readonly Pick<JudgedModule, 'deployed'>[] | undefined;
  /** What the machine is tagged with; absent for nothing. */
  readonly tags?: readonly string[] | undefined;
  /** Instead of both: what the machine has. */
  readonly has?: JudgedMachineParts | undefined;
}

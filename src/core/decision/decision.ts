import type { Constraint } from '../version/constraint.ts';
import type { Deployed } from './deployed.ts';
import type { ModuleList } from './module-list.ts';
import type { Eligibility, Quarantined } from '../releases/eligibility-policy.ts';
import type { Platform } from '../releases/platform.ts';
import type { RefusedPin, Refused } from '../releases/refusal.ts';
import type { Release } from '../releases/release.ts';
import type { Resolution } from '../releases/resolve.ts';
import type { Timing, Hold } from './timing-policies.ts';
import type { Version } from '../version/version.ts';

/**
 * What the configuration requires: a release that satisfies a constraint, a download from an address, or nothing, for a
 * local module or a subsystem with `disable_subsystem`.
 */
export type Requirement =
  | Constraint
  | {
      readonly kind: 'pin-url';
      /** The download address. The version of the download is not checked. */
      readonly url: string;
      /** The `pin_version` that the address takes precedence over; undefined if none is set. */
      readonly shadowed: Version | undefined;
    }
  | { readonly kind: 'local' }
  | { readonly kind: 'disabled' };

/** Everything that the decision about one module or subsystem depends on. */
export interface DecideInput {
  /** What the configuration requires. */
  readonly requirement: Requirement;
  /** The releases to select from. */
  readonly list: ModuleList;
  /** The deployed version, as far as it is known. */
  readonly deployed: Deployed;
  /** The version that was deployed before; undefined if it is not known. A rollback prefers it. */
  readonly previous: Version | undefined;
  /** The version that failed last, if no deployed version was reported since; absent if there is none (D37). */
  readonly failed?: Version | undefined;
  /** The versions that failed on this machine or were rolled back. */
  readonly quarantine: readonly Quarantined[];
  /** The floors that this machine passes without running them; absent if there are none (D92). */
  readonly skippedFloors?: NonNullable<Eligibility['floors']>['skipped'];
  /** The time of the decision, and which releases the policy allows. */
  readonly eligibility: Pick<
    Eligibility,
    'now' | 'minimumAge' | 'notAfter' | 'artifactRules' | 'refuse' | 'machine'
  > & {
    /** The platform of the machine. */
    readonly platform: Platform;
    /** The machine's id, which determines its place in rollouts; absent if it has none. */
    readonly machineId?: string | undefined;
    /** The machine's group, which a rollout may include first; absent if it has none. */
    readonly group?: string | undefined;
  };
  /** A saved list is used if the registry confirmed it at most this many milliseconds ago. */
  readonly maxIndexAgeMs: number;
  /** Whether a lower version may replace a deployed one that the constraint does not accept. */
  readonly allowDowngrade: boolean;
  /** What to do if the deployed version was yanked, unless it is pinned: `keep` by default (D33). */
  readonly onYank?: 'keep' | 'replace' | undefined;
  /** The restart of what is deployed, as an operator requested it; absent if no request is open (D41). */
  readonly restartRequest?:
    | {
        /** In milliseconds since the epoch. */
        readonly requestedAt: number;
        /** Whether nothing holds it: no window, no answer on maintenance, no busy server. */
        readonly isImmediate: boolean;
        /** Who requested it, and why; absent if that is not known. */
        readonly requester?:
          Pick<NonNullable<DecideInput['upgradeRequest']>, 'by' | 'because'> | undefined;
      }
    | undefined;
  /** The replacement at once that an operator requested; absent if no request is open (D76). */
  readonly upgradeRequest?:
    | {
        /** In milliseconds since the epoch. */
        readonly requestedAt: number;
        /** Who requested it. */
        readonly by: string;
        /** Why, as that person wrote it; undefined if no reason was given. */
        readonly because: string | undefined;
        /** What was deployed then; undefined if nothing was. */
        readonly from: string | undefined;
        /** The version or the address that was selected then. */
        readonly to: string;
        /** The vetoes that the operator saw and named. */
        readonly despite: readonly {
          /** The name of the module entry. */
          readonly by: string;
          /** Why, in its own words; undefined if it gave no reason. */
          readonly said: string | undefined;
        }[];
      }
    | undefined;
  /** What determines whether the replacement may start now. */
  readonly timing: Timing;
}

/**
 * What to do about one module or subsystem now, with the facts that led to it: keep the deployed version, replace it,
 * replace it later (`hold`), or do nothing until an operator or a registry acts (`stuck`).
 */
export type Decision = {
  /** The input of the decision. */
  readonly input: DecideInput;
} & (
  | {
      readonly kind: 'keep';
      /** The module is local, or `disable_subsystem` is set. */
      readonly because: 'local' | 'disabled';
      readonly resolution?: undefined;
    }
  | {
      readonly kind: 'keep';
      readonly because: 'up-to-date';
      /** The release that the constraint selects; absent for a `pin_url`. */
      readonly resolution?: Resolution;
    }
  | {
      readonly kind: 'keep';
      readonly because: 'ahead';
      /** Why the deployed version could not be selected again; undefined if it could, or if it is not a version. */
      readonly against:
        | {
            readonly kind: 'refused';
            /** The deployed release, and why it is refused. */
            readonly refused: Refused;
          }
        | {
            readonly kind: 'not-listed';
            /** Its quarantine; undefined if it is not quarantined. */
            readonly failure: Failure | undefined;
          }
        | undefined;
      /** The release that the constraint selects. */
      readonly resolution: Resolution;
    }
  | Replacement
  | {
      readonly kind: 'hold';
      /** The replacement to make once nothing holds it. */
      readonly replacement: Replacement;
      /** All reasons that hold it. */
      readonly because: readonly Hold[];
      /** The earliest time at which nothing holds it, in milliseconds since the epoch; undefined if not known. */
      readonly until: number | undefined;
      /** The release that the constraint selects; undefined for a `pin_url`. */
      readonly resolution?: Resolution | undefined;
    }
  | ({ readonly kind: 'stuck' } & (
      | {
          readonly code: 'deployed-unknown';
          /** Present if a release failed and its quarantine has ended. */
          readonly resolution?: Resolution | undefined;
        }
      | {
          readonly code: 'no-list';
          /** Why there is no list. */
          readonly error: Extract<ModuleList, { readonly error: unknown }>['error'];
          readonly resolution?: undefined;
        }
      | {
          readonly code: 'list-stale';
          /** The saved list, confirmed too long ago. */
          readonly stale: NonNullable<Extract<ModuleList, { readonly index: unknown }>['stale']>;
          readonly resolution?: undefined;
        }
      | {
          /** No release may be selected, or the pinned version is not in the list. */
          readonly code: 'no-match' | 'pin-not-published';
          /** Why each entry of the list is refused. */
          readonly resolution: Extract<Resolution, { kind: 'unsatisfied' }>;
        }
      | {
          readonly code: 'quarantined';
          /** Why each entry of the list is refused. */
          readonly resolution: Extract<Resolution, { kind: 'unsatisfied' }>;
          /** The failure of the pinned version. */
          readonly failure: Failure;
        }
      | {
          /** Why the pinned release is refused. */
          readonly code: Exclude<RefusedPin['reason'], 'quarantined'>;
          /** Why each entry of the list is refused. */
          readonly resolution: Extract<Resolution, { kind: 'unsatisfied' }>;
          /** The pinned release. */
          readonly refused: RefusedPin;
        }
      | {
          /** A floor below all that could be selected is refused on this machine (D90). */
          readonly code: 'behind-floor';
          /** The floor, and why it is refused. */
          readonly refused: Exclude<Refused, { readonly reason: 'not-a-version' }>;
          /** The release that the constraint selects, if there is one, and why each other entry is refused. */
          readonly resolution: Resolution;
        }
    ))
);

/** Why a deployed version that is kept could not be selected again: it is refused, or it is not in the list. */
export type Against = NonNullable<Extract<Decision, { readonly because: 'ahead' }>['against']>;

/** Nothing can be decided, or no release may be selected and the deployed version is not accepted either. */
export type Stuck = Extract<Decision, { readonly kind: 'stuck' }>;

/** A decision without its input. */
export type Verdict = WithoutInput<Decision>;

type WithoutInput<T> = T extends unknown ? Omit<T, 'input'> : never;

/** A version in quarantine, because it failed on this machine or an operator rolled it back. */
export interface Failure {
  /** The version that failed. */
  readonly version: Version;
  /** When the quarantine ends, in milliseconds since the epoch; undefined if it has no time limit. */
  readonly until: number | undefined;
  /** Whether an operator rolled it back. */
  readonly isRolledBack: boolean;
  /** Present if an operator refused it without a rollback; it did not fail. */
  readonly byOperator?: true | undefined;
  /** Who rolled it back, and why; absent if that is not known. */
  readonly requester?:
    Pick<NonNullable<DecideInput['upgradeRequest']>, 'by' | 'because'> | undefined;
  /** Why, as the agent or the operator reported it; undefined if it is not known. */
  readonly because: string | undefined;
}

/** The release, or the download address, that replaces the deployed version, or that restarts. */
export type Replacement = { readonly kind: 'replace' } & (
  | {
      /** Relative to the deployed version. */
      readonly direction: 'install' | 'upgrade' | 'downgrade';
      /** The release to deploy. */
      readonly to: Release;
      /** The release that the constraint selects. */
      readonly resolution: Resolution;
    }
  | {
      /** The deployed version failed, or an operator rolled it back. */
      readonly direction: 'rollback';
      /** The release to deploy. */
      readonly to: Release;
      /** Why the deployed version is replaced. */
      readonly failure: Failure;
      /** The release that the constraint selects. */
      readonly resolution: Resolution;
    }
  | {
      /** Relative to the deployed version. An address has no version, so it is never a downgrade. */
      readonly direction: 'install' | 'upgrade';
      /** The address of a `pin_url`. */
      readonly to: {
        /** As written in the configuration. */
        readonly url: string;
      };
      readonly resolution?: undefined;
    }
  | {
      /** An operator requested a restart (D41). */
      readonly direction: 'restart';
      /** What is deployed: a release, without its files if they must not be downloaded now, or an address. */
      readonly to:
        | Release
        | {
            /** As the agent reported it. */
            readonly url: string;
          }
        | {
            /** The program of a local module, which has no version. */
            readonly isLocal: true;
          };
      /** What the operator requested. */
      readonly request: NonNullable<DecideInput['restartRequest']>;
      /** The replacement that is held meanwhile; undefined if the deployed version is kept. */
      readonly held: Replacement | undefined;
      /** The release that the constraint selects; undefined for a `pin_url`. */
      readonly resolution?: Resolution | undefined;
    }
);

/** A decision in one word: `up-to-date`, `ahead`, `local`, `disabled`, a direction, `hold` or `stuck`. */
export function wordFor(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'keep':
      return verdict.because;
    case 'replace':
      return verdict.direction;
    case 'hold':
    case 'stuck':
      return verdict.kind;
  }
}

/** The replacement that is made now or held; undefined if there is none. */
export function replacementOf(verdict: Verdict): Replacement | undefined {
  if (verdict.kind === 'hold') return verdict.replacement;
  return verdict.kind === 'replace' ? verdict : undefined;
}

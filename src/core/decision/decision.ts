import type { Constraint } from '../version/constraint.ts';
import type { Deployed } from './deployed.ts';
import type { Eligibility, Quarantined } from '../releases/eligibility-policy.ts';
import type { Platform } from '../releases/platform.ts';
import type { RefusedPin, Refused } from '../releases/refusal.ts';
import type { ReleaseIndex } from '../releases/release-index.ts';
import type { DigestChange, Release } from '../releases/release.ts';
import type { Resolution } from '../releases/resolve.ts';
import type { Timing, Hold } from './timing-policies.ts';
import type { Direction } from './timing.ts';
import type { Version } from '../version/version.ts';

/**
 * What the configuration asks for: a constraint, the content of an address, a module that is on the machine only, or
 * nothing, where `disable_subsystem` leaves it alone.
 */
export type Requirement =
  | Constraint
  | {
      readonly kind: 'pin-url';
      /** Where it is downloaded from, whatever its version. */
      readonly url: string;
      /** The `pin_version` that the address takes precedence over; undefined without one. */
      readonly shadowed: Version | undefined;
    }
  | { readonly kind: 'local' }
  | { readonly kind: 'disabled' };

/** The release list of one module, or why there is none. */
export type ModuleList =
  | {
      /** The releases. */
      readonly index: ReleaseIndex;
      /** By the text of the version, where a digest is not the one that was seen first. */
      readonly changedDigests?: ReadonlyMap<string, DigestChange> | undefined;
      /** Present where a cached list is used in place of the registry's. */
      readonly stale?: StaleList | undefined;
    }
  | {
      /** Why there is no list. */
      readonly error: ListError;
    };

/** Why a cached list is used in place of the registry's. */
export interface StaleList {
  /** When the registry last confirmed the list, in milliseconds since the epoch. */
  readonly confirmedAt: number;
  /** Why it could not confirm it now, in one escaped line. */
  readonly message: string;
}

/** Why there is no release list. A RegistryError is one. */
export interface ListError {
  /** A word for programs: `registry-unreachable`. */
  readonly kind: string;
  /** One escaped line for a person. */
  readonly message: string;
}

/** Everything that a decision on one module or subsystem depends on. */
export interface DecideInput {
  /** What the configuration asks for. */
  readonly requirement: Requirement;
  /** The releases to choose from. */
  readonly list: ModuleList;
  /** What is deployed now. */
  readonly deployed: Deployed;
  /** The version that was deployed before; undefined where it is not known. A rollback prefers it. */
  readonly previous: Version | undefined;
  /** The versions that failed on this machine, or were rolled back. */
  readonly quarantine: readonly Quarantined[];
  /** The time of the decision, and which releases the policy lets be chosen. */
  readonly eligibility: Pick<Eligibility, 'now' | 'minimumAge' | 'notAfter'> & {
    /** The platform of the machine. */
    readonly platform: Platform;
  };
  /** How long ago a cached list may have been confirmed and still be used, in milliseconds. */
  readonly maxIndexAgeMs: number;
  /** Whether a lower version may replace a deployed one that the constraint does not accept. */
  readonly allowDowngrade: boolean;
  /** Whether the machine may restart things now. */
  readonly timing: Timing;
}

/**
 * What to do about one module or subsystem now, with the facts that led to it: keep what is deployed, replace it,
 * replace it later (`hold`), or nothing until a person or a registry acts (`stuck`).
 */
export type Decision = {
  /** What it was decided on. */
  readonly input: DecideInput;
} & (
  | {
      readonly kind: 'keep';
      /** It is on the machine only, or `disable_subsystem` is set. */
      readonly because: 'local' | 'disabled';
      readonly resolution?: undefined;
    }
  | {
      readonly kind: 'keep';
      readonly because: 'up-to-date';
      /** What the constraint selects; absent for a `pin_url`. */
      readonly resolution?: Resolution;
    }
  | {
      readonly kind: 'keep';
      readonly because: 'ahead';
      /** What speaks against the deployed version; undefined where nothing does, or it is no version. */
      readonly against: Against | undefined;
      /** What the constraint selects. */
      readonly resolution: Resolution;
    }
  | Replacement
  | {
      readonly kind: 'hold';
      /** What is to be done once nothing holds it. */
      readonly replacement: Replacement;
      /** Everything that holds it. */
      readonly because: readonly Hold[];
      /** The earliest time at which nothing holds it, in milliseconds since the epoch; undefined where not known. */
      readonly until: number | undefined;
      /** What the constraint selects; undefined for a `pin_url`. */
      readonly resolution?: Resolution | undefined;
    }
  | Stuck
);

/** A decision without its input. */
export type Verdict = WithoutInput<Decision>;

type WithoutInput<T> = T extends unknown ? Omit<T, 'input'> : never;

/** A version in quarantine, because it failed on this machine or an operator rolled it back. */
export interface Failure {
  /** The version that failed. */
  readonly version: Version;
  /** When the quarantine ends, in milliseconds since the epoch; undefined where no time ends it. */
  readonly until: number | undefined;
  /** Whether an operator rolled it back. */
  readonly isRolledBack: boolean;
}

/** What speaks against a deployed version that is kept: it is refused, or not in the list. */
export type Against =
  | {
      readonly kind: 'refused';
      /** The deployed release, and why it is refused. */
      readonly refused: Refused;
    }
  | {
      readonly kind: 'not-listed';
      /** Its quarantine; undefined where it is not quarantined. */
      readonly failure: Failure | undefined;
    };

/** That a release, or the content of an address, is to replace what is deployed. */
export type Replacement = { readonly kind: 'replace' } & (
  | {
      /** Relative to what is deployed. */
      readonly direction: Exclude<Direction, 'rollback'>;
      /** The release to deploy. */
      readonly to: Release;
      /** What the constraint selects. */
      readonly resolution: Resolution;
    }
  | {
      /** Back from a version that failed or that an operator rolled back. */
      readonly direction: Extract<Direction, 'rollback'>;
      /** The release to deploy. */
      readonly to: Release;
      /** Why the deployed version is replaced. */
      readonly failure: Failure;
      /** What the constraint selects. */
      readonly resolution: Resolution;
    }
  | {
      /** Relative to what is deployed. An address has no version, so it is never a downgrade. */
      readonly direction: 'install' | 'upgrade';
      /** The address of a `pin_url`. */
      readonly to: {
        /** As written in the configuration. */
        readonly url: string;
      };
      readonly resolution?: undefined;
    }
);

/** That nothing can be decided, or that nothing may be chosen and what is deployed is not accepted either. */
export type Stuck = { readonly kind: 'stuck' } & (
  | { readonly code: 'deployed-unknown'; readonly resolution?: undefined }
  | {
      readonly code: 'no-list';
      /** Why there is no list. */
      readonly error: ListError;
      readonly resolution?: undefined;
    }
  | {
      readonly code: 'list-stale';
      /** The cached list, confirmed too long ago. */
      readonly stale: StaleList;
      readonly resolution?: undefined;
    }
  | {
      /** No release may be chosen; or the pin is not in the list. */
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
);

/** The one word for a decision: `up-to-date`, `ahead`, `local`, `disabled`, a direction, `hold` or `stuck`. */
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

/** What is to replace what runs, now or later. */
export function replacementOf(verdict: Verdict): Replacement | undefined {
  if (verdict.kind === 'hold') return verdict.replacement;
  return verdict.kind === 'replace' ? verdict : undefined;
}

/** The text of what a replacement brings: its version, or its address. */
export function replacementText({ to }: Replacement): string {
  return 'url' in to ? to.url : to.version.text;
}

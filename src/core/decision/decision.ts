import type { Constraint } from '../version/constraint.ts';
import type { Deployed } from './deployed.ts';
import type { Eligibility, Quarantined } from '../releases/eligibility-policy.ts';
import type { Platform } from '../releases/platform.ts';
import type { RefusedPin } from '../releases/refusal.ts';
import type { ReleaseIndex } from '../releases/release-index.ts';
import type { DigestChange, Release } from '../releases/release.ts';
import type { Resolution, Unsatisfied } from '../releases/resolve.ts';
import type { Against, Failure } from './failure.ts';
import type { Timing, Hold } from './timing-policies.ts';
import type { Direction } from './timing.ts';
import type { Version } from '../version/version.ts';

/** What the configuration says of one module or subsystem. */
export type Requirement =
  | Constraint
  /** Whatever is at this address, whatever its version. (Agent configuration, pin_url) */
  | {
      readonly kind: 'pin-url';
      readonly url: string;
      /** The `pin_version` that it wins over. */
      readonly shadowed: Version | undefined;
    }
  /** A module that is on the machine only. */
  | { readonly kind: 'local' }
  /** Nothing is managed here: `disable_subsystem`. */
  | { readonly kind: 'disabled' };

/** The releases of one module, or why they cannot be known. */
export type ModuleList =
  | {
      readonly index: ReleaseIndex;
      /** By the text of the version, where a digest is not the one that was first seen. (D22) */
      readonly changedDigests?: ReadonlyMap<string, DigestChange> | undefined;
      readonly stale?: StaleList | undefined;
    }
  | { readonly error: ListError };

/** A saved list stands in for that of the registry. (D21) */
export interface StaleList {
  /** When the registry last said that this is its list, in milliseconds since the epoch. */
  readonly confirmedAt: number;
  /** Why it does not say so now, in one escaped line. */
  readonly message: string;
}

/** Why there is no list. A RegistryError is one. The message is one escaped line. */
export interface ListError {
  readonly kind: string;
  readonly message: string;
}

/** What one decision depends on. */
export interface DecideInput {
  readonly requirement: Requirement;
  readonly list: ModuleList;
  readonly deployed: Deployed;
  /** What was last acknowledged before what is deployed. (D13) */
  readonly previous: Version | undefined;
  /** The terms of versions that failed on this machine. (D13) */
  readonly quarantine: readonly Quarantined[];
  readonly eligibility: Pick<Eligibility, 'now' | 'minimumAge' | 'notAfter'> & {
    readonly platform: Platform;
  };
  readonly maxIndexAgeMs: number;
  readonly allowDowngrade: boolean;
  readonly timing: Timing;
}

/** What should become of one module or subsystem now. */
export type Decision = Verdict & { readonly input: DecideInput };

/** `resolution` is what the constraint means, where a list was looked at. */
export type Verdict =
  | {
      readonly kind: 'keep';
      readonly because: 'local' | 'disabled';
      readonly resolution?: undefined;
    }
  | {
      readonly kind: 'keep';
      readonly because: 'up-to-date';
      readonly resolution?: Resolution;
    }
  | {
      readonly kind: 'keep';
      readonly because: 'ahead';
      /** What speaks against the deployed version; undefined where nothing does, or it is no version. */
      readonly against: Against | undefined;
      readonly resolution: Resolution;
    }
  | Replacement
  | {
      readonly kind: 'hold';
      readonly replacement: Replacement;
      readonly because: readonly Hold[];
      /** The earliest time at which nothing holds it any more, where that is known. */
      readonly until: number | undefined;
      readonly resolution?: Resolution | undefined;
    }
  | Stuck;

/** A version or whatever is at an address is to take the place of what runs. */
export type Replacement = { readonly kind: 'replace' } & (
  | {
      readonly direction: Exclude<Direction, 'rollback'>;
      readonly to: Release;
      readonly resolution: Resolution;
    }
  | {
      readonly direction: Extract<Direction, 'rollback'>;
      readonly to: Release;
      /** That of the deployed version. */
      readonly failure: Failure;
      readonly resolution: Resolution;
    }
  | {
      readonly direction: 'install' | 'upgrade';
      readonly to: { readonly url: string };
      readonly resolution?: undefined;
    }
);

/** Nothing can be decided, or nothing may be chosen; a person may have to see to it. */
export type Stuck = { readonly kind: 'stuck' } & (
  | { readonly code: 'deployed-unknown'; readonly resolution?: undefined }
  | { readonly code: 'no-list'; readonly error: ListError; readonly resolution?: undefined }
  | { readonly code: 'list-stale'; readonly stale: StaleList; readonly resolution?: undefined }
  | { readonly code: 'no-match' | 'pin-not-published'; readonly resolution: Unsatisfied }
  | {
      readonly code: 'quarantined';
      readonly resolution: Unsatisfied;
      /** That of the pin. */
      readonly failure: Failure;
    }
  | {
      readonly code: Exclude<RefusedPin['reason'], 'quarantined'>;
      readonly resolution: Unsatisfied;
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

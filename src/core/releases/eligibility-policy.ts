import type { Constraint } from '../version/constraint.ts';
import type { Platform } from './platform.ts';
import type { Refusal } from './refusal.ts';
import type { DigestChange, Release } from './release.ts';
import type { Version } from '../version/version.ts';

/** What a machine lets be chosen, besides the constraint. What is absent refuses nothing. */
export interface Eligibility {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly platform?: Platform | undefined;
  /** By the text of the version, where a digest is not the one that was first seen. (D22) */
  readonly changedDigests?: ReadonlyMap<string, DigestChange> | undefined;
  readonly quarantine?: readonly Quarantined[] | undefined;
  readonly minimumAge?: MinimumAge | undefined;
  /** Refuses what was published later, in milliseconds since the epoch. */
  readonly notAfter?: number | undefined;
}

/** A version that failed on this machine, or that an operator went back from, and its terms. (D13) */
export interface Quarantined {
  readonly version: string;
  /** The digest that failed, where it is known: another one ends the quarantine. */
  readonly digest?: string | undefined;
  /** Milliseconds since the epoch; without it only a changed digest or the operator ends it. */
  readonly until?: number | undefined;
  /** Present where an operator went back from it. */
  readonly rolledBack?: RolledBack | undefined;
}

/** What an operator decided: no floating constraint takes what lies between the two versions, either. */
export interface RolledBack {
  readonly from: Version;
  /** What ran before; undefined where nobody knows. */
  readonly to: Version | undefined;
}

/** How long a release must have been published before a floating constraint takes it. (D12) */
export interface MinimumAge {
  readonly ms: number;
  /** What becomes of a release whose publish time is not known. */
  readonly unknown: 'refuse' | 'allow';
}

/** One reason to refuse a release, or undefined. */
export type Policy = (
  input: { readonly constraint: Constraint; readonly eligibility: Eligibility },
  release: Release,
) => Refusal | undefined;

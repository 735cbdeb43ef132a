import type { Constraint } from '../version/constraint.ts';
import type { Platform } from './platform.ts';
import type { Refusal } from './refusal.ts';
import type { DigestChange, Release } from './release.ts';
import type { Version } from '../version/version.ts';

/** Which releases a machine may choose, besides what the constraint accepts. What is absent refuses nothing. */
export interface Eligibility {
  /** The time of the decision, in milliseconds since the epoch. */
  readonly now: number;
  /** Refuses releases that list artifacts and have none for this platform. */
  readonly platform?: Platform | undefined;
  /** Refuses these versions, by their text: a digest is not the one that was seen first. */
  readonly changedDigests?: ReadonlyMap<string, DigestChange> | undefined;
  /** Refuses these versions while their terms last. */
  readonly quarantine?: readonly Quarantined[] | undefined;
  /** Refuses what was published too recently, for all constraints but pins. */
  readonly minimumAge?:
    | {
        /** Milliseconds. A publish time in the future counts as age 0. */
        readonly ms: number;
        /** Whether a release is refused whose publish time is not known. */
        readonly unknown: 'refuse' | 'allow';
      }
    | undefined;
  /** Refuses what was published later than this, in milliseconds since the epoch. */
  readonly notAfter?: number | undefined;
}

/** A version that failed on this machine or that an operator rolled back, and until when it is refused. */
export interface Quarantined {
  /** The text of the version, build metadata included. */
  readonly version: string;
  /** The digest that failed, where it is known. A release with another digest is not refused. */
  readonly digest?: string | undefined;
  /** When the term ends, in milliseconds since the epoch; absent where only another digest or an operator ends it. */
  readonly until?: number | undefined;
  /** Present where an operator rolled it back. Floating constraints do not take what lies between the two versions. */
  readonly rolledBack?:
    | {
        /** The version that was deployed. */
        readonly from: Version;
        /** The version that was deployed before; undefined where it is not known. */
        readonly to: Version | undefined;
      }
    | undefined;
}

/** What an operator decided with a rollback. */
export type RolledBack = NonNullable<Quarantined['rolledBack']>;

/** One reason to refuse a release, or undefined. */
export type Policy = (
  input: { readonly constraint: Constraint; readonly eligibility: Eligibility },
  release: Release,
) => Refusal | undefined;

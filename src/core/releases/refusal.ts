import type { Mismatch } from '../version/constraint.ts';
import type { Platform } from './platform.ts';
import type { DigestChange, Release } from './release.ts';
import type { Version, VersionError } from '../version/version.ts';

/** Why a release is not chosen, with the facts behind it. */
export type Refusal =
  | {
      readonly reason: 'conflicting-digest';
      readonly platform: string;
      readonly digests: readonly [string, string];
    }
  | { readonly reason: Mismatch }
  | { readonly reason: 'yanked'; readonly because: string }
  | {
      readonly reason: 'no-artifact';
      readonly platform: Platform;
      readonly published: readonly string[];
    }
  | ({ readonly reason: 'digest-changed' } & DigestChange)
  | {
      readonly reason: 'quarantined';
      /** Milliseconds since the epoch; undefined where no time ends it. */
      readonly until: number | undefined;
      /** Whether an operator went back from it, or past it; it failed on this machine otherwise. */
      readonly isRolledBack: boolean;
    }
  | { readonly reason: 'too-young'; readonly until: number }
  | { readonly reason: 'unknown-age' }
  | { readonly reason: 'not-yet-published'; readonly publishedAt: number }
  | { readonly reason: 'older'; readonly than: Version };

/** What can refuse a pin that is published. */
export type PinRefusal = Extract<
  Refusal,
  {
    reason:
      'conflicting-digest' | 'no-artifact' | 'digest-changed' | 'quarantined' | 'not-yet-published';
  }
>;

/** A pin's release, and why it may not be chosen. (D20, D30) */
export type RefusedPin = { readonly release: Release } & PinRefusal;

/** An entry of a release list that was not chosen, with its one reason. */
export type Refused =
  | { readonly reason: 'not-a-version'; readonly error: VersionError }
  | ({ readonly release: Release } & Refusal);

/** What stands in the list, in the place of the version. */
export function publishedText(refused: Refused): string {
  return refused.reason === 'not-a-version' ? refused.error.text : refused.release.version.text;
}

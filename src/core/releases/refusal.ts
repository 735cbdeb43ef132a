import type { Platform } from './platform.ts';
import type { DigestChange, Release } from './release.ts';
import type { Version } from '../version/version.ts';
import type { ParseError } from '../text/parse-error.ts';

/** Why a release is not selected, with the facts behind it. */
export type Refusal =
  | {
      readonly reason: 'conflicting-digest';
      /** The platform for which the list has two digests of one kind. */
      readonly platform: string;
      /** The two digests. */
      readonly digests: readonly [string, string];
    }
  | {
      /** The numbers of the constraint exclude it, or it is a prerelease and the constraint accepts none. */
      readonly reason: 'other-major' | 'other-minor' | 'other-version' | 'prerelease';
    }
  | {
      readonly reason: 'yanked';
      /** The reason, `""` if none was given. */
      readonly because: string;
    }
  | {
      readonly reason: 'no-artifact';
      /** The platform of the machine. */
      readonly platform: Platform;
      /** The platforms that it is published for. */
      readonly published: readonly string[];
    }
  | {
      readonly reason: 'untrusted-artifact';
      /** What the address or the digest of the file lacks, in one escaped line. */
      readonly complaint: string;
    }
  | ({ readonly reason: 'digest-changed' } & DigestChange)
  | {
      readonly reason: 'refused-by-site';
      /** What the policy of the site refuses: `1.2.7`, `1.3.*` or `1.*`. */
      readonly versions: string;
      /** Why, as the policy says; undefined if it does not. */
      readonly because: string | undefined;
    }
  | {
      readonly reason: 'quarantined';
      /** When the quarantine ends, in milliseconds since the epoch; undefined if it has no time limit. */
      readonly until: number | undefined;
      /** Whether an operator rolled back this version or past it. Otherwise the version failed on this machine. */
      readonly isRolledBack: boolean;
      /** Present if an operator refused it without a rollback; it did not fail. */
      readonly byOperator?: true | undefined;
      /** The name of the entry in which it failed, if that is another one (D81). */
      readonly failedIn?: string | undefined;
      /** Present if another version fails in the same way, which has not worked since (D80). */
      readonly undecided?:
        | {
            /** That version; undefined if it is not known. */
            readonly sameAs: string | undefined;
            /** Whether that version has not worked since. */
            readonly isWaiting: boolean;
          }
        | undefined;
      /** Why, as the agent or the operator reported it; undefined if it is not known. */
      readonly because: string | undefined;
    }
  | {
      readonly reason: 'requirement-unmet';
      /** `platform-server`, `platform-agent` or a module id; `tags` for a tag. */
      readonly of: string;
      /** The range of npm, or the tag. */
      readonly range: string;
      /**
       * What the machine has instead. `absent`: no entry of the module. `none`: nothing is deployed. `unknown`: it is not known
       * what is. `no-version`: what is deployed has no version. `unreadable`: the range cannot be read. `untagged`: not the tag.
       */
      readonly found:
        | {
            readonly kind: 'version';
            /** The version that does not fit. */
            readonly text: string;
            /** The name of its module entry; absent if it has none. */
            readonly entry?: string | undefined;
          }
        | {
            /** What is known of it. */
            readonly kind: 'none' | 'unknown' | 'no-version';
            /** The name of the module entry; absent if it has none. */
            readonly entry?: string | undefined;
          }
        | {
            /** What is missing. */
            readonly kind: 'absent' | 'unreadable' | 'untagged';
          };
    }
  | {
      readonly reason: 'too-young';
      /** When it reaches the minimum age, in milliseconds since the epoch. */
      readonly until: number;
    }
  | {
      readonly reason: 'unknown-age';
      /** What makes the time uncertain; absent if the release has no publish time. */
      readonly clock?: 'unsynchronized' | 'distrusted' | undefined;
    }
  | {
      readonly reason: 'not-yet-published';
      /** In milliseconds since the epoch. */
      readonly publishedAt: number;
    }
  | {
      readonly reason: 'not-in-rollout';
      /** From 0 to 1: the place of the machine in the rollout; undefined if the machine has no id. */
      readonly cohort: number | undefined;
      /** The machines whose cohort is below it are included. */
      readonly share: number;
      /** The percentage of the step. */
      readonly percent: number;
      /** The groups whose machines are included; this one is in none of them. */
      readonly groups: readonly string[];
    }
  | {
      readonly reason: 'rollout-halted';
      /** The percentage of the step. */
      readonly percent: number;
      /** The reason, `""` if none was given. */
      readonly because: string;
    }
  | {
      readonly reason: 'rollout-unconfirmed';
      /** The percentage of the step. */
      readonly percent: number;
      /** When the registry last confirmed the list, in milliseconds since the epoch. */
      readonly confirmedAt: number;
    }
  | {
      readonly reason: 'behind-floor';
      /** The release that this machine has to run first (D90). */
      readonly floor: Version;
    }
  | {
      readonly reason: 'unsigned';
      /** How many keys of its namespace signed it. */
      readonly signed: number;
      /** How many have to; 0 if none may sign for its namespace, undefined if it was not checked. */
      readonly needed: number | undefined;
      /** Present if its npm registry has to sign it, and did not (D200). */
      readonly of?: 'npm' | undefined;
    }
  | {
      readonly reason: 'bad-signature';
      /**
       * `wrong`: a signature is not that of the release. `other-key`: it is of a key that may not sign for its namespace.
       * `listed-twice`: the list has the version twice. `too-many`: the list has so many wrong ones that no more are checked.
       * Of an npm registry: `unknown-key` is none of the policy, and `expired-key` had expired when the release was published.
       */
      readonly found:
        'wrong' | 'other-key' | 'listed-twice' | 'too-many' | 'unknown-key' | 'expired-key';
      /** The id of the key; undefined if no single one is meant. */
      readonly keyId: string | undefined;
    }
  | {
      readonly reason: 'deprecated';
      /** The reason, `""` if none was given. */
      readonly because: string;
      /** The lower version that is preferred: it is not deprecated, and not below the deployed one. */
      readonly preferred: Version;
    }
  | {
      readonly reason: 'older';
      /** The version that was selected. */
      readonly than: Version;
    };

/** The release that a pin names, and why it may not be selected. */
export type RefusedPin = {
  /** The entry of the list. */
  readonly release: Release;
} & Extract<
  Refusal,
  {
    reason:
      | 'conflicting-digest'
      | 'no-artifact'
      | 'untrusted-artifact'
      | 'digest-changed'
      | 'refused-by-site'
      | 'quarantined'
      | 'requirement-unmet'
      | 'not-yet-published'
      | 'unsigned'
      | 'bad-signature';
  }
>;

/** An entry of a release list that was not selected, with its one reason. */
export type Refused =
  | {
      readonly reason: 'not-a-version';
      /** Where and why parsing stopped. */
      readonly error: ParseError<'bad-version'>;
    }
  | ({
      /** The entry of the list. */
      readonly release: Release;
    } & Refusal);

/** A release that was not selected, with its one reason. */
export type RefusedRelease = Exclude<Refused, { readonly reason: 'not-a-version' }>;

/** The version of the entry, as published. */
export function publishedText(refused: Refused): string {
  return refused.reason === 'not-a-version' ? refused.error.text : refused.release.version.text;
}

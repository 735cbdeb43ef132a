import type { Constraint } from '../version/constraint.ts';
import type { Platform } from './platform.ts';
import type { Refusal } from './refusal.ts';
import type { DigestChange, Release } from './release.ts';
import type { Version } from '../version/version.ts';

/** Which of the releases that a constraint accepts a machine may select. An absent field refuses nothing. */
export interface Eligibility {
  /** The time of the decision, in milliseconds since the epoch. */
  readonly now: number;
  /** Refuses releases that list artifacts but none for this platform. */
  readonly platform?: Platform | undefined;
  /** Refuses these versions, by their text: a digest differs from the one that this machine saw first. */
  readonly changedDigests?: ReadonlyMap<string, DigestChange> | undefined;
  /** When this machine first saw the releases, which limits the publish times that they claim. All in milliseconds. */
  readonly firstSeen?:
    | {
        /** When the first list of the module was read. */
        readonly since: number;
        /** The releases that were not in the first list, by the text of their version. */
        readonly added: ReadonlyMap<
          string,
          {
            /** When the last list without the release was confirmed; `-Infinity` if there was none. */
            readonly after: number;
            /** When the first list with the release was read. */
            readonly at: number;
          }
        >;
      }
    | undefined;
  /** What the policy of the site refuses of the module, pins included; absent if nothing (D94). */
  readonly refuse?:
    | readonly {
        /** One version, or all whose first numbers are these, prereleases included. */
        readonly versions: Extract<Constraint, { readonly kind: 'patch' | 'minor' | 'major' }>;
        /** Why, as the policy says; absent if it does not. */
        readonly because?: string | undefined;
      }[]
    | undefined;
  /** Refuses these versions until their quarantine ends. */
  readonly quarantine?: readonly Quarantined[] | undefined;
  /** Refuses releases that were published too recently. Does not apply to pins. */
  readonly minimumAge?:
    | {
        /** In milliseconds. A publish time in the future counts as age 0. */
        readonly ms: number;
        /** Whether a release without a known publish time is refused. */
        readonly unknown: 'refuse' | 'allow';
        /** By the first number that differs from the deployed version, in place of `ms`; absent if all steps need the same (D97). */
        readonly byStep?:
          | {
              /** From 1.2.3 to 2.0.0, in milliseconds. */
              readonly major: number;
              /** From 1.2.3 to 1.3.0. */
              readonly minor: number;
              /** From 1.2.3 to 1.2.4, or to another prerelease or build. */
              readonly patch: number;
            }
          | undefined;
        /** The texts of versions that need no age; absent if there are none (D98). */
        readonly exempt?: readonly string[] | undefined;
        /**
         * In milliseconds: the age that is enough once the deployed version was yanked, for what was seen before the yank;
         * absent if a yank changes nothing (D99).
         */
        readonly afterYank?: number | undefined;
      }
    | undefined;
  /** The deployed version; absent if it is not known, or nothing is deployed. */
  readonly deployed?: Version | undefined;
  /** What is known to be wrong with `now`; absent if nothing is. A minimum age counts to the time that is certain (D57). */
  readonly clock?:
    | {
        /** A registry said over https that it is another time. */
        readonly kind: 'wrong';
        /** How far the clock is ahead of the certain time, in milliseconds; negative if it is behind. */
        readonly aheadMs: number;
      }
    | {
        /** The clock is not synchronized, or the policy does not trust it, and no registry said what time it is. */
        readonly kind: 'unsynchronized' | 'distrusted';
        /** The latest time that was certain, in milliseconds since the epoch; absent if none was. */
        readonly certainAt?: number | undefined;
      }
    | undefined;
  /** Refuses releases that were published later than this, in milliseconds since the epoch. */
  readonly notAfter?: number | undefined;
  /** Refuses releases in a rollout that does not include the machine. Does not apply to pins. */
  readonly rollouts?:
    | {
        /** The machine's id, which determines its cohort; absent if it has none. Then 100 % alone include it. */
        readonly machineId?: string | undefined;
        /** The machine's group, which a rollout may include first; absent if it has none. */
        readonly group?: string | undefined;
        /** When the registry last confirmed the list, in milliseconds since the epoch; absent for `now`. */
        readonly confirmedAt?: number | undefined;
        /** The text of the deployed version, which is not refused; absent if it is not known. */
        readonly deployed?: string | undefined;
      }
    | undefined;
  /** Refuses releases that require what this machine does not have. Applies to pins, but not to the deployed version (D86). */
  readonly machine?:
    | {
        /** What it has of `platform-server`, `platform-agent` or a module, for each entry; empty if it has no entry of it. */
        readonly deployed: (of: string) => readonly (
          | {
              readonly kind: 'version';
              /** The deployed version, or the one that the policy provides. */
              readonly text: string;
              /** The name of the module entry; absent if it has none. */
              readonly entry?: string | undefined;
            }
          | {
              /** `none`: nothing is deployed. `unknown`: it is not known what is. `no-version`: what is deployed has no version. */
              readonly kind: 'none' | 'unknown' | 'no-version';
              /** The name of the module entry; absent if it has none. */
              readonly entry?: string | undefined;
            }
        )[];
        /** Whether it is tagged so. */
        readonly hasTag: (tag: string) => boolean;
        /** Whether a version is in a range of npm; undefined if the range cannot be read. */
        readonly satisfies: (version: string, range: string) => boolean | undefined;
        /** @internal The answers so far: what is deployed, by what was asked, and each tag that was asked. */
        readonly asked?: {
          readonly deployed: ReadonlyMap<string, readonly object[]>;
          readonly tags: ReadonlyMap<string, boolean>;
        };
      }
    | undefined;
  /** Refuses releases above the next floor of the machine (D90). Does not apply to pins. */
  readonly floors?:
    | {
        /** The deployed version; absent if none is deployed or it is not known: then no floor counts. */
        readonly deployed?: Version | undefined;
        /** The floors that an operator passes. */
        readonly skipped?:
          | readonly {
              /** The text of its version. */
              readonly version: string;
              /** Who skipped it. */
              readonly by: string;
              /** Why, as that person wrote it; undefined if no reason was given. */
              readonly because: string | undefined;
              /** In milliseconds since the epoch. */
              readonly at: number;
            }[]
          | undefined;
      }
    | undefined;
  /** Refuses releases without the signatures that a trust document requires; absent if the policy names none (D133). Applies to pins. */
  readonly trust?:
    | {
        /** Why a release, or its yank, lacks them; undefined if enough keys of its namespace signed it. */
        readonly check: (
          release: Release,
          what?: 'yank',
        ) => Extract<Refusal, { readonly reason: 'unsigned' | 'bad-signature' }> | undefined;
        /** @internal The answers so far, by the text of the version, after `yank ` for a yank; null where `check` returned undefined. */
        readonly verdicts?: ReadonlyMap<string, SignatureRefusal | null>;
        /** @internal What the trust document says: how many keys sign a release of the module, and when it expires. */
        readonly document?: { readonly needed: number; readonly expires: number };
      }
    | undefined;
  /** Refuses releases whose file for `platform` a machine must not download (D36). */
  readonly artifactRules?:
    | {
        /** Whether a file needs a complete sha256 or sha512 digest. */
        readonly requireDigest: boolean;
        /** Hosts that may be contacted without TLS, as `host` or `host:port`. Loopback addresses always may. */
        readonly allowHttp: readonly string[];
      }
    | undefined;
}

/** A floor that a machine passes without running it, because an operator said so (D92). */
export type SkippedFloor = NonNullable<NonNullable<Eligibility['floors']>['skipped']>[number];

/** A version that failed on this machine or that an operator rolled back, and how long it is refused. */
export interface Quarantined {
  /** The text of the version, build metadata included, or `1.3.*` or `1.*`. */
  readonly version: string;
  /** Present if `version` is not a single one: all whose first numbers are these, prereleases included (D95). */
  readonly branch?: Extract<Constraint, { readonly kind: 'minor' | 'major' }> | undefined;
  /** The digest that failed; absent if it is not known. A release with another digest is not refused. */
  readonly digest?: string | undefined;
  /** When the quarantine ends, in milliseconds since the epoch; absent if only another digest or an operator ends it. */
  readonly until?: number | undefined;
  /** Why, as the agent or the operator reported it, for people; absent if it is not known. */
  readonly reason?: string | undefined;
  /**
   * Present if the module's entry was edited since it failed, and gives it another try: which of them this is. It is not
   * refused then (D82).
   */
  readonly retry?: number | undefined;
  /** Present if an operator refused it without a rollback; it did not fail. */
  readonly byOperator?: true | undefined;
  /** The name of the entry in which it failed, if that is another one: where it is deployed, it is not refused (D81). */
  readonly failedIn?: string | undefined;
  /** Present if another version fails in the same way: what is deployed is not refused, nor what may be tried again (D80). */
  readonly undecided?: Extract<Refusal, { readonly reason: 'quarantined' }>['undecided'];
  /** Present if an operator rolled it back. */
  readonly rolledBack?:
    | {
        /** The version that was deployed. */
        readonly from: Version;
        /** The version to roll back to; undefined if there was none. */
        readonly to: Version | undefined;
        /** Who rolled it back, and why; absent if that is not known. */
        readonly requester?:
          | {
              /** A person of the machine, or a site and its token or account. */
              readonly by: string;
              /** Why, as the person wrote it; undefined if nothing was said. */
              readonly because: string | undefined;
            }
          | undefined;
        /**
         * The texts of the versions that are refused with it: those above `to` that the list had then. Undefined if
         * there was no list: then every version above `to` and below `from` is refused (D32).
         */
        readonly refused?: ReadonlySet<string> | undefined;
      }
    | undefined;
}

/** What checks the signatures of releases (D133). */
export type TrustCheck = NonNullable<Eligibility['trust']>;

/** What a verdict is about, as text. */
export function askedOf({ version }: Release, what: 'yank' | undefined): string {
  return what ? `yank ${version.text}` : version.text;
}

/** Why a release lacks the signatures that it needs. */
export type SignatureRefusal = NonNullable<ReturnType<TrustCheck['check']>>;

/** A release whose signatures nobody checked cannot be selected. */
export const UNCHECKED: SignatureRefusal = { reason: 'unsigned', signed: 0, needed: undefined };

/** For a list that came without a check although its terms name a trust document: the program that read it has to pass it (D133). */
export const NOTHING_CHECKED: TrustCheck = { check: () => UNCHECKED, verdicts: new Map() };

/** Versions that the policy of a site refuses (D94). */
export type RefusedVersions = NonNullable<Eligibility['refuse']>[number];

/** Minimum ages by the first number of the version that differs, in milliseconds (D97). */
export type AgeByStep = NonNullable<NonNullable<Eligibility['minimumAge']>['byStep']>;

/** All versions with the same first numbers (D95). */
export type RefusedBranch = NonNullable<Quarantined['branch']>;

/** The versions of a rollback by an operator. */
export type RolledBack = NonNullable<Quarantined['rolledBack']>;

/** Why the release is refused; undefined if this policy does not refuse it. */
export type Policy = (
  input: { readonly constraint: Constraint; readonly eligibility: Eligibility },
  release: Release,
) => Refusal | undefined;

/** Why a minimum age does not count to the time of the machine's clock. */
export type ClockFault = NonNullable<Eligibility['clock']>;

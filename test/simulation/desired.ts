/** The machine config and update policy that operators want, as plain data. Times are milliseconds. */
export interface Desired {
  readonly modules: readonly DesiredModule[];
  /** The module entries that depend on another entry. */
  readonly needs: readonly (readonly [name: string, on: string])[];
  readonly server: DesiredSubsystem & { readonly isDisabled: boolean };
  readonly agent: Omit<DesiredSubsystem, 'channel'>;
  readonly terms: DesiredTerms;
  /** The terms of single modules, by name. */
  readonly own: Readonly<Record<string, DesiredTerms>>;
  /** The versions of what modreg does not manage, and the tags that the policy gives. (D87) */
  readonly provides: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  /** Whether the policy names an address at which each module and the server say whether they may be stopped, and what no answer means. */
  readonly asking?: 'allow' | 'hold' | undefined;
}

export interface DesiredModule {
  readonly name: string;
  readonly moduleId: string;
  readonly constraint: string;
  readonly isLocal: boolean;
  /** A value in its environment, with which no version works if it is wrong. */
  readonly value?: { readonly number: number; readonly isWrong: boolean } | undefined;
}

interface DesiredSubsystem {
  readonly channel: 'stable' | 'latest';
  readonly pin: string | undefined;
  readonly pinUrl: string | undefined;
}

export interface DesiredTerms {
  readonly registry: string;
  readonly minimumAgeMs: number;
  readonly unknownAge: 'refuse' | 'allow';
  /** Ages by step; undefined for the same age for all. (D97) */
  readonly byStepMs:
    { readonly major: number; readonly minor: number; readonly patch: number } | undefined;
  /** What the policy refuses of all modules; only that of the general terms counts. (D94) */
  readonly refuse: readonly string[];
  /** Daily windows in UTC, from `minute` of the day; empty for always open. */
  readonly windows: readonly { readonly minute: number; readonly minutes: number }[];
  readonly allowDowngrade: boolean;
  readonly onYank: 'keep' | 'replace';
  readonly requireDigest: boolean;
  /** Undefined for a quarantine without a time limit. */
  readonly quarantineMs: number | undefined;
  readonly restMs: number;
  readonly ceiling: number;
  /** Times on the wall clock. */
  readonly blackouts?: readonly { readonly from: number; readonly until: number }[] | undefined;
  readonly longestHoldMs?: number | undefined;
  readonly maxIndexAgeMs: number;
}

/** The platform of every simulated machine. */
export const PLATFORM = 'linux/arm64';

/** The tags of the system of every simulated machine. */
export const SYSTEM_TAGS: readonly string[] = ['distro:debian'];

/** A secret in the environment of modules, which must never leave the process. (I14) */
export const CANARY = 'canary-9f1c0b';

/** Whether the machine config names the server: only if something differs from the defaults. */
export function namesServer({ server: { channel, pin, pinUrl, isDisabled } }: Desired): boolean {
  return channel !== 'stable' || pin !== undefined || pinUrl !== undefined || isDisabled;
}

/** Whether modreg's own agent runs the server. */
export function runsServer(desired: Desired): boolean {
  return namesServer(desired) && !desired.server.isDisabled;
}

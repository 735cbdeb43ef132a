/** What the people of a machine ask of it, as plain data. Times are milliseconds. */
export interface Wish {
  readonly modules: readonly ModuleWish[];
  /** The module entries of which each needs another. */
  readonly needs: readonly (readonly [name: string, on: string])[];
  readonly server: SubsystemWish & { readonly isDisabled: boolean };
  readonly agent: Omit<SubsystemWish, 'channel'>;
  readonly terms: TermsWish;
  /** Those of single modules, by name. */
  readonly own: Readonly<Record<string, TermsWish>>;
}

export interface ModuleWish {
  readonly name: string;
  readonly moduleId: string;
  readonly constraint: string;
  readonly isLocal: boolean;
}

interface SubsystemWish {
  readonly channel: 'stable' | 'latest';
  readonly pin: string | undefined;
}

export interface TermsWish {
  readonly registry: string;
  readonly minimumAgeMs: number;
  readonly unknownAge: 'refuse' | 'allow';
  /** Each day, in UTC, from this minute of the day on; none for at all times. */
  readonly windows: readonly { readonly minute: number; readonly minutes: number }[];
  readonly allowDowngrade: boolean;
  /** Undefined for a quarantine that no time ends. */
  readonly quarantineMs: number | undefined;
  readonly restMs: number;
  readonly ceiling: number;
  readonly maxIndexAgeMs: number;
}

/** What machines run on here. */
export const PLATFORM = 'linux/arm64';

/** In the environment of modules, where nothing that leaves the process may have it. (I14) */
export const CANARY = 'canary-9f1c0b';

/** The fields of a release that never change. */
export interface Content {
  readonly deprecated: string;
  readonly artifacts?: readonly {
    readonly platform: string;
    readonly url: string;
    readonly digest: string;
    readonly size: number;
  }[];
}

/** A release as its publishers know it. */
export interface KnownRelease {
  /** The acknowledged content, as JSON. */
  content: string | undefined;
  /** Whether the registry said that the version exists. */
  exists: boolean;
  /** The contents of publications that got no response, as JSON. */
  readonly unanswered: Set<string>;
  /** The acknowledged reason of the yank; null if the release is not yanked. */
  yanked: string | null;
  /** The reason of a yank that got no response; undefined if there is none. */
  unansweredYank: string | null | undefined;
}

/** What clients of one registry know from its responses. */
export interface Journal {
  readonly modules: ReadonlyMap<string, KnownModule>;
  /** The size of each file, by its sha256, whose upload was acknowledged. */
  readonly files: Map<string, number>;
  /** Repeats each request that got no response. */
  readonly unanswered: Repeat[];
  /** Responses that no client expects. */
  readonly findings: Finding[];
}

/** Sends a request again, to the registry that was started again. */
type Repeat = (address: string) => Promise<unknown>;

export interface KnownModule {
  /** The changes of the module: acknowledged, or found after a restart. */
  changes: number;
  readonly releases: Map<string, KnownRelease>;
}

/** Requests by their result. */
export interface Counts {
  published: number;
  yanked: number;
  uploaded: number;
  /** Changes without a response that the registry had made, and had not made. */
  found: number;
  absent: number;
}

export const NO_COUNTS: Counts = { published: 0, yanked: 0, uploaded: 0, found: 0, absent: 0 };

/** What is wrong with a registry after a restart. */
export interface Finding {
  readonly kind: 'lost' | 'duplicated' | 'wrong';
  readonly text: string;
}

export function newJournal(modules: readonly string[]): Journal {
  const known = modules.map((name) => [name, { changes: 0, releases: new Map() }] as const);
  return {
    modules: new Map<string, KnownModule>(known),
    files: new Map(),
    unanswered: [],
    findings: [],
  };
}

/** The module with this name, which the journal has. */
export function moduleOf({ modules }: Journal, name: string): KnownModule {
  const module = modules.get(name);
  if (!module) throw new Error(`no module ${name}`);
  return module;
}

/** The release with this version; a new one if it was never published. */
export function releaseOf({ releases }: KnownModule, version: string): KnownRelease {
  const known = releases.get(version);
  if (known) return known;
  const release: KnownRelease = {
    content: undefined,
    exists: false,
    unanswered: new Set(),
    yanked: null,
    unansweredYank: undefined,
  };
  releases.set(version, release);
  return release;
}

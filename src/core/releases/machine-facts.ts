/** What a machine has of a module that a release requires, for one entry of it. */
export type Provided =
  | {
      readonly kind: 'version';
      /** The deployed version, or the one that the policy provides. */
      readonly text: string;
      /** The name of the module entry; absent for a subsystem and for what the policy provides. */
      readonly entry?: string | undefined;
    }
  | {
      /** `none`: nothing is deployed. `unknown`: it is not known what is. `no-version`: what is deployed has no version. */
      readonly kind: 'none' | 'unknown' | 'no-version';
      /** The name of the module entry; absent for a subsystem. */
      readonly entry?: string | undefined;
    };

/** What a machine has that releases may require. Only what was asked is part of the facts of a decision. */
export interface MachineFacts {
  /** What it has of `platform-server`, `platform-agent` or a module; empty if it has no entry of it. */
  readonly deployed: (of: string) => readonly Provided[];
  readonly hasTag: (tag: string) => boolean;
  /** Whether a version is in a range of npm, prereleases included; undefined if the range cannot be read. */
  readonly satisfies: (version: string, range: string) => boolean | undefined;
  /** The answers so far, by what was asked: what is deployed, and under `tags` each tag that was asked. */
  readonly asked: {
    readonly deployed: ReadonlyMap<string, readonly Provided[]>;
    readonly tags: ReadonlyMap<string, boolean>;
  };
  /** @internal Nothing, if nothing was asked: most lists require nothing. */
  toJSON(): Pick<MachineFacts, 'asked'> | undefined;
}

/** The facts that remember what was asked of them. */
export function machineFacts({
  deployed,
  hasTag,
  satisfies,
}: Pick<MachineFacts, 'deployed' | 'hasTag' | 'satisfies'>): MachineFacts {
  const asked = {
    deployed: new Map<string, readonly Provided[]>(),
    tags: new Map<string, boolean>(),
  };
  return {
    deployed: (of) => answered(asked.deployed, of, deployed),
    hasTag: (tag) => answered(asked.tags, tag, hasTag),
    satisfies,
    asked,
    toJSON: () => (asked.deployed.size + asked.tags.size > 0 ? { asked } : undefined),
  };
}

function answered<T>(answers: Map<string, T>, of: string, answer: (of: string) => T): T {
  const known = answers.get(of) ?? answer(of);
  answers.set(of, known);
  return known;
}

/** The facts of a recorded decision: what was not asked then is not known. */
export function recordedFacts(
  { deployed, tags }: MachineFacts['asked'],
  satisfies: MachineFacts['satisfies'],
): MachineFacts {
  return machineFacts({
    deployed: (of) => deployed.get(of) ?? [{ kind: 'unknown' }],
    hasTag: (tag) => tags.get(tag) ?? false,
    satisfies,
  });
}

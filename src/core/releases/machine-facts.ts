import type { Eligibility } from './eligibility-policy.ts';

/** What a machine has that releases may require (D86). */
export type MachineFacts = NonNullable<Eligibility['machine']>;

/** What a machine has of a module that a release requires, for one entry of it. */
export type Provided = ReturnType<MachineFacts['deployed']>[number];

/** What a machine answered. */
export interface RecordedAnswers {
  readonly deployed: ReadonlyMap<string, readonly Provided[]>;
  readonly tags: ReadonlyMap<string, boolean>;
}

/** The facts that remember what was asked of them. Only that is part of the facts of a decision: most lists require nothing. */
export function machineFacts(
  { deployed, hasTag, satisfies }: MachineFacts,
  known: RecordedAnswers = { deployed: new Map(), tags: new Map() },
): MachineFacts {
  const asked = { deployed: new Map(known.deployed), tags: new Map(known.tags) };
  const facts = {
    deployed: (of: string) => answered(asked.deployed, of, deployed),
    hasTag: (tag: string) => answered(asked.tags, tag, hasTag),
    satisfies,
    asked,
    toJSON: () => (isAsked(facts) ? { asked } : undefined),
  };
  return facts;
}

/** Whether a release that was looked at requires something. */
export function isAsked(machine: MachineFacts | undefined): boolean {
  const { deployed, tags } = machine?.asked ?? {};
  return (deployed?.size ?? 0) + (tags?.size ?? 0) > 0;
}

function answered<T>(answers: Map<string, T>, of: string, answer: (of: string) => T): T {
  const known = answers.get(of) ?? answer(of);
  answers.set(of, known);
  return known;
}

/** The facts of a recorded decision: what was not asked then is not known. */
export function recordedFacts(
  known: RecordedAnswers,
  satisfies: MachineFacts['satisfies'],
): MachineFacts {
  const unknown = {
    deployed: () => [{ kind: 'unknown' } as const],
    hasTag: () => false,
    satisfies,
  };
  return machineFacts(unknown, known);
}

import type { DecideInput } from '../core/index.ts';
import {
  recordedFacts,
  type MachineFacts,
  type RecordedAnswers,
} from '../core/releases/machine-facts.ts';
import { satisfiesRange } from '../registry/npm-range.ts';

/** What a machine was asked when it made the decision that it reported. */
export function answersIn({ eligibility }: DecideInput): RecordedAnswers {
  // Its shape was checked.
  return (eligibility.machine?.asked ?? NOTHING_ASKED) as RecordedAnswers;
}

const NOTHING_ASKED: RecordedAnswers = { deployed: new Map(), tags: new Map() };

/**
 * What is known of a machine: what it reported of other modules, which is newer than what it was asked, and which also says what its
 * releases did not require before. What its policy `provides`, and its tags, are in the answers alone (D122, T389).
 */
export function factsOf(
  asked: RecordedAnswers,
  required: RecordedAnswers['deployed'],
): MachineFacts {
  const deployed = new Map(asked.deployed);
  for (const [of, reported] of required) {
    const isKnown = reported.every(({ kind }) => kind !== 'unknown');
    if (isKnown || !deployed.has(of)) deployed.set(of, reported);
  }
  return recordedFacts({ deployed, tags: asked.tags }, satisfiesRange);
}

import type { DecideInput } from '../core/index.ts';
import {
  recordedFacts,
  type MachineFacts,
  type RecordedAnswers,
} from '../core/releases/machine-facts.ts';
import { satisfiesRange } from '../registry/npm-range.ts';
import {
  anyOf,
  isFlag,
  isMapOf,
  isText,
  listOf,
  objectOf,
  oneOf,
  optional,
  type Shape,
} from './shape.ts';

/** What the machine was asked about what releases require (D86). */
export const isAsked: Shape = objectOf({
  deployed: isMapOf(
    listOf(
      anyOf(
        objectOf({ kind: oneOf('version'), text: isText, entry: optional(isText) }),
        objectOf({ kind: oneOf('none', 'unknown', 'no-version'), entry: optional(isText) }),
      ),
    ),
  ),
  tags: isMapOf(isFlag),
});

/** What the machine was asked, with the functions that answer the same. */
export function withMachine(input: DecideInput): DecideInput {
  const { machine, ...eligibility } = input.eligibility;
  if (!machine) return input;
  // Its shape was checked.
  const answers = recordedFacts(machine.asked as RecordedAnswers, satisfiesRange);
  return { ...input, eligibility: { ...eligibility, machine: answers } };
}

/** Whether a value of some facts is what a machine was asked. */
export function isMachine(value: unknown): value is Pick<Required<MachineFacts>, 'asked'> {
  return typeof value === 'object' && value !== null && 'asked' in value;
}

/** What only one of them was asked says nothing: a list that requires it differs. */
export function haveSameAnswers(one: unknown, other: unknown): boolean {
  if (!isMachine(one) || !isMachine(other)) return true;
  return (['deployed', 'tags'] as const).every((kind) =>
    Array.from<readonly [string, unknown]>(one.asked[kind]).every(([of, answer]) => {
      const known = other.asked[kind].get(of);
      return known === undefined || JSON.stringify(answer) === JSON.stringify(known);
    }),
  );
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseVersion } from '../../src/core/index.ts';
import { releaseRecords } from '../support/arbitrary.ts';
import { ask, chosen } from '../support/ask.ts';
import { inputs } from '../support/random-inputs.ts';
import { RUNS } from '../support/runs.ts';

describe('what the policy refuses', () => {
  it('[D94] an additional release that it refuses never changes the selection, in whatever order', () => {
    fc.assert(
      fc.property(inputs, releaseRecords, fc.nat(20), (input, entry, at) => {
        const { constraintText, list } = input;
        const added = parseVersion(entry.version);
        fc.pre(list.every(({ version }) => version !== entry.version));
        if (!added.ok) return;
        const refused = { versions: { kind: 'patch', version: added.value } } as const;
        const refuse = [...(input.eligibility.refuse ?? []), refused];
        const eligibility = { ...input.eligibility, refuse };
        const before = chosen(ask(constraintText, list, eligibility));
        const more = list.toSpliced(at, 0, entry);
        expect(chosen(ask(constraintText, more, eligibility))).toBe(before);
        expect(chosen(ask(constraintText, more.toReversed(), eligibility))).toBe(before);
      }),
      RUNS,
    );
  });
});

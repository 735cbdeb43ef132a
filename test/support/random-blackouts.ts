import fc from 'fast-check';
import type { JudgedTerms } from './judged-machine.ts';
import { NOW } from './decides.ts';

const HOUR = 3_600_000;

/** Blackouts around the time of a decision, in any order; some overlap, and some have no length. */
export const blackouts: fc.Arbitrary<JudgedTerms['blackouts']> = fc.array(
  fc
    .tuple(fc.integer({ min: -30, max: 90 }), fc.nat(30))
    .map(([from, length]) => ({
      from: NOW + from * HOUR,
      until: NOW + (from + length) * HOUR,
      timeZone: 'UTC',
    })),
  { maxLength: 5 },
);

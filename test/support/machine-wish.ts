import fc from 'fast-check';
import type { UpgradeRequest } from '../../src/core/decision/upgrade-request.ts';
import { NOW } from './decides.ts';
import type { JudgedModule } from './judged-machine.ts';

const MINUTE = 60_000;

/** A replacement at once that is wished for: to which release of the list, from what, and when. */
export const wishes = fc.record({
  place: fc.nat(9),
  from: fc.constantFrom('deployed' as const, 'deployed' as const, 'other' as const),
  at: fc.integer({ min: -75, max: 75 }).map((minutes) => NOW + minutes * MINUTE),
});

/** The wish as the planner gets it. */
export function wishedFor({ from, to, at }: NonNullable<JudgedModule['wish']>): UpgradeRequest {
  const asked = { requestedAt: at, by: 'ann', because: undefined, despite: [] };
  return { ...asked, from: from ?? undefined, to };
}

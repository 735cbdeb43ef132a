import {
  expectArgument,
  expectMembers,
  NUMBER,
  numberIn,
  OBJECT,
  optional,
  type Expected,
} from '../text/argument.ts';
import { isTime } from '../text/rfc3339.ts';
import { expectSpelling, type Members } from '../text/spelling.ts';
import type { Eligibility } from './eligibility-policy.ts';
import { PLATFORM } from './platform.ts';

/** Whether a minimum age that no compiler checked is one. A bare number has no unit, and no rule for an unknown age. */
export function isMinimumAge(value: unknown): boolean {
  const { ms, unknown } = Object(value) as Partial<NonNullable<Eligibility['minimumAge']>>;
  return typeof ms === 'number' && (unknown === 'refuse' || unknown === 'allow');
}

/** What callers mistake in an `Eligibility` (D464). */
const TYPES: Readonly<Record<string, Expected>> = {
  now: NUMBER,
  platform: optional(PLATFORM),
  minimumAge: {
    is: (value) => value === undefined || isMinimumAge(value),
    words: '{ ms, unknown } with milliseconds and refuse or allow, or nothing',
  },
};

const TIME: Expected = numberIn(isTime, 'milliseconds since the epoch');
/** A negative age would also select what is published in the future. */
const AGE: Expected = numberIn((ms) => ms >= 0, 'milliseconds from 0');

/** Whether the numbers of an eligibility whose types are right are in their ranges. */
export function isInRange({ now, minimumAge }: Pick<Eligibility, 'now' | 'minimumAge'>): boolean {
  return TIME.is(now) && (minimumAge === undefined || AGE.is(minimumAge.ms));
}

const ELIGIBILITY: Members<Eligibility> = {
  now: true,
  platform: true,
  changedDigests: true,
  firstSeen: true,
  refuse: true,
  quarantine: true,
  minimumAge: true,
  deployed: true,
  clock: true,
  notAfter: true,
  rollouts: true,
  machine: true,
  floors: true,
  trust: true,
  artifactRules: true,
};

/** The members of those whose members may be absent, or count as nothing if they are. */
const PARTS: {
  readonly [Name in 'minimumAge' | 'rollouts' | 'floors' | 'artifactRules']: Members<
    NonNullable<Eligibility[Name]>
  >;
} = {
  minimumAge: { ms: true, unknown: true, byStep: true, exempt: true, afterYank: true },
  rollouts: { machineId: true, group: true, confirmedAt: true, deployed: true },
  floors: { deployed: true, skipped: true },
  artifactRules: { requireDigest: true, allowHttp: true },
};

/**
 * Throws a TypeError unless `found`, which no compiler checked, can be an `Eligibility`, or the one of another type with `known`;
 * a RangeError for a number out of range.
 */
export function expectEligibility(
  callee: string,
  as: string,
  found: Partial<Eligibility>,
  known: Readonly<Record<string, unknown>> = ELIGIBILITY,
): void {
  expectMembers(callee, as, found, TYPES);
  const { now, minimumAge } = found;
  expectArgument(callee, `${as}.now`, now, TIME);
  if (minimumAge) expectArgument(callee, `${as}.minimumAge.ms`, minimumAge.ms, AGE);
  expectEligibilityNames(callee, as, found, known);
}

/** Throws a TypeError for a misspelt name in `found` alone (D313). */
export function expectEligibilityNames(
  callee: string,
  as: string,
  found: Partial<Eligibility>,
  known: Readonly<Record<string, unknown>> = ELIGIBILITY,
): void {
  expectSpelling(callee, as, found, known);
  for (const name of ['minimumAge', 'rollouts', 'floors', 'artifactRules'] as const) {
    const part = found[name];
    if (OBJECT.is(part)) expectSpelling(callee, `${as}.${name}`, Object(part), PARTS[name]);
  }
}

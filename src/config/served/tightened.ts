import type { UpdateTerms } from '../../core/machine/update-policy.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { isObject, isSame } from './json.ts';

/** The terms of a module entry, or of all, as far as a site may tighten them. */
export interface Scope {
  readonly age: UpdateTerms['minimumAge'];
  /** As written; undefined if none is. */
  readonly maintenance: unknown;
  readonly blackout: unknown;
}

const STEPS = ['major', 'minor', 'patch'] as const;

/** The term of `after` that allows what `before` does not; undefined if none does (D262). */
export function loosened(before: Scope, after: Scope): string | undefined {
  if (agesFall(before.age, after.age)) return 'minimum_release_age';
  if (before.age.unknown === 'refuse' && after.age.unknown === 'allow')
    return 'unknown_release_age';
  // Without it, a yank changes no age.
  const { afterYank: least = Infinity } = before.age;
  if ((after.age.afterYank ?? Infinity) < least) return 'age_after_yank';
  if (opensMore(listOf(before.maintenance), listOf(after.maintenance))) return 'maintenance';
  const kept = listOf(after.blackout);
  const isKept = (one: unknown): boolean => kept.some((other) => isSame(one, other));
  return listOf(before.blackout).every(isKept) ? undefined : 'blackout';
}

function agesFall(before: Scope['age'], after: Scope['age']): boolean {
  const byStep = (age: Scope['age'], step: (typeof STEPS)[number]): number =>
    age.byStep?.[step] ?? age.ms;
  return after.ms < before.ms || STEPS.some((step) => byStep(after, step) < byStep(before, step));
}

/** Whether a restart may begin in `after` when it may not in `before`. An empty list is open at any time. */
function opensMore(before: readonly unknown[], after: readonly unknown[]): boolean {
  if (before.length === 0) return false;
  return after.length === 0 || !after.every((one) => before.some((wide) => isWithin(one, wide)));
}

/** Whether a window opens as `wide` does, and for no longer. */
function isWithin(one: unknown, wide: unknown): boolean {
  if (!isObject(one) || !isObject(wide)) return false;
  const isAtOnce = one['start'] === wide['start'] && one['time_zone'] === wide['time_zone'];
  return isAtOnce && msIn(one['duration']) <= msIn(wide['duration']);
}

function msIn(duration: unknown): number {
  const ms = parseDuration(String(duration));
  return ms.ok ? ms.value : Number.NaN;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

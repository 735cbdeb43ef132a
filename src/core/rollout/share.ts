import { COHORT_STEP } from './cohort.ts';

/** Fewer known machines are a small fleet (D156). */
const SMALL_FLEET = 30;

/**
 * The share of a step: the machines whose cohort is below it are included. It is `percent` of all cohorts, or more, so that it
 * includes at least that part of the known machines, and at least one (D52): 1 % of 20 machines is empty for 82 % of the salts. In a
 * small fleet it includes no more than that part.
 */
export function shareFor(percent: number, cohorts: readonly number[]): number {
  if (percent >= 100) return 1;
  const least = machinesOf(percent, cohorts.length);
  // Ten times as fast as an array, whose sort calls a function for each comparison.
  const last = Float64Array.from(cohorts).toSorted()[least - 1];
  const needed = last === undefined ? 0 : last + COHORT_STEP;
  return Math.min(1, isSmall(cohorts.length) ? needed : Math.max(percent / 100, needed));
}

/**
 * The percentages of the steps for so many known machines, of which `included` are included: those that include more. A small fleet
 * has one for 1, 2, 4, 8 and 16 machines, and for all (D156).
 */
export function stepsFor(
  { known, included }: { readonly known: number; readonly included: number },
  steps: readonly number[],
): readonly number[] {
  const percents = isSmall(known) ? doublings(known) : steps;
  return percents.filter(
    (percent) => known === 0 || percent >= 100 || machinesOf(percent, known) > included,
  );
}

/** Of 29 machines: 3.4, 6.8, 13.7, 27.5, 55.1 and 100 %. */
function doublings(known: number): number[] {
  const percents: number[] = [];
  // Rounded down, each still is that many machines.
  for (let count = 1; count < known; count *= 2)
    percents.push(Math.floor((count * 1000) / known) / 10);
  return [...percents, 100];
}

function machinesOf(percent: number, known: number): number {
  return Math.max(1, Math.ceil((known * percent) / 100));
}

function isSmall(known: number): boolean {
  return known > 0 && known < SMALL_FLEET;
}

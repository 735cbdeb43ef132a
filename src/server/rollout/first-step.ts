import type { ModuleId } from '../../core/index.ts';
import { cohort } from '../../core/rollout/cohort.ts';
import type { Statements } from '../../sqlite/statements.ts';
import {
  newSalt,
  startEvent,
  type FirstStep,
  type RollingRelease,
  type RolloutStart,
} from '../catalogue/rollout-start.ts';
import { emptyGroup, groupCounts } from '../fleet/groups.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import { rolloutMachines } from '../fleet/rollout-machines.ts';
import { eachInSlices, uninterrupted, type Slices } from '../fleet/slices.ts';

/** The event that begins the rollout of a release, for the machines that reported. */
function* firstStep(
  sql: Statements,
  moduleId: ModuleId,
  release: RollingRelease,
  at: number,
): Slices<RolloutStart> {
  const salt = newSalt();
  const cohorts: number[] = [];
  const machines = yield* rolloutMachines(sql, moduleId, release);
  yield* eachInSlices(machines, ({ id, isRetired, delivery }) => {
    // No step includes a retired machine yet, so it counts only if it has the release (D83).
    if (!isRetired || delivery) cohorts.push(cohort(id, salt));
  });
  return startEvent(salt, cohorts, at, release.first);
}

/** Why a rollout cannot begin with these groups; undefined if it can (T400). */
export function emptyFirst(
  fleet: Pick<FleetFile, 'read'>,
  first: readonly string[] | undefined,
): string | undefined {
  if (!first || first.length === 0) return undefined;
  return emptyGroup(
    fleet.read((sql) => groupCounts(sql, 0)),
    first,
  );
}

/** The same while requests are answered: 100,000 machines take half a second. */
export type FirstStepInSlices = (...release: Parameters<FirstStep>) => Promise<RolloutStart>;

export function firstStepInSlices(fleet: Pick<FleetFile, 'readInSlices'>): FirstStepInSlices {
  return async (...release) => await fleet.readInSlices((sql) => firstStep(sql, ...release));
}

/** The same in a transaction of the catalogue. */
export function firstStepAtOnce(fleet: Pick<FleetFile, 'read'>): FirstStep {
  return (...release) => fleet.read((sql) => uninterrupted(firstStep(sql, ...release)));
}

import { describeDuration } from '../../core/text/duration.ts';
import type { ReleaseList } from '../../registry/registry.ts';
import type { Plan, Platform, Result } from '../../core/index.ts';
import type { Problem } from '../../base/problem.ts';
import type { PlanDocuments } from '../plan-documents.ts';
import type { Facts } from '../plan-facts.ts';
import type { PlanLists } from '../plan-lists.ts';

/** A plan, its inputs, and its time. */
export interface Planned {
  readonly path: string;
  readonly documents: PlanDocuments;
  readonly facts: Facts;
  readonly lists: PlanLists;
  readonly plan: Plan;
  readonly platform: Platform;
  /** The id of the machine, which rollouts use, or why it is not known. */
  readonly machineId: Result<string | undefined, Problem>;
  readonly now: number;
  /** Whether `now` is from `--at` and not from the clock. */
  readonly isAsOf: boolean;
}

/** Where the lists of a plan are from, and how old the oldest is; undefined if none was read. */
export function describeListsOf({
  lists: { modules, subsystems },
  now,
}: Pick<Planned, 'lists' | 'now'>): string | undefined {
  const readings = [...modules.values(), ...subsystems.values()];
  const read = readings.flatMap((reading) => (reading.ok ? [reading.value] : []));
  return read.length > 0 ? describeLists(read, now) : undefined;
}

/** Where the lists are from, and the age of the oldest one from a network. */
function describeLists(lists: readonly ReleaseList[], now: number): string {
  const places = new Set(lists.map(({ from }) => from));
  const [first = ''] = places;
  const from = places.size === 1 ? first : `${places.size} registries`;
  const times = lists.flatMap(({ source, fetchedAt }) =>
    (source === 'network' || source === 'saved') && fetchedAt !== undefined ? [fetchedAt] : [],
  );
  const age = now - times.reduce((oldest, time) => Math.min(oldest, time), now);
  const old = times.length === 0 ? '' : `, ${describeDuration(age)} old`;
  return `lists from ${from}${old}`;
}

import type { Machine } from '../../config/index.ts';
import { platformHome } from '../../config/platform-home.ts';
import { planMachine, type Plan, type Platform, type Result } from '../../core/index.ts';
import type { ClockReading } from '../../core/decision/operator-hold.ts';
import { NOT_ASKED } from '../../core/plan/plan.ts';
import { planInputFor, type Circumstances } from '../../core/plan/plan-input.ts';
import { describeDuration } from '../../core/text/duration.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import { satisfiesRange } from '../../registry/npm-range.ts';
import { moduleListOf } from '../../registry/module-list.ts';
import type { ReleaseList } from '../../registry/registry.ts';
import { parseProblem, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { platformOf, readMaxAge, type ListOptions } from '../list-options.ts';
import { askedTime } from '../asked-time.ts';
import { groupOf, machineIdOf } from '../machine-id.ts';
import { readPlanDocuments, type PlanDocuments } from '../plan-documents.ts';
import { clockReading } from '../clock-reading.ts';
import { downloadedFor } from '../downloaded.ts';
import { factsFor, type Facts } from '../plan-facts.ts';
import type { Failing } from '../recent-failures.ts';
import { readPlanLists, type PlanLists } from '../plan-lists.ts';

/** Which documents and lists a plan is made from. */
export interface PlanTerms extends ListOptions {
  readonly deployed?: string;
  /** The lists of a machine on which no agent or poller has run are not saved: `plan` says that nothing was changed (D292). */
  readonly isUnsavedIfNew?: true;
}

/** A plan, its inputs, and its time. */
export interface Planned {
  readonly path: string;
  readonly documents: PlanDocuments;
  readonly facts: Facts;
  /** Whether no agent or poller has run here: then no module counts as deployed (D292). */
  readonly isNew: boolean;
  /** Whether it is about this machine now: neither a report nor another time. */
  readonly isHere: boolean;
  /** What the agent has, or gets next; empty with a report, and at another time. */
  readonly open: readonly OpenAction[];
  /** When the lists that the agent could not read are read again, in words (D419); undefined if nothing was read in vain, or it is not known. */
  readonly attempt?: string | undefined;
  /** By the name of the entry: the modules whose version in use ends again and again; empty where `open` is. */
  readonly failing: ReadonlyMap<string, Failing>;
  readonly lists: PlanLists;
  readonly plan: Plan;
  /** By target key: the versions that are held and whose packages are there (D78). */
  readonly downloaded: ReadonlyMap<string, string>;
  readonly platform: Platform;
  /** The id of the machine, which rollouts use, or why it is not known. */
  readonly machineId: Result<string | undefined, Problem>;
  /** The group of the machine in its credentials (D108). */
  readonly group: string | undefined;
  /** What the machine's system is tagged with. */
  readonly systemTags: () => readonly string[];
  readonly now: number;
  readonly clock: ClockReading['clock'];
  /** Whether `now` is from `--at` and not from the clock. */
  readonly isAsOf: boolean;
}

/** What the agent has now says nothing of another time. */
const NOT_CURRENT = { open: [], failing: new Map<string, Failing>(), attempt: undefined };

/** The plan of a machine with these documents, of which `path` is the machine config. */
export async function planFor(
  path: string,
  documents: Result<PlanDocuments, Problem[]>,
  options: PlanTerms,
  world: World,
): Promise<Result<Planned, Problem[]>> {
  const platform = platformOf(options, world);
  const at = options.at === undefined ? undefined : askedTime(options.at, world.clock());
  const maxAge = readMaxAge(options.maxAge);
  if (!platform.ok || at?.ok === false || !maxAge.ok || !documents.ok) {
    const problems = [
      ...(platform.ok ? [] : [platform.error]),
      ...(at?.ok === false ? [parseProblem(at.error)] : []),
      ...(maxAge.ok ? [] : [maxAge.error]),
      ...(documents.ok ? [] : documents.error),
    ];
    return { ok: false, error: problems };
  }
  const facts = await factsFor(documents.value, world);
  if (!facts.ok) return { ok: false, error: [facts.error] };
  const known = { documents: documents.value, ...facts.value };
  const unsaved = options.isUnsavedIfNew && facts.value.isNew && ({ isUnsaved: true } as const);
  const reading = { ...options, ...unsaved, maxAgeMs: maxAge.value };
  const lists = await readPlanLists(path, known, reading, world);
  if (!lists.ok) return { ok: false, error: [lists.error] };
  const isAsOf = at !== undefined;
  const now = at?.value ?? world.clock();
  const { clock } = clockReading(world);
  const group = groupOf(world);
  const machine = { platform: platform.value, machineId: machineIdOf(world), group };
  const systemTags = (): readonly string[] => world.systemTags?.() ?? [];
  const circumstances = { ...machine, now, clock, isAsOf, systemTags };
  // A report, or another time, does not describe what this machine has.
  const isHere = options.deployed === undefined && !isAsOf;
  const current = { ...known, ...(isAsOf && NOT_CURRENT) };
  const inputs = { path, ...current, isHere, lists: lists.value, ...circumstances };
  const plan = decideOn(inputs);
  const downloaded = downloadedFor(plan, isHere ? platformHome(world.environment) : undefined);
  return { ok: true, value: { ...inputs, plan, downloaded } };
}

/** The options of a plan from the lists that the agent saved. */
export type SavedPlanTerms = Omit<PlanTerms, 'at' | 'deployed' | 'offline' | 'maxAge'>;

/** The same without a request. The lists are current if the agent has confirmed them lately: its longest back-off is ten minutes. */
export async function planFromSaved(
  path: string,
  options: SavedPlanTerms,
  world: World,
  documents: Result<PlanDocuments, Problem[]> = readPlanDocuments(path, options),
): Promise<Result<Planned, Problem[]>> {
  return await planFor(path, documents, { ...options, offline: true, maxAge: '30m' }, world);
}

/** What a plan is based on instead of what is. */
export interface Supposition {
  readonly machine?: Machine;
  readonly facts?: Facts;
}

/** What would be planned with the same lists at the same time. The supposed machine has the same modules. */
export function planSupposing(planned: Planned, { machine, facts }: Supposition): Plan {
  return decideOn({
    ...planned,
    facts: facts ?? planned.facts,
    documents: { ...planned.documents, ...(machine && { machine }) },
  });
}

/** With `--at`, the list counts as confirmed at that time. */
function decideOn({
  documents,
  lists,
  facts,
  now,
  clock,
  isAsOf,
  platform,
  machineId,
  group,
  systemTags,
}: Omit<Planned, 'path' | 'plan' | 'downloaded' | 'isNew' | 'isHere' | 'open' | 'failing'>): Plan {
  const circumstances: Circumstances = {
    platform,
    machineId: machineId.ok ? machineId.value : undefined,
    group,
    now,
    clock,
    laterReleases: isAsOf ? 'refuse' : 'allow',
    isServerBusy: false,
    requirements: { satisfies: satisfiesRange, systemTags },
    knownOf: (target) => {
      const readings = target.kind === 'module' ? lists.modules : lists.subsystems;
      const reading = readings.get(target.name);
      const list = reading ? moduleListOf(reading) : NOT_ASKED;
      return { ...facts(target), list: isAsOf ? { ...list, readAt: undefined } : list };
    },
  };
  return planMachine(planInputFor(documents, circumstances));
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

import semver from 'semver';
import {
  formatConstraint,
  indexReleases,
  planMachine,
  readDeployed,
  type ModuleState,
  type PlanInput,
  type ReleaseRecord,
} from 'modreg';
import { readMachine, readUpdatePolicy } from 'modreg/config';
import { seededList } from '../resolving/lists.ts';
import { fastestRuns } from '../resolving/slices.ts';
import { constraint } from '../parsed.ts';

const MODULES = 1000;
const RELEASES = 1000;
const TIMED = 3;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const CONSTRAINTS = ['1.*', '1.2.*', 'latest', 'latest-with-prerelease'];

export interface PlanRow {
  readonly what: string;
  /** Milliseconds. */
  readonly time: number;
  /** Number of actions in the plan. */
  readonly actions?: number;
}

/** Times of a plan for 1,000 modules with 1,000 releases each in three situations, and of indexing. */
export function planTimes(): PlanRow[] {
  const lists = Array.from({ length: MODULES }, (_, place) => seededList(RELEASES, place + 1));
  const indexing = fastest(() => lists.map(sorted));
  const indexes = lists.map(sorted);
  const held = readUpdatePolicy(
    '{"minimum_release_age": "7d", "maintenance": [{"start": "0 2 * * *", "duration": "2h", "time_zone": "Europe/Berlin"}]}',
  );
  const free = readUpdatePolicy('{}');
  if (!held.ok || !free.ok) throw new Error('a policy has errors');
  const machine = machineOf();
  const input = (deployed: string | null, policy: PlanInput['policy']): PlanInput => ({
    machine,
    policy,
    platform: 'linux/arm64',
    now: NOW,
    isServerBusy: false,
    modules: new Map(
      indexes.map((index, place): [string, ModuleState] => {
        return [`acme_m${place}`, { list: { index }, deployed: readDeployed(deployed) }];
      }),
    ),
    subsystems: new Map(),
  });
  const inputs = {
    'half of the modules have an action': input('99.0.0', free.value),
    'every module has an action': input('0.0.1', free.value),
    'every module is held by a window, with a minimum age': input('0.0.1', held.value),
  };
  const times = fastestRuns(
    Object.entries(inputs).map(([name, one]) => ({ name, run: () => planMachine(one) })),
  );
  const plans = Object.entries(inputs).map(([what, one], place): PlanRow => {
    const actions = planMachine(one).restarts.flatMap((restart) => restart.actions);
    return { what, time: (times[place] ?? Infinity) / 1000, actions: actions.length };
  });
  return [
    ...plans,
    { what: 'indexing and sorting the lists', time: indexing },
    { what: 'semver.maxSatisfying of the lists', time: fastest(() => lists.map(bestBySemver)) },
  ];
}

function sorted(list: readonly ReleaseRecord[]): ReturnType<typeof indexReleases> {
  const index = indexReleases(list);
  // The index is sorted when its releases are first iterated.
  index.releases()[Symbol.iterator]().next();
  return index;
}

function bestBySemver(list: readonly ReleaseRecord[], place: number): string | null {
  const text = formatConstraint(constraint(CONSTRAINTS[place % CONSTRAINTS.length] ?? 'latest'));
  const range = text.startsWith('latest') ? '*' : text.replaceAll('*', 'x');
  return semver.maxSatisfying(
    list.map(({ version }) => version),
    range,
  );
}

/** In milliseconds. */
function fastest(run: () => unknown): number {
  const times = Array.from({ length: TIMED }, () => {
    const start = process.hrtime.bigint();
    run();
    return Number(process.hrtime.bigint() - start) / 1e6;
  });
  return Math.min(...times);
}

/** A machine with one component per module, in dependency chains of three. */
function machineOf(): PlanInput['machine'] {
  const modules = Array.from({ length: MODULES }, (_, place) => ({
    type: 'registry',
    name: `acme_m${place}`,
    module_id: `acme:m${place}`,
    version: CONSTRAINTS[place % CONSTRAINTS.length],
  }));
  const components = Array.from({ length: MODULES }, (_, place) => ({
    name: `c${place}`,
    model: `acme:m${place}:x`,
    type: 'sensor',
    namespace: 'rdk',
    depends_on: place % 3 === 0 ? [] : [`c${place - 1}`],
  }));
  const read = readMachine(JSON.stringify({ modules, components }));
  if (!read.ok) throw new Error('the machine config has errors');
  return read.value;
}

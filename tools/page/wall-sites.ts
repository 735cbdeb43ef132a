import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseModuleId, type ModuleId } from '../../src/core/index.ts';
import type { ReportedModule } from '../../src/registry/machine-report.ts';
import type { WallState } from '../../src/server/fleet/wall-machines.ts';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { machineReport, reportedState } from '../../test/support/machine-report.ts';
import { processesIn } from './rover.ts';
import type { Site } from './site.ts';

/** A fleet on the wall: how many machines have which state, in how many groups, and the states of its rollouts. */
interface Fleet {
  readonly states: Readonly<Partial<Record<WallState, number>>>;
  readonly groups?: number;
  readonly rollouts?: readonly ('running' | 'failing' | 'halted')[];
}

/** One for each size of the tiles, and for each kind of what the wall shows. */
export const WALL_FLEETS: Readonly<Record<string, Fleet>> = {
  empty: { states: {} },
  well: { states: { well: 6 } },
  few: {
    states: { silent: 1, failing: 2, stuck: 1, quiet: 1, behind: 2, well: 5 },
    rollouts: ['failing'],
  },
  dots: {
    states: { silent: 6, failing: 8, stuck: 3, quiet: 3, behind: 20, well: 160 },
    rollouts: ['running', 'failing', 'halted'],
  },
  groups: {
    states: { silent: 3, failing: 4, quiet: 2, behind: 60, well: 531 },
    groups: 7,
    rollouts: ['running'],
  },
};

const DAY = 86_400_000;
const EVERY_MS = 60_000;
const OLD: Readonly<Partial<Record<WallState, number>>> = { silent: 3 * DAY, quiet: 3_600_000 };
const REASON = 'the self-test failed: the motor of axis 2 stalled after 40 s, and the brake was on';

const MODULES: Readonly<Partial<Record<WallState, Partial<ReportedModule>>>> = {
  failing: {
    target: '1.3.0',
    decision: 'upgrade',
    failing: { version: '1.3.0', blame: 'release', reason: REASON, next_at: null },
  },
  stuck: {
    decision: 'stuck',
    constraint: '3.1.*',
    reason: 'no release satisfies 3.1.*; 5 releases',
  },
  behind: { target: '1.3.0', decision: 'hold' },
};

/** Calls `work` with a site whose machines are those of a fleet, and removes it afterwards. */
export async function withWall(fleet: Fleet, work: (site: Site) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-wall-'));
  const { start, end } = processesIn(folder);
  const path = join(folder, 'registry.db');
  try {
    roll(path, fleet.rollouts ?? []);
    await report(path, fleet);
    await work({ folder, path, start });
  } finally {
    await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

const NAMES = ['rover', 'crane', 'packer', 'warehouse-forklift'];

async function report(path: string, { states, groups = 0, rollouts = [] }: Fleet): Promise<void> {
  const list = Object.entries(states).flatMap(([state, count]) =>
    Array.from({ length: count }, () => state as WallState),
  );
  if (list.length === 0) return;
  let now = Date.now();
  const fleet = new FleetFile(fleetPath(path), () => now);
  const began = now;
  for (const [place, state] of list.entries()) {
    now = began - (OLD[state] ?? 0);
    const group = groups === 0 ? undefined : groupOf(place, groups);
    const result = resultOf(state, rollouts[0]);
    const module = result === 'done' ? { deployed: '1.3.0' } : MODULES[state];
    const known = { ...reportedState(1, module ?? {}), every_ms: EVERY_MS, group };
    const numbers = result === undefined ? [] : [1];
    const sent = machineReport(numbers, { queue: `queue-of-${place}`, state: known });
    const outcomes = sent.outcomes.map((one) => ({
      ...one,
      to: '1.3.0',
      result: result ?? one.result,
    }));
    await fleet.report(`${NAMES[place % NAMES.length]}-${place + 1}`, { ...sent, outcomes });
  }
  fleet.close();
}

/** What became of the release of the first rollout on a machine. */
function resultOf(state: WallState, rollout: string | undefined): 'done' | 'failed' | undefined {
  if (rollout === undefined) return undefined;
  if (state === 'failing') return 'failed';
  return state === 'well' && rollout !== 'failing' ? 'done' : undefined;
}

/** One has no group. */
function groupOf(place: number, groups: number): string | undefined {
  const number = place % (groups + 1);
  return number === 0 ? undefined : `hall-${number}`;
}

function idOf(text: string): ModuleId {
  const id = parseModuleId(text);
  if (!id.ok) throw new Error(id.error.message);
  return id.value;
}

/** Of each rollout, half of the machines are in the step. */
function roll(path: string, rollouts: readonly string[]): void {
  const catalogue = new Catalogue(path, { mode: 'create' });
  const now = Date.now();
  for (const [place, state] of rollouts.entries()) {
    const moduleId = idOf(place === 0 ? 'acme:lidar' : `acme:lidar-${place}`);
    for (const version of ['1.2.9', '1.3.0']) {
      const release = readRelease({ version });
      if (!release.ok) throw new Error(release.error.join('\n'));
      catalogue.publish(moduleId, release.value, now - 20 * DAY);
    }
    catalogue.yank(moduleId, '1.3.0', '');
    const step = { percent: 50, salt: 'salt', share: 0.5 };
    const started = { kind: 'started', after: 0, at: now, ...step } as const;
    const named = { kind: 'rollout', moduleId, version: '1.3.0', soakMs: 3_600_000 } as const;
    catalogue.apply({ ...named, event: started });
    const found = catalogue.rollouts.of(moduleId, '1.3.0');
    if (state === 'halted' && found.ok && found.value) {
      const { sequence } = found.value.rollout;
      const event = {
        kind: 'halted',
        after: sequence,
        at: now,
        because: '3 of 5 machines failed',
        failures: { failed: 3, silent: 0 },
      } as const;
      catalogue.apply({ ...named, event });
    }
  }
  catalogue.close();
}

import type { AgentPorts } from '../../src/agent/ports.ts';
import { expectPermission } from '../../src/agent/prepare.ts';
import type { ModuleId } from '../../src/core/index.ts';
import { noteActivation } from '../../src/store/activations.ts';
import type { MachineFile } from '../../src/store/index.ts';
import { chanceOf } from './chance.ts';
import type { Outage } from './devices.ts';
import { judgeInherited } from './inheritance.ts';
import { judgeKept, judgeStart, provenKey } from './host-judge.ts';
import type { Target } from './ledger.ts';
import type { LifeContext } from './life.ts';
import { playProcess } from './module-process.ts';
import type { Status } from './orders.ts';
import { configurationOf } from './documents.ts';
import { setupOf } from './setups.ts';
import { restartStatusIn } from './statuses.ts';
import { entryOf, judgeStop, trialOf } from './stops.ts';
import type { World } from './world.ts';

/*
 * The packages and processes of a machine that modreg's own agent runs.
 */

/** A process, from before its launch until nothing of it is left. */
export interface ModuleProcess {
  readonly name: string;
  readonly version: string;
  readonly root: string;
  /** The agent that started it. */
  readonly life: LifeContext['life'];
  /** What its entry was when it was started. */
  readonly entry: string | undefined;
  /** The action for which it is tried. */
  readonly trial: string | undefined;
  /** On the monotonic clock. */
  readyAt: number | undefined;
  hasFailed: boolean;
  isStopping: boolean;
  /** The device that it needs goes away. */
  unplug: () => void;
}

export interface Host {
  readonly packages: Set<string>;
  /** The packages whose first run is done. */
  readonly ranFirst: Set<string>;
  readonly processes: Set<ModuleProcess>;
  /** The versions that stayed up through a probation, by entry and package folder. */
  readonly proven: Set<string>;
  /** When the device of an entry was away, by its name. */
  readonly outages: Map<string, Outage[]>;
  /** For how long devices go away when versions are tried next, one each; undefined until the world is mended. */
  readonly loose: (number | undefined)[];
  /** From then on nothing but time passes. */
  isMended: boolean;
  /** What each entry says about its restart, by its name. */
  readonly statuses: Map<string, Status | 'opens for a moment'>;
  /** The values that operators wrote into entries: whether each is wrong, by its number. */
  readonly values: boolean[];
  /** The number of the value that the program of each entry was given last, by its name. */
  readonly given: Map<string, number | undefined>;
  /** When the programs of each entry failed, by its name. */
  readonly crashes: Map<string, number[]>;
  /** The packages that the last plan may prefetch. */
  readonly upcoming: Set<string>;
}

export function blankHost(): Host {
  return {
    packages: new Set(),
    ranFirst: new Set(),
    processes: new Set(),
    proven: new Set(),
    outages: new Map(),
    loose: [],
    isMended: false,
    statuses: new Map(),
    values: [],
    given: new Map(),
    crashes: new Map(),
    upcoming: new Set(),
  };
}

/** An agent's process on the machine. */
export interface HostContext extends LifeContext {
  readonly host: Host;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const LONGEST_FIRST_RUN_MS = MINUTE;
/** The share of packages that have to be run once first. */
const FIRST_RUNS = 0.3;
const LONGEST_STOP_MS = 10 * SECOND;
const KILL_TURNS = 5;
/** How long processes outlive their agent: the kernel ends most of them at once. */
const LINGERS_MS = [0, 0, 0, 50, 4 * SECOND, 20 * SECOND] as const;

/** Deploys a version before the machine is first observed. */
export function deploy(
  { packages, proven }: Host,
  file: MachineFile,
  { name, moduleId }: Target,
  version: string,
): void {
  const current = { version, root: `/home/robot/packages/${name}/${version}` };
  packages.add(current.root);
  proven.add(provenKey(name, current.root));
  const activation = { phase: 'stable', current, previous: undefined, settled: undefined } as const;
  // A cast: the ids of simulated modules are valid.
  noteActivation(file, name, { moduleId: moduleId as ModuleId, activation });
}

/** The kernel ends the processes of an agent that was killed. */
export function killProcesses({ host, line, seed, trace }: World, life: LifeContext['life']): void {
  const chance = chanceOf(seed, `processes of ${life.number}`);
  for (const process of host?.processes ?? []) {
    if (process.life !== life) continue;
    line.after(chance.one(LINGERS_MS), () => {
      if (host?.processes.delete(process) !== true) return;
      trace.note(`${process.version} of ${process.name} ended after its agent`);
    });
  }
}

const FAULTS = {
  space: { reason: 'no space', blame: 'machine' },
  archive: { reason: 'its archive is damaged', blame: 'release' },
  package: { reason: 'its package is gone', blame: 'machine' },
  start: { reason: 'it cannot be started', blame: 'machine' },
} as const;

function refused<K extends keyof typeof FAULTS>(
  fault: K,
): { ok: false; error: (typeof FAULTS)[K] } {
  return { ok: false, error: FAULTS[fault] };
}

/** What an agent does to the machine. */
export function portsOf(context: HostContext): Omit<AgentPorts, 'poller'> {
  const { world, host, life, killable, chance } = context;
  const { conditions, trace } = world;
  return {
    isInstalled: (root) => host.packages.has(root),
    earlierData: () => [],
    restartStatusAt: async (url) => await restartStatusIn(context, url),
    killMarked: async () =>
      await killable('end orphans', async () => {
        const count = host.processes.size;
        for (let turn = 0; turn < KILL_TURNS && host.processes.size > 0; turn++)
          await life.clock.sleep(SECOND);
        return { count, isOver: host.processes.size === 0 };
      }),
    removeUnused: async (_, { kept, upcoming }) => {
      judgeKept(world, kept);
      const unused = [...host.packages].filter(
        (root) => !kept.has(root) && !upcoming?.has(root) && chance.is(0.3),
      );
      for (const root of unused) {
        host.packages.delete(root);
        host.ranFirst.delete(root);
      }
      return await Promise.resolve(unused);
    },
    prepared: async (delivery, { stopping }) =>
      await killable('prepare a version', async () => await prepare(context, delivery, stopping)),
    prefetched: async ({ root }, { signal, stopping }) =>
      await killable('prefetch a version', async () => {
        if (!host.upcoming.has(root))
          world.complain('D78', `${root} is prefetched, and no plan holds it`);
        await download(context, AbortSignal.any([signal, stopping]));
        if (chance.is(conditions.obstructed)) return refused('space');
        host.packages.add(root);
        trace.note(`${root} is prefetched`);
        return { ok: true, value: { ignored: [] } };
      }),
    isMetered: async () => await Promise.resolve(chance.is(conditions.obstructed)),
    runnableFor: (entry, { root }) => {
      const { type, name, env } = entry;
      const value = env['VALUE'] === undefined ? undefined : Number(env['VALUE']);
      host.given.set(name, value);
      noteStarted(world.ledger, entry);
      if (type !== 'local' && !host.packages.has(root)) return refused('package');
      if (chance.is(conditions.obstructed)) return refused('start');
      // A cast: only a real process would be started with it.
      return { ok: true, value: {} as never };
    },
    whyNotStarted: (_, { root }) => {
      if (!host.packages.has(root)) return FAULTS.package;
      return chance.is(conditions.obstructed) ? FAULTS.start : undefined;
    },
    moduleProcess: (run, start, reports) => {
      const [name = ''] = start.mark.split('/').slice(-3);
      judgeStart(world, name, run);
      judgeInherited(world, name);
      return killable('start a process', () => {
        const process = processOf(context, name, run);
        host.processes.add(process);
        trace.note(`${run.version} of ${name} starts`);
        const ending = new AbortController();
        const { signal } = ending;
        void playProcess(context, process, {
          runnable: () => start.runnable(run),
          reports,
          signal,
        });
        const stop = async (): Promise<void> => {
          judgeStop(world, process);
          process.isStopping = true;
          ending.abort(new Error('the process is stopped'));
          await life.clock.sleep(chance.between(0, LONGEST_STOP_MS));
          host.processes.delete(process);
          trace.note(`${run.version} of ${name} is gone`);
        };
        return { stop: async () => await killable('stop a process', stop) };
      });
    },
  };
}

/** The program of an entry begins. The agent may not have got yet what it is reading. */
function noteStarted(
  { started, desired, desiredBefore }: World['ledger'],
  entry: Parameters<AgentPorts['runnableFor']>[0],
): void {
  const used = [desired, desiredBefore].find(
    (one) => one && configurationOf(one).machine.modules.includes(entry),
  );
  const setup = setupOf(used, entry.name);
  if (setup !== undefined) started.set(entry.name, setup);
}

function processOf(
  { world, life }: HostContext,
  name: string,
  run: Pick<ModuleProcess, 'version' | 'root'>,
): ModuleProcess {
  const entry = entryOf(world.ledger.desired, name);
  const trial = trialOf(world, name);
  return {
    name,
    ...run,
    life,
    entry,
    trial,
    readyAt: undefined,
    hasFailed: false,
    isStopping: false,
    unplug: () => undefined,
  };
}

type Prepare = AgentPorts['prepared'];

/** Installs a version unless it is installed, and runs it once if it has to be: only if it may be begun then. */
async function prepare(
  context: HostContext,
  delivery: Parameters<Prepare>[0],
  stopping: AbortSignal,
): ReturnType<Prepare> {
  const { world, host, life, killable, chance } = context;
  const { action, folders, signal } = delivery;
  const { root } = folders;
  const ending = AbortSignal.any([signal, stopping]);
  if (root === undefined || !host.packages.has(root)) {
    await download(context, ending);
    if (root === undefined || chance.is(world.conditions.obstructed)) return refused('space');
    const health = chanceOf(world.seed, `archive ${root}`);
    if (health.is(world.conditions.broken / 4)) return refused('archive');
    host.packages.add(root);
    world.trace.note(`${root} is installed`);
  }
  if (chanceOf(world.seed, `first run ${root}`).is(FIRST_RUNS) && !host.ranFirst.has(root)) {
    await expectPermission(delivery, { onEvent: () => undefined });
    await killable('run first', async () => {
      world.judge.runsFirst(action.id);
      await life.clock.sleep(chance.between(0, LONGEST_FIRST_RUN_MS), ending);
      host.ranFirst.add(root);
      world.trace.note(`${root} ran first`);
    });
  }
  return { ok: true, value: { version: action.to, root } };
}

/** From seconds to hours. Once the network has healed, what is left takes no longer than any other download. */
async function download(
  { world: { conditions }, life, chance }: HostContext,
  ending: AbortSignal,
): Promise<void> {
  const longest = Math.log(conditions.longestDownloadMs);
  let leftMs = Math.exp(chance.between(Math.log(SECOND), longest));
  while (leftMs > 0) {
    const ms = Math.min(leftMs, MINUTE);
    await life.clock.sleep(ms, ending);
    leftMs = Math.min(leftMs - ms, conditions.longestDownloadMs);
  }
}

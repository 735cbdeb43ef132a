import type { Scheduler } from 'fast-check';
import { onTestFinished } from 'vitest';
import { readMachine, readUpdatePolicy } from '../../src/config/index.ts';
import type { ActionTarget } from '../../src/core/index.ts';
import {
  Poller,
  type Configuration,
  type Delivery,
  type PollerEvent,
  type PollerOptions,
} from '../../src/poller/index.ts';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import { RegistryError, type ListResult } from '../../src/registries/index.ts';
import { openForPoller, type ClaimedFile } from '../../src/store/index.ts';
import { machineStateIn, type MachineState } from '../../src/store/machine-state.ts';
import { moduleNamed } from './claimed.ts';
import { temporaryFolder } from './folder.ts';
import { entry } from './planned.ts';
import { virtualClock, type VirtualClock } from '../../src/testing/virtual-clock.ts';

/** The response of a registry: `3` is a list whose newest release is 1.0.3. */
export type Answer = number | 'no list' | 'never' | 'rejects';

/** A request to a registry, and its state. */
interface ReadRequest {
  readonly answer: Answer;
  readonly signal: AbortSignal | undefined;
  state: 'open' | 'in time' | 'late';
}

/** A registry whose responses arrive in the order that a scheduler selects. */
export interface RacingRegistry extends PollableRegistry {
  /** The newest release of the last list that arrived in time. */
  newest(): string | undefined;
  /** How many requests arrived while another one was open and not aborted. */
  overlaps(): number;
  /** From now on it responds at once with `answer`. */
  calm(answer: Answer): void;
}

export function racingRegistry(scheduler: Scheduler, answers: readonly Answer[]): RacingRegistry {
  const requests: ReadRequest[] = [];
  let overlaps = 0;
  let calm: Answer | undefined;
  let newest: Answer | undefined;
  const isOpen = ({ state, signal }: ReadRequest): boolean =>
    state === 'open' && signal?.aborted !== true;
  return {
    newest: () => (typeof newest === 'number' ? `1.0.${newest}` : undefined),
    overlaps: () => overlaps,
    calm: (answer) => {
      calm = answer;
    },
    read: async () => await Promise.reject(new Error('pollers read all lists at once')),
    async readAll(moduleIds, signal) {
      if (requests.some(isOpen)) overlaps++;
      const answer = calm ?? answers[requests.length % answers.length] ?? 'never';
      const input: ReadRequest = { answer, signal, state: 'open' };
      requests.push(input);
      if (answer === 'never') await new Promise(() => undefined);
      if (calm === undefined) await scheduler.schedule(Promise.resolve(), String(answer));
      input.state = signal?.aborted === true ? 'late' : 'in time';
      if (answer === 'rejects')
        throw new RegistryError('registry-unreachable', 'connection refused');
      if (input.state === 'in time') newest = answer;
      return new Map(moduleIds.map((moduleId) => [moduleId, readingOf(answer)]));
    },
  };
}

/** A registry that responds at once with a list whose newest release is 1.0.`patch`. */
export function promptRegistry(patch: () => number): PollableRegistry {
  return {
    read: async () => await Promise.reject(new Error('pollers read all lists at once')),
    readAll: async (moduleIds) =>
      await Promise.resolve(new Map(moduleIds.map((id) => [id, readingOf(patch())]))),
  };
}

export function readingOf(answer: Answer): ListResult {
  if (typeof answer !== 'number') {
    return { ok: false, error: new RegistryError('registry-busy', 'too many requests') };
  }
  const records = [{ version: '1.0.0' }, { version: `1.0.${answer}` }];
  const rest = { dropped: [], source: 'network', from: 'a registry', fetchedAt: 1 } as const;
  return { ok: true, value: { ...rest, records } };
}

/** The lidar and the arm have different registries. */
const POLICY = {
  restart_cooldown: '1m',
  modules: { acme_arm: { registry: 'https://arms.example' } },
};

/** Configurations to switch between. */
export const CONFIGURATIONS: Readonly<Record<'both' | 'lidar' | 'pinned' | 'none', Configuration>> =
  {
    both: configurationOf(entry('acme:lidar', '1.*'), entry('acme:arm', '1.*')),
    lidar: configurationOf(entry('acme:lidar', '1.0.*')),
    pinned: configurationOf(entry('acme:lidar', '1.0.1'), entry('acme:arm', '1.*')),
    none: configurationOf(),
  };

export function configurationOf(...modules: readonly object[]): Configuration {
  const machine = readMachine(JSON.stringify({ modules }));
  const policy = readUpdatePolicy(JSON.stringify(POLICY));
  if (!machine.ok || !policy.ok) throw new Error('a document of the test cannot be read');
  return { machine: machine.value, policy: policy.value };
}

export const TARGETS: Readonly<Record<'lidar' | 'arm', ActionTarget>> = {
  lidar: moduleNamed('acme_lidar', 'acme:lidar'),
  arm: moduleNamed('acme_arm', 'acme:arm'),
};

/** Awaits an acknowledgement, unless the outcome was reported before. */
export async function unlessReported(acknowledged: Promise<void> | undefined): Promise<void> {
  await acknowledged?.catch((error: unknown) => {
    if (!/ was already reported as /.test(String(error))) throw error;
  });
}

/** One machine.db for many races. `begin` empties it, and reports `deployed` for both modules if given. */
export interface Track {
  readonly file: ClaimedFile;
  begin(clock: VirtualClock, deployed?: string): MachineState;
  /** Number of rows written so far. */
  writes(): number;
}

const TABLES = ['actions', 'restarts', 'deployed', 'quarantine', 'decisions', 'starts'];

export function track(): Track {
  const file = openForPoller(`${temporaryFolder()}/machine.db`);
  onTestFinished(() => file.close());
  // No power loss in these tests.
  file.database.exec('PRAGMA synchronous = OFF');
  return {
    file,
    begin(clock, deployed) {
      for (const table of TABLES) file.sql.run(`DELETE FROM ${table}`);
      const state = machineStateIn(file);
      if (deployed === undefined) return state;
      for (const target of Object.values(TARGETS)) state.report(target, deployed, clock.now());
      return state;
    },
    writes: () => Number(file.sql.get('SELECT total_changes() AS writes')?.['writes']),
  };
}

/** A poller in a race, with its events and deliveries so far. */
export interface Racer {
  readonly clock: VirtualClock;
  readonly state: MachineState;
  readonly poller: Poller;
  readonly events: PollerEvent[];
  readonly deliveries: Delivery[];
  /** Resolves when the iterator of the deliveries ends. */
  readonly consumed: Promise<void>;
}

export type RacerOptions = Partial<Omit<PollerOptions, 'clock' | 'file'>> & {
  /** The registries of the lidar and of the arm. */
  readonly registries: readonly [PollableRegistry, PollableRegistry];
  readonly clock?: VirtualClock;
  readonly deployed?: string;
  /** Whether nothing was known of the machine before this poller. */
  readonly isNew?: boolean;
  /** `later` leaves deliveries to the iterators of the test. */
  readonly takesUp?: 'at once' | 'later';
};

export function racer(on: Track, options: RacerOptions): Racer {
  const { registries, clock = virtualClock(), deployed, isNew = false, takesUp } = options;
  const state = on.begin(clock, deployed);
  const events: PollerEvent[] = [];
  const deliveries: Delivery[] = [];
  const poller = new Poller({
    configuration: () => CONFIGURATIONS.both,
    registryFor: ({ registry }) => (registry === undefined ? registries[0] : registries[1]),
    platform: 'linux/arm64',
    random: () => 0,
    ...options,
    clock,
    file: { path: '/home/machine.db', state, isNew } as ClaimedFile,
    onEvent: (event) => {
      events.push(event);
      return options.onEvent?.(event);
    },
  });
  poller.start();
  const consume = async (): Promise<void> => {
    for await (const delivery of poller.deliveries()) deliveries.push(delivery);
  };
  const consumed = takesUp === 'later' ? Promise.resolve() : consume();
  return { clock, state, poller, events, deliveries, consumed };
}

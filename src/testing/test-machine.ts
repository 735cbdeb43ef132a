import { readMachine, readUpdatePolicy, type DocumentResult } from '../config/index.ts';
import type { Configuration } from '../core/plan/configuration.ts';
import { expectMembers, FUNCTION, OBJECT, optional } from '../core/text/argument.ts';
import { Poller, type Delivery, type PollerEvent, type PollerOptions } from '../poller/index.ts';
import { openRegistries } from '../registry/open-registries.ts';
import { openForPoller, savedListsIn } from '../store/index.ts';
import type { Releases } from './catalogues.ts';
import { pendingReads, type PendingReads } from './pending-reads.ts';
import { testRegistry, type TestRegistry } from './test-registry.ts';
import { virtualClock, type VirtualClock } from './virtual-clock.ts';

/** A machine in memory: its poller, its registry and a clock that advances only when a test says so. */
export interface TestMachine {
  /** The clock of the poller and of the registry. */
  readonly clock: VirtualClock;
  /** The registry that the policy names by default. */
  readonly registry: TestRegistry;
  /** The poller. It is started. */
  readonly poller: Poller;
  /** The deployed versions by the name of the target, which a `carryOut` of the test has to change itself. */
  readonly deployed: Map<string, string | null>;
  /** All events so far. */
  readonly events: readonly PollerEvent[];
  /** All deliveries so far. */
  readonly deliveries: readonly Delivery[];
  /** Lets `ms` milliseconds pass, and returns the events of that time. */
  pass(ms: number): Promise<readonly PollerEvent[]>;
  /** Replaces the machine config, the policy, or both, from the next round on. */
  configure(documents: { readonly machine?: object; readonly policy?: object }): void;
  /** Stops the poller, and closes everything. */
  close(): Promise<void>;
}

const OPTIONS = {
  machine: OBJECT,
  policy: optional(OBJECT),
  releases: optional(OBJECT),
  deployed: optional(OBJECT),
  carryOut: optional(FUNCTION),
};
/** Both ends of an interval that varies by 10 % are equally far away. */
const MIDDLE = 0.5;

/** A machine for a test, and options of its `Poller`. */
export interface TestMachineOptions extends Partial<
  Omit<PollerOptions, 'file' | 'configuration' | 'clock'>
> {
  /** The machine config. */
  readonly machine: object;
  /** The update policy; by default it only names the registry. */
  readonly policy?: object;
  /** The releases of the registry; none by default. */
  readonly releases?: Releases;
  /** The versions deployed at the start by the name of the target; null for none. Others are unknown. */
  readonly deployed?: Readonly<Record<string, string | null>>;
  /** The time at the start; a Saturday at noon by default. */
  readonly now?: string;
  /** The agent under test. */
  readonly carryOut?: (delivery: Delivery) => void | Promise<void>;
}

/**
 * Starts a machine with these documents, as JSON values, at `now`, an RFC 3339 time. Its registry has `releases`, and its
 * deployed versions are `deployed`. `carryOut` is the agent under test: it is called with each delivery. By default, every
 * action succeeds at once. The first action takes up to 90 seconds. All other options are those of a `Poller`. Throws an Error with all problems of a document.
 *
 * @example
 * ```ts
 * import { CATALOGUES, testMachine } from 'modreg/testing';
 *
 * const lidar = { type: 'registry', name: 'lidar', module_id: 'acme:lidar', version: '1.*' };
 * const machine = testMachine({
 *   machine: { modules: [lidar] },
 *   releases: CATALOGUES.lidar,
 *   deployed: { lidar: '1.2.3' },
 *   now: '2026-11-21T12:00:00Z',
 * });
 * await machine.pass(5 * 60_000);
 * console.log(machine.deployed.get('lidar')); // 1.2.9
 * await machine.close();
 * ```
 */
export function testMachine(options: TestMachineOptions): TestMachine {
  expectMembers('testMachine()', 'options', options, OPTIONS);
  const { machine, policy, releases, now = '2026-11-21T12:00:00Z', carryOut, ...rest } = options;
  const deployed = new Map(Object.entries(options.deployed ?? {}));
  const reads = pendingReads();
  const clock = virtualClock(timeOf(now), reads.isBusy);
  const registry = testRegistry(releases, { clock: reads.sleepingOn(clock) });
  let documents: Documents = { machine, policy };
  let configuration = configurationOf(documents, registry);
  const { events, onEvent } = recording(rest.onEvent);
  const { poller, close } = pollerOn(clock, registry, reads, {
    deployedVersion: ({ name }) => deployed.get(name),
    ...rest,
    configuration: () => configuration,
    onEvent,
  });
  const deliveries: Delivery[] = [];
  const carriedOut = carryOutAll(poller, deliveries, carryOut ?? succeed(deployed));
  return {
    clock,
    registry,
    poller,
    deployed,
    events,
    deliveries,
    async pass(ms) {
      const before = events.length;
      await clock.pass(ms);
      return events.slice(before);
    },
    configure: (replaced) => {
      documents = { ...documents, ...replaced };
      configuration = configurationOf(documents, registry);
    },
    close: async () => {
      await close();
      await carriedOut;
    },
  };
}

/** A started poller of a machine in memory, which reads the lists of `registry`. */
function pollerOn(
  clock: VirtualClock,
  registry: TestRegistry,
  reads: PendingReads,
  options: Pick<PollerOptions, 'configuration'> & Partial<PollerOptions>,
): { readonly poller: Poller; readonly close: () => Promise<void> } {
  const file = openForPoller(':memory:');
  const registries = openRegistries({
    saved: savedListsIn(file),
    fetch: registry.fetch,
    clock: reads.sleepingOn(clock),
    random: middle,
  });
  const poller = new Poller({
    registryFor: (terms) => reads.counted(registries.registryFor(terms)),
    platform: 'linux/arm64',
    random: middle,
    ...options,
    clock,
    file,
  });
  poller.start();
  return {
    poller,
    close: async () => {
      await poller.stop();
      file.close();
      registry.close();
    },
  };
}

function recording(onEvent: PollerOptions['onEvent']): {
  readonly events: readonly PollerEvent[];
  readonly onEvent: (event: PollerEvent) => void;
} {
  const events: PollerEvent[] = [];
  return {
    events,
    onEvent: (event) => {
      events.push(event);
      // The poller handles the rejection of an async function.
      return onEvent?.(event);
    },
  };
}

function middle(): number {
  return MIDDLE;
}

function timeOf(now: string): number {
  const time = Date.parse(now);
  if (Number.isNaN(time)) throw new RangeError(`now is "${now}", expected an RFC 3339 time`);
  return time;
}

function succeed(deployed: Map<string, string | null>): (delivery: Delivery) => Promise<void> {
  return async ({ action, done }) => {
    deployed.set(action.target.name, action.to);
    await done();
  };
}

/** Several actions may be carried out at once. An error of the agent is an unhandled rejection, which fails the test. */
async function carryOutAll(
  poller: Poller,
  deliveries: Delivery[],
  carryOut: (delivery: Delivery) => void | Promise<void>,
): Promise<void> {
  for await (const delivery of poller.deliveries()) {
    deliveries.push(delivery);
    void (async () => await carryOut(delivery))();
  }
}

interface Documents {
  readonly machine: object;
  readonly policy: object | undefined;
}

function configurationOf({ machine, policy }: Documents, { address }: TestRegistry): Configuration {
  return {
    machine: valueOf(readMachine(JSON.stringify(machine))),
    policy: valueOf(readUpdatePolicy(JSON.stringify({ registry: address, ...policy }))),
  };
}

function valueOf<T>(read: DocumentResult<T>): T {
  if (read.ok) return read.value;
  throw new Error(read.problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
}

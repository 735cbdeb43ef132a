import {
  readMachine,
  readUpdatePolicy,
  type DocumentProblem,
  type DocumentResult,
} from '../config/index.ts';
import type { Configuration } from '../core/plan/configuration.ts';
import { Poller, type Delivery, type PollerEvent, type PollerOptions } from '../poller/index.ts';
import { openRegistries } from '../registries/open-registries.ts';
import { openForPoller, savedListsIn } from '../store/index.ts';
import { pendingReads, type PendingReads } from './pending-reads.ts';
import {
  expectDeployed,
  expectTestOptions,
  type TestMachineOptions,
} from './test-machine-options.ts';
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
  /**
   * Lets `ms` milliseconds pass, and returns the events of that time. Rejects with the first error that `carryOut` threw
   * and that no call has rejected with yet.
   */
  pass(ms: number): Promise<readonly PollerEvent[]>;
  /** Replaces the machine config, the policy, or both, from the next round on. */
  configure(documents: { readonly machine?: object; readonly policy?: object }): void;
  /** Stops the poller, and closes everything. Then rejects with such an error, too. */
  close(): Promise<void>;
}

/** Both ends of an interval that varies by 10 % are equally far away. */
const MIDDLE = 0.5;

/**
 * Starts a machine with these documents, as JSON values, at `now`, an RFC 3339 time. Its registry has `releases`, and its
 * deployed versions are `deployed`. `carryOut` is the agent under test: it is called with each delivery. By default, every
 * action succeeds at once. The machine is new, so its first round is at once. All other options are those of a `Poller`. Throws an Error
 * with all errors of a document and the unknown fields of the policy, and a TypeError for an option that does not exist.
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
  expectTestOptions(options);
  const { machine, policy, releases, now = '2026-11-21T12:00:00Z', carryOut, ...rest } = options;
  const deployed = new Map(Object.entries(options.deployed ?? {}));
  const reads = pendingReads();
  const clock = virtualClock(timeOf(now), reads.isBusy);
  const registry = testRegistry(releases, { clock: reads.sleepingOn(clock) });
  const configured = configuredFrom({ machine, policy }, registry);
  expectDeployed(configured.configuration(), deployed.keys());
  const { events, onEvent } = recording(rest.onEvent);
  const { poller, close } = pollerOn(clock, registry, reads, {
    deployedVersion: ({ name }) => deployed.get(name),
    ...rest,
    configuration: configured.configuration,
    onEvent,
  });
  const deliveries: Delivery[] = [];
  const agent = carryOutAll(poller, deliveries, carryOut ?? succeed(deployed));
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
      agent.throwError();
      return events.slice(before);
    },
    configure: configured.configure,
    close: async () => {
      await close();
      await agent.ended;
      agent.throwError();
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

/** The agent under test. */
interface CarriedOut {
  /** Resolves once it gets no more deliveries. */
  readonly ended: Promise<void>;
  /** Throws the first error that was not thrown yet. */
  readonly throwError: () => void;
}

/** Several actions may be carried out at once. */
function carryOutAll(
  poller: Poller,
  deliveries: Delivery[],
  carryOut: (delivery: Delivery) => void | Promise<void>,
): CarriedOut {
  const errors: unknown[] = [];
  const attempt = async (delivery: Delivery): Promise<void> => {
    try {
      await carryOut(delivery);
    } catch (error) {
      errors.push(error);
    }
  };
  const all = async (): Promise<void> => {
    for await (const delivery of poller.deliveries()) {
      deliveries.push(delivery);
      void attempt(delivery);
    }
  };
  return {
    ended: all(),
    throwError: () => {
      if (errors.length > 0) throw errors.shift();
    },
  };
}

interface Documents {
  readonly machine: object;
  readonly policy: object | undefined;
}

/** The configuration of these documents, and how to replace them. */
function configuredFrom(
  documents: Documents,
  registry: TestRegistry,
): Pick<TestMachine, 'configure'> & { readonly configuration: () => Configuration } {
  let current = documents;
  let configuration = configurationOf('testMachine()', current, registry);
  return {
    configuration: () => configuration,
    configure: (replaced) => {
      const next = { ...current, ...replaced };
      configuration = configurationOf('configure()', next, registry);
      current = next;
    },
  };
}

function configurationOf(
  callee: string,
  { machine, policy }: Documents,
  { address }: TestRegistry,
): Configuration {
  const named = { registry: address, ...policy };
  return {
    machine: valueOf(`${callee}: machine`, readMachine(JSON.stringify(machine))),
    policy: valueOf(`${callee}: policy`, readUpdatePolicy(JSON.stringify(named))),
  };
}

function valueOf<T>(document: string, read: DocumentResult<T>): T {
  if (read.ok) return read.value;
  const lines = read.problems
    .filter(isError)
    .map(({ path, message }) => `${document}: ${path}: ${message}`);
  throw new Error(lines.join('\n'));
}

function isError({ severity }: DocumentProblem): boolean {
  return severity === 'error';
}

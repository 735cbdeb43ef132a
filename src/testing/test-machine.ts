import {
  readMachine,
  readUpdatePolicy,
  type DocumentProblem,
  type DocumentResult,
} from '../config/index.ts';
import type { Configuration } from '../core/plan/configuration.ts';
import type { Delivery, Poller, PollerEvent } from '../poller/index.ts';
import { machineLife, type MachineLife } from './machine-life.ts';
import { pendingReads } from './pending-reads.ts';
import { repeatedRounds } from './repeated-rounds.ts';
import { settled } from './settled.ts';
import {
  expectDeployed,
  expectDocuments,
  expectTestOptions,
  hasCallbacks,
  type TestMachineOptions,
} from './test-machine-options.ts';
import { registryWithFaults, type TestRegistry } from './test-registry.ts';
import { virtualTime, type VirtualClock } from './virtual-clock.ts';

/** A machine in memory: its poller, its registry and a clock that advances only when a test says so. */
export interface TestMachine {
  /** The clock of the poller and of the registry. */
  readonly clock: VirtualClock;
  /** The registry that the policy names by default. */
  readonly registry: TestRegistry;
  /** The poller. It is started. `restart` starts another one. */
  readonly poller: Poller;
  /** The deployed versions by the name of the target, which a `carryOut` of the test has to change itself. */
  readonly deployed: Map<string, string | null>;
  /** All events so far. */
  readonly events: readonly PollerEvent[];
  /** All deliveries so far. */
  readonly deliveries: readonly Delivery[];
  /**
   * Lets `ms` milliseconds pass, and returns the events of that time. Rejects with the first error that `carryOut` threw
   * and that no call has rejected with yet, and while the machine is off or after it is closed: `clock.pass` only lets time pass.
   */
  pass(ms: number): Promise<readonly PollerEvent[]>;
  /**
   * Lets time pass until nothing happens any more by itself: until two and a half intervals bring no event, and no action is open. What a window,
   * a hold or a cooldown makes wait is not waited for. Returns the events of that time. Rejects after a day with what is still open, and
   * while the machine is off.
   */
  settled(): Promise<readonly PollerEvent[]>;
  /**
   * Takes the power away at once, as if the process was killed: no outcome, end or event of the poller comes any more. What is in its
   * file stays. A `carryOut` that runs is not ended; its reports change nothing. `clock.pass` lets time pass until `restart`.
   */
  powerCut(): void;
  /**
   * Ends the poller in order, unless the power was cut, and starts another one on the same file, as a new process does. What was
   * delivered and not acknowledged is delivered again.
   */
  restart(): Promise<void>;
  /** Replaces the machine config, the policy, or both, from the next round on. Throws as `testMachine` does. */
  configure(documents: { readonly machine?: object; readonly policy?: object }): void;
  /** Stops the poller, and closes everything. Then rejects with such an error, too. */
  close(): Promise<void>;
}

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
  const deployed = new Map(Object.entries(options.deployed ?? {}));
  const { machine, policy, releases = {}, now, carryOut = succeed(deployed), ...rest } = options;
  const reads = pendingReads();
  const { clock, ofMachine, leaveOut } = virtualTime(timeOf(now), reads.isBusy);
  const under = registryWithFaults(releases, { clock: reads.sleepingOn(ofMachine) });
  const { registry } = under;
  const configured = configuredFrom({ machine, policy }, registry);
  expectDeployed(configured.configuration(), deployed.keys());
  const common = { ...rest, deployed, configuration: configured.configuration };
  const around = { clock: ofMachine, registry, reads };
  const life = machineLife(common, around, carryOut);
  if (!hasCallbacks(options)) leaveOut(repeatedRounds(under, life));
  const { events, deliveries } = life;
  const pass = passing(clock, life);
  return {
    clock,
    registry,
    get poller() {
      return life.poller();
    },
    deployed,
    events,
    deliveries,
    pass,
    settled: async () => await settled(pass, life, rest.intervalMs),
    configure: configured.configure,
    powerCut: life.cut,
    restart: life.restart,
    close: async () => {
      await life.close();
      registry.close();
      life.throwError();
    },
  };
}

function passing(
  clock: VirtualClock,
  { events, expectPower, throwError }: MachineLife,
): TestMachine['pass'] {
  return async (ms) => {
    expectPower('pass()', 'restart(), or clock.pass() to let time pass without power');
    const before = events.length;
    await clock.pass(ms);
    throwError();
    return events.slice(before);
  };
}

function succeed(deployed: Map<string, string | null>): (delivery: Delivery) => Promise<void> {
  return async ({ action, done }) => {
    deployed.set(action.target.name, action.to);
    await done();
  };
}

function timeOf(now = '2026-11-21T12:00:00Z'): number {
  const time = Date.parse(now);
  if (Number.isNaN(time)) throw new RangeError(`now is "${now}", expected an RFC 3339 time`);
  return time;
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
      expectDocuments(replaced);
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

import { writeFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { readMachine, readUpdatePolicy } from '../../src/config/index.ts';
import type { ActionTarget } from '../../src/core/index.ts';
import { DEFAULT_POLICY, type UpdatePolicy } from '../../src/core/machine/update-policy.ts';
import {
  Poller,
  type Delivery,
  type PollerEvent,
  type PollerOptions,
} from '../../src/poller/index.ts';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import { cachedRegistry } from '../../src/registry/cached-registry.ts';
import { openForPoller, savedListsIn } from '../../src/store/index.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { moduleId } from './ask.ts';
import { temporaryFolder } from './folder.ts';
import { testSignal } from './test-signal.ts';
import { remoteAt } from './remote-at.ts';
import type { Releases } from '../../src/testing/catalogues.ts';
import { testRegistry, type TestRegistry } from '../../src/testing/test-registry.ts';
import { virtualClock, type VirtualClock } from '../../src/testing/virtual-clock.ts';

/** The description of a machine on a virtual clock. */
export interface DayOptions extends Partial<Omit<PollerOptions, 'file' | 'clock'>> {
  readonly machine: object;
  readonly policy?: object;
  /** The versions deployed at the start, by the name of the module entry. */
  readonly deployed?: Readonly<Record<string, string | null>>;
  /** Whether what the machine knew was lost: its file is damaged. */
  readonly isLost?: true;
  readonly releases: Releases;
  /** Changes what the registry answers, without changing its length. */
  readonly altered?: (body: string) => string;
  /** `later` leaves deliveries to the iterators of the test. */
  readonly takesUp?: 'at once' | 'later';
  /** Whether time stands still, for requests of the test that are real. */
  readonly isBusy?: () => boolean;
}

/** A simulated day of a machine: its registry, its poller, its memory and its events. */
export interface Day {
  readonly clock: VirtualClock;
  /** The folder of its machine.db. */
  readonly home: string;
  readonly registry: TestRegistry;
  readonly state: MachineState;
  /** From now on the file takes no write, or takes them again. */
  readonly fill: (isFull: boolean) => void;
  readonly poller: Poller;
  /** Deliveries that the test has not taken from this list. */
  readonly deliveries: Delivery[];
  /** The events since the last call, except holds and quarantines: `01:03:03 committed acme_lidar 1.2.3 → 1.2.9`. */
  story(): string[];
  /** The holds and quarantines that began since the last call. */
  begun(): string[];
  publish(moduleId: string, version: string): void;
  /** Replaces the machine config or the policy, from the next round on. */
  configure(documents: { readonly machine?: object; readonly policy?: object }): void;
  pass(ms: number): Promise<void>;
  /** Stops the poller and starts another one on the same file, after the machine was off for `offMs`. */
  restart(offMs?: number): Promise<void>;
}

export const SECOND = 1000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;

export async function day(options: DayOptions): Promise<Day> {
  let requests = 0;
  const { isBusy = () => false } = options;
  const timeout = testSignal();
  const clock = virtualClock(undefined, () => {
    timeout.throwIfAborted();
    return requests > 0 || isBusy();
  });
  const registry = testRegistry(options.releases, { clock });
  const home = temporaryFolder();
  const path = `${home}/machine.db`;
  if (options.deployed) deployEarlier(path, options.deployed, clock.now());
  if (options.isLost) writeFileSync(path, 'not a database');
  let file = openForPoller(path);
  let documents = { machine: options.machine, policy: options.policy };
  let events: string[] = [];
  let begun: string[] = [];
  const deliveries: Delivery[] = [];
  const begin = (): Poller => {
    // Retries within a round take no time, because the clock waits for rounds.
    const instant = { ...clock, sleep: async () => await Promise.resolve() };
    const remote = remoteAt(registry.address, {
      clock: instant,
      random: () => 0,
      fetch: altering(registry.fetch, options.altered),
    });
    const cached = cachedRegistry(remote, { clock, saved: savedListsIn(file) });
    // Without the feed of changes: tests count requests and rounds.
    const polled: PollableRegistry = {
      read: async (id, signal) => await cached.read(id, signal),
      readAll: async (ids, signal) => {
        requests++;
        try {
          return await cached.readAll(ids, signal);
        } finally {
          requests--;
        }
      },
    };
    const poller = new Poller({
      registryFor: () => polled,
      platform: 'linux/arm64',
      random: () => 0.5,
      ...options,
      clock,
      file,
      configuration: () => configurationOf(documents),
      onEvent: (event) => {
        const isBegun = event.kind === 'held' || event.kind === 'quarantined';
        (isBegun ? begun : events).push(`${timeOf(clock)} ${lineOf(event)}`);
        options.onEvent?.(event);
      },
    });
    poller.start();
    if (options.takesUp !== 'later') void consume(poller, deliveries);
    return poller;
  };
  let poller = begin();
  onTestFinished(async () => {
    await poller.stop();
    file.close();
    registry.close();
  });
  return {
    clock,
    home,
    registry,
    deliveries,
    get state() {
      return file.state;
    },
    fill: (isFull) => file.database.exec(`PRAGMA query_only = ${isFull ? 'ON' : 'OFF'}`),
    get poller() {
      return poller;
    },
    story: () => {
      const story = events;
      events = [];
      return story;
    },
    begun: () => {
      const lines = begun;
      begun = [];
      return lines;
    },
    configure: (changed) => {
      documents = { ...documents, ...changed };
    },
    publish: (id, version) => {
      registry.publish(id, version);
    },
    pass: async (ms) => await clock.pass(ms),
    restart: async (offMs = 0) => {
      await poller.stop();
      file.close();
      if (offMs > 0) clock.set(clock.now() + offMs);
      file = openForPoller(path);
      poller = begin();
    },
  };
}

/** Records what an earlier poller has deployed: then the machine is not new. */
function deployEarlier(
  path: string,
  deployed: NonNullable<DayOptions['deployed']>,
  at: number,
): void {
  const file = openForPoller(path);
  for (const [name, running] of Object.entries(deployed)) {
    file.state.report(targetNamed(name), running, at);
  }
  file.close();
}

function altering(
  fetch: TestRegistry['fetch'],
  altered: DayOptions['altered'],
): TestRegistry['fetch'] {
  if (!altered) return fetch;
  return async (input, init) => {
    const response = await fetch(input, init);
    const { status, headers } = response;
    const body = await response.text();
    return new Response(body === '' ? null : altered(body), { status, headers });
  };
}

async function consume(poller: Poller, deliveries: Delivery[]): Promise<void> {
  for await (const delivery of poller.deliveries()) deliveries.push(delivery);
}

function configurationOf(documents: { machine: object; policy: object | undefined }): {
  machine: ReturnType<typeof machineOf>;
  policy: UpdatePolicy;
} {
  return { machine: machineOf(documents.machine), policy: policyOf(documents.policy) };
}

function machineOf(document: object) {
  const read = readMachine(JSON.stringify(document));
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('; '));
  return read.value;
}

function policyOf(document: object | undefined): UpdatePolicy {
  if (!document) return DEFAULT_POLICY;
  const read = readUpdatePolicy(JSON.stringify(document));
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('; '));
  return read.value;
}

/** The target of a module entry or a subsystem; `acme_lidar` has the module_id `acme:lidar`. */
export function targetNamed(name: string): ActionTarget {
  if (name === 'platform-agent' || name === 'platform-server') return { kind: 'subsystem', name };
  return { kind: 'module', name, moduleId: moduleId(name.replace('_', ':')) };
}

function timeOf(clock: VirtualClock): string {
  return new Date(clock.now()).toISOString().slice(11, 19);
}

function lineOf(event: PollerEvent): string {
  switch (event.kind) {
    case 'committed':
    case 'superseded':
    case 'withdrawn':
    case 'overdue':
      return `${event.kind} ${changeOf(event.action)}`;
    case 'delivered':
      return `delivered ${changeOf(event.action)}${event.times > 1 ? ` again (${event.times})` : ''}`;
    case 'progress':
      return `progress ${changeOf(event.action)}: ${event.fraction}`;
    case 'failure-reported':
      return `failure reported of ${event.target.name} ${event.failure.version}`;
    case 'held':
      return `held ${event.direction} of ${event.target.name}: ${event.text}`;
    case 'quarantined':
      return `quarantined ${event.moduleId} ${event.version} ${untilText(event.until)}${event.undecided ? `, undecided as ${event.undecided.sameAs}` : ''}: ${event.reason}`;
    case 'acknowledged':
      return `acknowledged ${event.outcome.kind}`;
    case 'registry-unavailable':
      return `registry unavailable: ${event.error.kind}, again in ${Math.round(event.retryMs / SECOND)} s`;
    case 'registry-available':
      return `registry available after ${Math.round(event.afterMs / SECOND)} s`;
    case 'list-unavailable':
      return `list unavailable of ${event.moduleId}: ${event.error.kind}`;
    case 'list-available':
      return `list available of ${event.moduleId}`;
    case 'state-unavailable':
      return `state unavailable: ${event.error.kind}`;
    case 'callback-error':
      return `callback error: ${String(event.error)}`;
    case 'configuration-unreadable':
      return `configuration unreadable: ${String(event.error)}`;
    case 'crash-loop':
      return `crash loop ${untilText(event.until)}`;
    case 'unknown-acknowledgement':
    case 'configuration-readable':
    case 'state-available':
      return event.kind;
    case 'observe-only':
      return `observe-only, next round at ${new Date(event.nextRoundAt).toISOString().slice(11, 19)}`;
  }
}

function untilText(until: number | undefined): string {
  return until === undefined ? 'for ever' : `until ${new Date(until).toISOString().slice(11, 19)}`;
}

function changeOf({ target, from, to, direction }: Delivery['action']): string {
  const how = direction === 'upgrade' ? '' : `${direction} `;
  return `${how}${target.name} ${from ?? 'none'} → ${to}`;
}

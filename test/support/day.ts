import { setupServer } from 'msw/node';
import { onTestFinished } from 'vitest';
import type { Releases } from '../../mocks/catalogues.ts';
import { mockRegistry, type MockRegistry } from '../../mocks/registry.ts';
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
import { readRelease } from '../../src/server/index.ts';
import { openForPoller, savedListsIn } from '../../src/store/index.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { moduleId } from './ask.ts';
import { temporaryFolder } from './folder.ts';
import { remoteAt } from './remote-at.ts';
import { virtualClock, type VirtualClock } from './virtual-clock.ts';

/** A machine on a virtual clock, as a test writes it down. */
export interface DayOptions extends Partial<Omit<PollerOptions, 'file' | 'clock'>> {
  readonly machine: object;
  readonly policy?: object;
  /** What runs at the start, by the name of the module entry. */
  readonly deployed?: Readonly<Record<string, string | null>>;
  readonly releases: Releases;
  /** `later` leaves all deliveries to iterators of the test. */
  readonly takesUp?: 'at once' | 'later';
}

/** A day in the life of a machine: its registry, its poller and its memory, and what happened so far. */
export interface Day {
  readonly clock: VirtualClock;
  readonly registry: MockRegistry;
  readonly state: MachineState;
  readonly poller: Poller;
  /** What was delivered and not looked at yet. */
  readonly deliveries: Delivery[];
  /** What happened since it was last asked for: `01:03:03 committed acme_lidar 1.2.3 → 1.2.9`. */
  story(): string[];
  publish(moduleId: string, version: string): void;
  /** Lets another machine config, or another policy, be read from the next round on. */
  configure(documents: { readonly machine?: object; readonly policy?: object }): void;
  pass(ms: number): Promise<void>;
  /** Ends the poller and begins another on the same file, with nobody told. */
  restart(): Promise<void>;
}

export const SECOND = 1000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;

export async function day(options: DayOptions): Promise<Day> {
  const registry = mockRegistry(options.releases);
  const server = setupServer(...registry.handlers);
  server.listen({ onUnhandledFrame: 'error' });
  let asked = 0;
  const clock = virtualClock(undefined, () => asked > 0);
  const path = `${temporaryFolder()}/machine.db`;
  let file = openForPoller(path);
  for (const [name, running] of Object.entries(options.deployed ?? {})) {
    file.state.report(targetNamed(name), running, clock.now());
  }
  let documents = { machine: options.machine, policy: options.policy };
  let heard: string[] = [];
  const deliveries: Delivery[] = [];
  const begin = (): Poller => {
    // What is repeated within a round is so at once: the clock waits for rounds.
    const atOnce = { ...clock, sleep: async () => await Promise.resolve() };
    const remote = remoteAt(registry.address, { clock: atOnce, random: () => 0 });
    const cached = cachedRegistry(remote, { clock, saved: savedListsIn(file) });
    // Its feed of changes would wait in real time.
    const polled: PollableRegistry = {
      read: async (id, signal) => await cached.read(id, signal),
      readAll: async (ids, signal) => {
        asked++;
        try {
          return await cached.readAll(ids, signal);
        } finally {
          asked--;
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
      onEvent: (event) => heard.push(`${timeOf(clock)} ${lineOf(event)}`),
    });
    poller.start();
    if (options.takesUp !== 'later') void consume(poller, deliveries);
    return poller;
  };
  let poller = begin();
  onTestFinished(async () => {
    await poller.stop();
    file.close();
    server.close();
    registry.close();
  });
  return {
    clock,
    registry,
    deliveries,
    get state() {
      return file.state;
    },
    get poller() {
      return poller;
    },
    story: () => {
      const story = heard;
      heard = [];
      return story;
    },
    configure: (changed) => {
      documents = { ...documents, ...changed };
    },
    publish: (id, version) => {
      const release = readRelease({ version });
      if (!release.ok) throw new Error(release.error.join('; '));
      registry.catalogue.publish(moduleId(id), release.value, clock.now());
    },
    pass: async (ms) => await clock.pass(ms),
    restart: async () => {
      await poller.stop();
      file.close();
      file = openForPoller(path);
      poller = begin();
    },
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

/** `acme_lidar` is that of `acme:lidar`. */
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
      return `${event.kind} ${changeOf(event.action)}`;
    case 'delivered':
      return `delivered ${changeOf(event.action)}${event.times > 1 ? ` again (${event.times})` : ''}`;
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
      return `crash loop until ${new Date(event.until).toISOString().slice(11, 19)}`;
    case 'unknown-acknowledgement':
    case 'configuration-readable':
    case 'state-available':
    case 'observe-only':
      return event.kind;
  }
}

function changeOf({ target, from, to, direction }: Delivery['action']): string {
  const how = direction === 'upgrade' ? '' : `${direction} `;
  return `${how}${target.name} ${from ?? 'none'} → ${to}`;
}

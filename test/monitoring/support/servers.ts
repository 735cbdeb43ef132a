import { onTestFinished } from 'vitest';
import { agentMetrics, type AgentMetrics } from '../../../src/cli/metrics/agent-metrics.ts';
import { pollMetrics, type PollMetrics } from '../../../src/cli/metrics/poll-metrics.ts';
import type { RegistryMetrics } from '../../../src/cli/metrics/registry-metrics.ts';
import { servedNumbers } from '../../../src/cli/metrics/served-numbers.ts';
import type { OwnEvent } from '../../../src/cli/metrics/module-metrics.ts';
import {
  RegistryError,
  type CachedRegistry,
  type ListResult,
} from '../../../src/registries/index.ts';
import type { ModuleId } from '../../../src/core/index.ts';
import { Catalogue } from '../../../src/server/index.ts';
import { uninterrupted } from '../../../src/server/fleet/slices.ts';
import { FleetFile } from '../../../src/server/fleet/fleet-file.ts';
import { fleetNumbers } from '../../../src/server/fleet/fleet-numbers.ts';
import type { RegistryNumbers, ServerLoad } from '../../../src/server/serve.ts';
import type { ClaimedFile } from '../../../src/store/index.ts';
import { moduleId } from '../../support/ask.ts';
import { claimed } from '../../support/claimed.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** Metrics with rounds of a registry that answers with a list. */
type Polled<Metrics> = Metrics & { readonly round: (list: ListResult) => Promise<void> };

function polled<Metrics extends PollMetrics>(metrics: Metrics): Polled<Metrics> {
  let lists: ReadonlyMap<ModuleId, ListResult> = new Map();
  const origin: CachedRegistry = {
    read: async () => await Promise.reject(new Error('pollers read all lists at once')),
    readAll: async () => await Promise.resolve(lists),
    awaitChange: async () => await Promise.resolve(undefined),
  };
  const measured = metrics.measured(origin, 'https://registry.example');
  return {
    ...metrics,
    round: async (list) => {
      lists = new Map([[moduleId('acme:lidar'), list]]);
      await measured.readAll([]);
    },
  };
}

/** The metrics of an agent with one module. */
export function agent({
  file = claimed(),
  now = () => 0,
}: { readonly file?: ClaimedFile; readonly now?: () => number } = {}): Polled<AgentMetrics> {
  return polled(agentMetrics({ file, home: temporaryFolder(), entries: () => ['lidar'], now }));
}

export function poller(): Polled<PollMetrics> {
  return polled(pollMetrics(claimed().state));
}

export const DOWN: ListResult = {
  ok: false,
  error: new RegistryError('registry-unreachable', 'down'),
};

const LOAD: ServerLoad = {
  connections: 1,
  unsentBytes: 0,
  healthy: 1,
  certificateExpiry: 1e9,
  waitingNotices: 0,
};

/** The numbers of a registry to which no machine reports. */
function noMachines(): RegistryNumbers {
  const fleet = new FleetFile(':memory:', () => 0);
  const found = fleet.read((sql) => uninterrupted(fleetNumbers(sql, 0, new Map())));
  fleet.close();
  const rollouts = { running: 0, failing: 0, halted: 0, completed: 0, retracted: 0, damaged: 0 };
  return { ...found, oldestReportAt: 0, at: 0, rollouts };
}

/** The metrics of a registry, with `numbers` of its fleet, and a request that it has answered. */
export function registry(
  load: Partial<ServerLoad> = {},
  numbers: () => Partial<RegistryNumbers> = () => ({}),
): RegistryMetrics & { readonly answered: (status: string) => void } {
  const catalogue = new Catalogue(':memory:');
  onTestFinished(() => catalogue.close());
  const none = noMachines();
  const metrics = servedNumbers(catalogue, () => ({
    load: () => ({ ...LOAD, ...load }),
    numbers: async () => await Promise.resolve({ ...none, ...numbers() }),
  }));
  return {
    ...metrics,
    scrape: async () => await metrics.scrape('all'),
    answered: (status) => {
      const end = metrics.observe('/v1/modules/{namespace}/{name}');
      end({ method: 'GET', status, seconds: 0.01 });
    },
  };
}

/** A state of the module. */
export function module(state: (OwnEvent & { kind: 'module' })['state'], reason?: string): OwnEvent {
  return { kind: 'module', name: 'lidar', version: '1.1.0', state, reason, waitMs: undefined };
}

export const STARTED: OwnEvent = { kind: 'started', name: 'lidar', version: '1.1.0', pid: 7 };

import { Registry } from 'prom-client';
import { stagedBytes, type PackageSizes } from '../../agent/install/staged-bytes.ts';
import { packagesInUse } from '../../agent/packages-in-use.ts';
import { keyOf } from '../../core/plan/target.ts';
import { heldSince } from '../../host/held-since.ts';
import type { ClaimedFile } from '../../store/index.ts';
import {
  MODULE_METRICS,
  NO_EVENTS,
  tallied,
  type ModuleTally,
  type OwnEvent,
} from './module-metrics.ts';
import { pollMetrics, type PollMetrics } from './poll-metrics.ts';
import { addSampled, type Sample } from './sampled.ts';

/** The metrics of `modreg agent run`: those of its poller, and its own. Labels are also the names of entries and the reasons of holds. */
export interface AgentMetrics extends PollMetrics {
  readonly onOwnEvent: (event: OwnEvent) => void;
}

interface MeasuredAgent {
  readonly file: ClaimedFile;
  readonly home: string;
  /** The names of the entries that the config has now: only these have lines. */
  readonly entries: () => readonly string[];
  /** In milliseconds since the epoch. */
  readonly now: () => number;
}

export function agentMetrics(agent: MeasuredAgent): AgentMetrics {
  const registry = new Registry();
  const poll = pollMetrics(agent.file.state, registry);
  const onModule = addModules(registry, agent.entries);
  const onDownload = addDownloads(registry);
  addHolds(registry, agent);
  addStaged(registry, agent);
  return {
    ...poll,
    onOwnEvent: (event) => {
      onModule(event);
      onDownload(event);
    },
  };
}

/** Adds what each module does and uses. */
function addModules(
  registry: Registry,
  entries: MeasuredAgent['entries'],
): AgentMetrics['onOwnEvent'] {
  const tallies = new Map<string, ModuleTally>();
  for (const { type, name, help, valueOf } of MODULE_METRICS) {
    const read = (): Sample<'module'>[] =>
      entries().flatMap((module) => {
        const value = valueOf(tallies.get(module) ?? NO_EVENTS);
        return value === undefined ? [] : [[{ module }, value] as const];
      });
    addSampled(registry, { type, name, help, labels: ['module'], read });
  }
  return (event) => {
    if (!('name' in event)) return;
    tallies.set(event.name, tallied(tallies.get(event.name) ?? NO_EVENTS, event));
    const wanted = new Set(entries());
    for (const name of tallies.keys()) if (!wanted.has(name)) tallies.delete(name);
  };
}

function addDownloads(registry: Registry): AgentMetrics['onOwnEvent'] {
  let received = 0;
  /** How much of the file of an entry is there. */
  const files = new Map<string, { readonly version: string; readonly bytes: number }>();
  addSampled(registry, {
    type: 'counter',
    name: 'modreg_agent_download_bytes_total',
    help: 'Bytes of packages that were downloaded, with those of an earlier agent whose download goes on',
    labels: [],
    read: () => [[{}, received]],
  });
  return (event) => {
    if (event.kind !== 'installing') return;
    const { name, version, step } = event;
    if (step.kind === 'downloaded') files.delete(name);
    if (step.kind !== 'downloading') return;
    const before = files.get(name);
    const { bytes } = step;
    const isSame = before?.version === version && before.bytes <= bytes;
    received += isSame ? bytes - before.bytes : bytes;
    files.set(name, { version, bytes });
  };
}

/** Since when each replacement is held, by the first reason. */
function addHolds(registry: Registry, { file: { state }, now }: MeasuredAgent): void {
  /** By target key. A history is long, so it is read once for each hold. */
  let since: ReadonlyMap<string, number> = new Map();
  addSampled(registry, {
    type: 'gauge',
    name: 'modreg_agent_held_seconds',
    help: 'How long a replacement has been held, whatever the release and the reasons were; by the first reason now',
    labels: ['module', 'reason'],
    read: () => {
      const held = state.decisions().filter(({ decision }) => decision === 'hold');
      const at = now();
      const all = held.map((one) => {
        const began = since.get(keyOf(one)) ?? heldSince(state.history(one)) ?? at;
        return { one, key: keyOf(one), began };
      });
      since = new Map(all.map(({ key, began }) => [key, began]));
      return all.map(({ one: { name, because }, began }) => [
        { module: name, reason: because?.code ?? 'unknown' },
        Math.max(at - began, 0) / 1000,
      ]);
    },
  });
}

function addStaged(registry: Registry, { file, home }: MeasuredAgent): void {
  const sizes: PackageSizes = new Map();
  addSampled(registry, {
    type: 'gauge',
    name: 'modreg_agent_staged_bytes',
    help: 'Bytes of unpacked packages that are neither in use nor kept for a rollback',
    labels: [],
    read: async () => {
      const bytes = await stagedBytes(home, packagesInUse(file, home), sizes);
      return bytes === undefined ? [] : [[{}, bytes]];
    },
  });
}

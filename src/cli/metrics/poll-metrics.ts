import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { errorsIn } from '../../poller/availability.ts';
import type { PollerEvent } from '../../poller/index.ts';
import type { CachedRegistry } from '../../registry/registry.ts';
import { DatabaseError, type ClaimedFile } from '../../store/index.ts';
import type { MetricsText } from '../../server/registry-options.ts';
import { scrapeOf } from './scrape.ts';

/** The metrics of `modreg poll`. Labels are the origins of registries and fixed values: no module, no version. */
export interface PollMetrics {
  readonly scrape: () => Promise<MetricsText>;
  readonly onEvent: (event: PollerEvent) => void;
  /** `registry`, whose rounds count for `origin`. The same registry is the same object each time. */
  readonly measured: (registry: CachedRegistry, origin: string) => CachedRegistry;
}

export function pollMetrics(state: ClaimedFile['state'], registry = new Registry()): PollMetrics {
  collectDefaultMetrics({ register: registry });
  addOpenActions(registry, state);
  const [onAction, onState] = [actionMetrics(registry), stateMetrics(registry)];
  return {
    scrape: scrapeOf(registry),
    onEvent: (event) => {
      onAction(event);
      onState(event);
    },
    measured: rounds(registry),
  };
}

/** Counts the events of actions by what happened. */
function actionMetrics(registry: Registry): PollMetrics['onEvent'] {
  const actions = new Counter({
    name: 'modreg_poll_actions_total',
    help: 'Events of actions: held, delivered, done, failed (the release), not-done (the machine), quarantined',
    labelNames: ['event'],
    registers: [registry],
  });
  for (const event of ['held', 'delivered', 'done', 'failed', 'not-done', 'quarantined']) {
    actions.inc({ event }, 0);
  }
  return (event) => {
    if (event.kind === 'held' || event.kind === 'delivered' || event.kind === 'quarantined') {
      actions.inc({ event: event.kind });
    } else if (event.kind === 'acknowledged') {
      const { outcome } = event;
      const failed = outcome.kind === 'failed' && outcome.blame === 'release';
      actions.inc({ event: outcome.kind === 'done' ? 'done' : failed ? 'failed' : 'not-done' });
    }
  };
}

/** Whether the machine's file can be used, by the events about it. */
function stateMetrics(registry: Registry): PollMetrics['onEvent'] {
  const available = new Gauge({
    name: 'modreg_poll_state_available',
    help: '1 if machine.db can be used, 0 while nothing is decided or delivered because it cannot',
    registers: [registry],
  });
  available.set(1);
  return ({ kind }) => {
    if (kind === 'state-unavailable') available.set(0);
    if (kind === 'state-available') available.set(1);
  };
}

/** Counts rounds by the origin of their registry, and remembers the last good one. */
function rounds(registry: Registry): PollMetrics['measured'] {
  const counter = (name: string, help: string): Counter<'registry'> =>
    new Counter({
      name: `modreg_poll_${name}`,
      help,
      labelNames: ['registry'],
      registers: [registry],
    });
  const all = counter('rounds_total', 'Rounds, by the origin of the registry');
  const failures = counter('round_failures_total', 'Rounds in which the registry returned no list');
  const start = performance.now();
  const last: LastRounds = { roundAt: start, successAt: new Map() };
  addAges(registry, last);
  const known = new WeakMap<CachedRegistry, CachedRegistry>();
  return (polled, origin) => {
    const before = known.get(polled);
    if (before) return before;
    if (!last.successAt.has(origin)) last.successAt.set(origin, start);
    all.inc({ registry: origin }, 0);
    failures.inc({ registry: origin }, 0);
    const measured: CachedRegistry = {
      ...polled,
      async readAll(...asked) {
        const results = await polled.readAll(...asked);
        last.roundAt = performance.now();
        all.inc({ registry: origin });
        // A registry that knows none of the modules may have lost its disk, so its answers are no success (T101).
        if (results.size > 0 && errorsIn(results).length === results.size)
          failures.inc({ registry: origin });
        else last.successAt.set(origin, last.roundAt);
        return results;
      },
    };
    known.set(polled, measured);
    return measured;
  };
}

/** On the monotonic clock; the start of the poller until there is one. */
interface LastRounds {
  roundAt: number;
  /** By the origin of the registry. */
  readonly successAt: Map<string, number>;
}

function addAges(registry: Registry, last: LastRounds): void {
  const successes = new Gauge({
    name: 'modreg_poll_seconds_since_success',
    help: 'Since the last round in which the registry returned a list; since the start if there was none',
    labelNames: ['registry'],
    registers: [],
    collect() {
      for (const [origin, at] of last.successAt) this.set({ registry: origin }, secondsSince(at));
    },
  });
  const any = new Gauge({
    name: 'modreg_poll_seconds_since_round',
    help: 'Since the last round of any registry; since the start if there was none',
    registers: [],
    collect() {
      this.set(secondsSince(last.roundAt));
    },
  });
  registry.registerMetric(successes);
  registry.registerMetric(any);
}

function addOpenActions(registry: Registry, state: ClaimedFile['state']): void {
  const open = new Gauge({
    name: 'modreg_poll_open_actions',
    help: 'Actions that are committed and not acknowledged',
    registers: [],
    collect() {
      try {
        this.set(state.memory().open.length);
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        // The state of the machine cannot be read now.
        this.remove();
      }
    },
  });
  registry.registerMetric(open);
}

function secondsSince(at: number): number {
  return (performance.now() - at) / 1000;
}

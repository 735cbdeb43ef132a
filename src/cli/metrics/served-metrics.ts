import type { Result } from '../../core/index.ts';
import type { UpdateTerms } from '../../core/machine/update-policy.ts';
import type { Problem } from '../../base/problem.ts';
import type { CommandRegistries } from '../../host/command-registries.ts';
import { isOpenToOthers, type MetricsPlace } from '../base/metrics-place.ts';
import type { MetricsListener } from './metrics-listener.ts';
import type { PollMetrics } from './poll-metrics.ts';

/** Metrics, and where they are served. */
export type ServedMetrics<Metrics extends PollMetrics = PollMetrics> = Metrics & {
  readonly listener: MetricsListener;
  readonly place: MetricsPlace;
};

/** Starts to serve the metrics that `load` returns, before anything is delivered; undefined if no place is named. */
export async function servedMetrics<Metrics extends PollMetrics>(
  place: MetricsPlace | undefined,
  load: () => Promise<Metrics>,
): Promise<Result<ServedMetrics<Metrics> | undefined, Problem>> {
  if (!place) return { ok: true, value: undefined };
  // Only this option needs them.
  const metrics = await load();
  const { listenForScrapes } = await import('./metrics-listener.ts');
  const listener = await listenForScrapes(place, metrics.scrape);
  if (!listener.ok) return listener;
  return { ok: true, value: { ...metrics, listener: listener.value, place } };
}

/** The line of the log that says where the metrics are. */
export function servedLine({ listener, place }: ServedMetrics): ['info' | 'warn', string] {
  const text = `the metrics are at ${listener.address}`;
  return isOpenToOthers(place)
    ? ['warn', `${text}, which others on the network can read`]
    : ['info', text];
}

/** Returns the registry for these terms, whose rounds are counted if there are metrics. */
export function measuredRegistries(
  registries: CommandRegistries,
  metrics: PollMetrics | undefined,
): CommandRegistries['registryFor'] {
  return (terms) => {
    const registry = registries.registryFor(terms);
    return metrics?.measured(registry, originOf(registries, terms)) ?? registry;
  };
}

/** What a registry is called in metrics: its origin, without a path that may contain a token. */
function originOf(registries: CommandRegistries, terms: UpdateTerms): string {
  const registry = registries.open(terms);
  if (!registry.ok || !registry.value) return 'none';
  const { address } = registry.value;
  return 'url' in address ? address.url.origin : 'file';
}

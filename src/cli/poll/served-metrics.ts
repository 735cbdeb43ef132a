import type { Result } from '../../core/index.ts';
import type { UpdateTerms } from '../../core/machine/update-policy.ts';
import type { ClaimedFile } from '../../store/index.ts';
import type { MetricsListener } from '../metrics/metrics-listener.ts';
import type { MetricsPlace } from '../base/metrics-place.ts';
import type { PollMetrics } from '../metrics/poll-metrics.ts';
import type { Problem } from '../../base/problem.ts';
import type { CommandRegistries } from '../../host/command-registries.ts';
import type { PollTerms } from './poll-terms.ts';

/** Metrics, and where they are served. */
export type ServedMetrics = PollMetrics & {
  readonly listener: MetricsListener;
  readonly place: MetricsPlace;
};

/** Starts to serve the metrics, before anything is delivered. */
export async function servedMetrics(
  { metrics: place }: PollTerms,
  { state }: ClaimedFile,
): Promise<Result<ServedMetrics | undefined, Problem>> {
  if (!place) return { ok: true, value: undefined };
  // Only this option needs them.
  const { pollMetrics } = await import('../metrics/poll-metrics.ts');
  const { listenForScrapes } = await import('../metrics/metrics-listener.ts');
  const metrics = pollMetrics(state);
  const listener = await listenForScrapes(place, metrics.scrape);
  if (!listener.ok) return listener;
  return { ok: true, value: { ...metrics, listener: listener.value, place } };
}

/** What a registry is called in metrics: its origin, without a path that may contain a token. */
export function originOf(registries: CommandRegistries, terms: UpdateTerms): string {
  const registry = registries.open(terms);
  if (!registry.ok || !registry.value) return 'none';
  const { address } = registry.value;
  return 'url' in address ? address.url.origin : 'file';
}

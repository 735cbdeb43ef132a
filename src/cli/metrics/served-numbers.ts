import type { Catalogue } from '../../server/index.ts';
import type { MetricsText } from '../../server/registry-options.ts';
import type { RunningRegistry } from '../../server/serve.ts';
import { fleetMetrics } from './fleet-metrics.ts';
import { registryMetrics, type RegistryMetrics } from './registry-metrics.ts';

/** The metrics of `registry serve`: of the server alone, or of its fleet as well. */
export type ServedNumbers = Omit<RegistryMetrics, 'scrape'> & {
  readonly scrape: (of: 'server' | 'all') => Promise<MetricsText>;
};

/** `running` returns undefined until the server listens. */
export function servedNumbers(
  catalogue: Catalogue,
  running: () => Pick<RunningRegistry, 'load' | 'numbers'> | undefined,
): ServedNumbers {
  const { scrape, ...server } = registryMetrics(catalogue, () => running()?.load());
  const fleet = fleetMetrics(() => running()?.numbers());
  return {
    ...server,
    async scrape(of) {
      const { text, type } = await scrape();
      return of === 'server' ? { text, type } : { text: `${text}${(await fleet()).text}`, type };
    },
  };
}

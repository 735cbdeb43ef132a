import type { MetricsText } from '../../server/registry-options.ts';

/** Reads the metrics as text. Scrapes that come at the same time share one reading. */
export function scrapeOf(registry: {
  readonly contentType: string;
  readonly metrics: () => Promise<string>;
}): () => Promise<MetricsText> {
  let reading: Promise<MetricsText> | undefined;
  const read = async (): Promise<MetricsText> => {
    try {
      return { text: await registry.metrics(), type: registry.contentType };
    } finally {
      reading = undefined;
    }
  };
  return async () => await (reading ??= read());
}

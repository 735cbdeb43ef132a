import { vi } from 'vitest';
import type { MetricsText } from '../../../src/server/registry-options.ts';

/** A series of promtool: its labels, and a value for each scrape; `_` where it has none. */
export interface Series {
  readonly series: string;
  readonly values: string;
}

/** A server of metrics, and what happens to it. */
export interface Scraped {
  readonly job: 'modreg-registry' | 'modreg-poller' | 'modreg-agent';
  readonly scrape: () => Promise<MetricsText>;
  /** How many scrapes follow the first one. */
  readonly steps: number;
  /** The time between two scrapes in milliseconds: a minute by default. */
  readonly everyMs?: number;
  /** What happens before the scrape with this number, from 1. */
  readonly play?: (step: number) => void | Promise<void>;
}

/** What Prometheus records of a server: its metrics, and `up`. The test has replaced the clock that the server measures with. */
export async function recorded({
  job,
  scrape,
  steps,
  everyMs = 60_000,
  play,
}: Scraped): Promise<Series[]> {
  const rows = new Map<string, string[]>();
  for (let step = 0; step <= steps; step++) {
    if (step > 0) {
      vi.advanceTimersByTime(everyMs);
      await play?.(step);
    }
    for (const [series, value] of await sampled(scrape)) {
      const values = rows.get(series) ?? Array<string>(step).fill('_');
      rows.set(series, [...values, value]);
    }
    for (const [series, values] of rows) {
      if (values.length === step) rows.set(series, [...values, '_']);
    }
  }
  const place = `job="${job}",instance="host:9464"`;
  return Array.from(rows, ([series, values]) => ({
    series: series.endsWith('}') ? `${series.slice(0, -1)},${place}}` : `${series}{${place}}`,
    values: values.join(' '),
  }));
}

async function sampled(scrape: Scraped['scrape']): Promise<[series: string, value: string][]> {
  try {
    const { text } = await scrape();
    const lines = text.split('\n').filter((line) => line.startsWith('modreg_'));
    const samples = lines.map((line): [string, string] => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), line.slice(space + 1)];
    });
    return [['up', '1'], ...samples];
  } catch {
    return [['up', '0']];
  }
}

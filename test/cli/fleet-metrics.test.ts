import { expect, it, onTestFinished, vi } from 'vitest';
import { fleetMetrics } from '../../src/cli/metrics/fleet-metrics.ts';
import type { RegistryNumbers } from '../../src/server/serve.ts';
import { DatabaseError } from '../../src/sqlite/database-error.ts';

/** The value of a line of the metrics; undefined without it. */
function valueIn(text: string, line: string): string | undefined {
  return text
    .split('\n')
    .find((one) => one.startsWith(`${line} `))
    ?.slice(line.length + 1);
}

const NUMBERS: RegistryNumbers = {
  machines: { online: 1, quiet: 0, silent: 0, retired: 0 },
  versions: new Map(),
  oldestReportAt: undefined,
  refusing: 0,
  wrongClocks: 0,
  behind: 0,
  stuck: 0,
  // A cast: the reasons are in the table of the numbers.
  held: {} as RegistryNumbers['held'],
  failing: { machine: 0, release: 0, undecided: 0, other: 0 },
  rollouts: { running: 0, failing: 0, halted: 0, completed: 0, retracted: 0, damaged: 0 },
  at: 0,
};
const full = new DatabaseError('damaged', 'the file is damaged');

it.each<[string, readonly (readonly [ms: number, error?: Error])[], readonly number[]]>([
  ['are read once in 10 s', [[0], [9999], [1]], [1, 1, 2]],
  ['are read again after an error', [[0, full], [0], [0]], [1, 2, 2]],
])('[D210] the metrics of a fleet %s', async (_what, scrapes, reads) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let [read, error]: [number, Error | undefined] = [0, undefined];
  const scrape = fleetMetrics(async () => {
    read += 1;
    return error ? await Promise.reject(error) : await Promise.resolve(NUMBERS);
  });
  const seen: [number, string | undefined][] = [];
  for (const [ms, failure] of scrapes) {
    vi.advanceTimersByTime(ms);
    error = failure;
    seen.push([
      read,
      valueIn((await scrape()).text, 'modreg_registry_machines{presence="online"}'),
    ]);
  }
  expect(seen.map(([, value]) => value)).toEqual(
    scrapes.map(([, failure]) => (failure ? undefined : '1')),
  );
  expect([...seen.slice(1).map(([before]) => before), read]).toEqual(reads);
});

it('[D210] the metrics of a fleet are read no more often than a twentieth of the time allows', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let read = 0;
  const scrape = fleetMetrics(async () => {
    read += 1;
    vi.advanceTimersByTime(2000);
    return await Promise.resolve(NUMBERS);
  });
  await scrape();
  vi.advanceTimersByTime(39_999);
  await scrape();
  expect(read).toBe(1);
  vi.advanceTimersByTime(1);
  await scrape();
  expect(read).toBe(2);
});

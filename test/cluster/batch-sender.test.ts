import { setImmediate, setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { batchSender, type Waiting } from '../../src/cluster/batch-sender.ts';
import { decodeBatch } from '../../src/cluster/report-batch.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';

const SECOND = 1000;

/** A report of this many bytes, and of a little more with its other fields. */
function reportOf(bytes: number) {
  const state = reportedState(1, { reason: 'x'.repeat(bytes) });
  return { machine: `rover-${bytes}`, report: machineReport([], { state }) };
}

async function forEver(): Promise<void> {
  await new Promise(() => undefined);
}

/** How many reports each batch has that is appended at once. */
async function batchesOf(...sizes: readonly number[]): Promise<number[]> {
  const batches: number[] = [];
  const append = async (_id: string, message: Uint8Array): Promise<void> => {
    const batch = decodeBatch(message);
    if (batch.ok) batches.push(batch.value.reports.length);
    await forEver();
  };
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => await Promise.resolve() };
  const send = batchSender({ append }, new Map(), clock);
  for (const bytes of sizes) void send(reportOf(bytes));
  await setImmediate();
  await setImmediate();
  return batches;
}

it.each<[readonly number[], readonly number[]]>([
  [[400, 500], [2]],
  [
    [600_000, 500_000, 300_000],
    [1, 2],
  ],
])('a batch takes as many of the reports of %j bytes as fit', async (sizes, expected) => {
  expect(await batchesOf(...sizes)).toEqual(expected);
});

it('reports behind a batch that cannot be appended are refused with it', async () => {
  let now = 0;
  const failing: (() => void)[] = [];
  const append = async (): Promise<void> => {
    const { promise, reject } = Promise.withResolvers<void>();
    failing.push(() => reject(new Error('no leader')));
    await promise;
  };
  const clock = { now: () => 0, monotonic: () => now, sleep: forEver };
  const send = batchSender({ append }, new Map(), clock);
  const refused: string[] = [];
  for (const number of [1, 2, 3, 4, 5, 6]) {
    send(reportOf(number)).catch((error: unknown) => refused.push(`${number}: ${String(error)}`));
    await setImmediate();
  }
  expect([failing.length, refused]).toEqual([4, []]);
  now = 16 * SECOND;
  failing[0]?.();
  await setImmediate();
  const why = 'ChangeUnavailable: the stream of reports does not answer';
  expect(refused).toEqual([1, 5, 6].map((number) => `${number}: ${why}`));
});

it('reports whose batch this front takes before it is answered are known', async () => {
  const batches = new Map<string, readonly Waiting[]>();
  const append = async (id: string): Promise<void> => {
    for (const { resolve } of batches.get(id) ?? []) resolve({ kind: 'known', knownTo: 1 });
    await forEver();
  };
  const clock = { now: () => 0, monotonic: () => 0, sleep: forEver };
  const send = batchSender({ append }, batches, clock);
  expect(await Promise.race([send(reportOf(1)), setTimeout(1000, 'not answered')])).toEqual({
    kind: 'known',
    knownTo: 1,
  });
});

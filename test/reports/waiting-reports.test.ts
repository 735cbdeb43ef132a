import { expect, it } from 'vitest';
import { waitingReports } from '../../src/reports/outbound-file.ts';
import { ReportSender } from '../../src/reports/report-sender.ts';
import { reportingMachine } from './support/reporting.ts';

it('[T158] a queue that begins again does not say that its reports wait', async () => {
  const { file, path } = await reportingMachine();
  file.waits('the registry cannot be reached', 5);
  expect(waitingReports(path)).toEqual({ since: 5, because: 'the registry cannot be reached' });
  file.renew();
  expect(waitingReports(path)).toBe(undefined);
});

it('a queue that cannot be used is tried less and less often', async () => {
  const { reporter } = await reportingMachine();
  const sender = new ReportSender(reporter, 'process-1');
  const waits = [1, 2, 3, 4, 5, 6].map(() => sender.failed(new Error('the disk is broken')));
  expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
});

it('a queue remembers the newest 5,000 actions', async () => {
  const { file } = await reportingMachine();
  const ids = Array.from({ length: 5001 }, (_, place) => `a1b2-${place}`);
  file.add([], ids);
  const taken = file.taken() ?? new Set();
  expect([taken.size, taken.has('a1b2-0'), taken.has('a1b2-5000')]).toEqual([5000, false, true]);
});

import { expect, it } from 'vitest';
import { RegistryError } from '../../src/registry/registry-error.ts';
import { waitingReports, type NewOutcome } from '../../src/reports/outbound-file.ts';
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

it('an outcome above the size of a report is sent alone, and holds back no other', async () => {
  const { file } = await reportingMachine();
  const content = { at: '2026-11-21T01:02:03Z', kind: 'module', name: 'lidar' } as const;
  const versions = {
    module_id: 'acme:lidar',
    direction: 'upgrade',
    from: null,
    to: '1.2.9',
  } as const;
  const outcome = (action: string, reason: string): NewOutcome => {
    return { ...content, ...versions, action, result: 'failed', reason };
  };
  file.add([outcome('a-1', 'x'.repeat(1000)), outcome('a-2', 'y'), outcome('a-3', 'z')], []);
  const next = (): number[] => file.unsent(10, 800).map(({ number }) => number);
  expect(next()).toEqual([1]);
  file.known(1);
  expect(next()).toEqual([2, 3]);
});

it('a machine that ends while it reports does not say that reports wait', async () => {
  const machine = await reportingMachine();
  const ending = new AbortController();
  const report = async (): Promise<never> => {
    ending.abort(new Error('the agent ends'));
    return await Promise.reject(new RegistryError('registry-unreachable', 'the connection ended'));
  };
  const sender = new ReportSender({ ...machine.reporter, client: { report } }, 'process-1');
  await expect(sender.drain(machine.file, ending.signal)).rejects.toThrow('the agent ends');
  expect([machine.notices, waitingReports(machine.path)]).toEqual([[], undefined]);
});

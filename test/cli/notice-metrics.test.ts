import { expect, it, onTestFinished } from 'vitest';
import { logNotice } from '../../src/cli/base/registry-log.ts';
import { registryMetrics } from '../../src/cli/metrics/registry-metrics.ts';
import { Catalogue } from '../../src/server/index.ts';
import type { NoticeEvent } from '../../src/server/notice.ts';

it.each<[string, NoticeEvent]>([
  ['{result="sent"} 1', { kind: 'notice-sent', event: 'e', to: 'o' }],
  ['{result="failed"} 1', { kind: 'notice-failed', event: 'e', to: 'o', because: 'x' }],
  ['{result="refused"} 1', { kind: 'notice-refused', event: 'e', to: 'o', because: 'x' }],
  ['{result="expired"} 1', { kind: 'notice-expired', event: 'e', to: 'o', because: 'x' }],
  ['{result="dropped"} 7', { kind: 'notice-dropped', count: 7, to: 'o' }],
  ['', { kind: 'notices-failed', because: 'x' }],
])('[D211] [D217] the metrics of notices count %s', async (counted, event) => {
  const catalogue = new Catalogue(':memory:');
  onTestFinished(() => catalogue.close());
  const { onNotice, scrape } = registryMetrics(catalogue, () => undefined);
  onNotice(event);
  const { text } = await scrape();
  const lines = text.split('\n').filter((line) => line.startsWith('modreg_registry_notices_total'));
  const counters = lines.filter((line) => !line.endsWith(' 0'));
  expect(counters).toEqual(counted === '' ? [] : [`modreg_registry_notices_total${counted}`]);
});

it.each<[string, NoticeEvent]>([
  [
    'info notice-sent {"notice":"release-yanked","to":"o"}',
    { kind: 'notice-sent', event: 'release-yanked', to: 'o' },
  ],
  [
    'warn notice-failed {"notice":"release-yanked","to":"o","because":"x"}',
    { kind: 'notice-failed', event: 'release-yanked', to: 'o', because: 'x' },
  ],
  ['warn notice-dropped {"count":7,"to":"o"}', { kind: 'notice-dropped', count: 7, to: 'o' }],
  ['warn notices-failed {"because":"x"}', { kind: 'notices-failed', because: 'x' }],
])('[D211] the log has %s', (line, event) => {
  const lines: string[] = [];
  logNotice((level, name, fields) => {
    lines.push(`${level} ${name} ${JSON.stringify(fields)}`);
  }, event);
  expect(lines).toEqual([line]);
});

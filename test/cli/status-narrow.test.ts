import { expect, it } from 'vitest';
import { homeAfter, logged } from '../support/machine-home.ts';
import { inProcess } from '../support/in-process.ts';
import { moduleNamed } from '../support/claimed.ts';

const NOW = Date.parse('2026-11-20T01:02:03Z');
const DECISIONS = [
  logged('acme_lidar', { target: '1.2.9', decision: 'upgrade', reason: 'newest patch of 1.2' }),
  logged('acme_cam', { target: '1.1.0', reason: 'already the newest release of 1' }),
  logged('acme_arm', { target: undefined, decision: 'stuck', reason: 'no list' }),
];

it('[D352] status has two lines for each decision where its columns do not fit', async () => {
  const home = homeAfter((state) => {
    state.report(moduleNamed('acme_lidar', 'acme:lidar'), '1.2.3', NOW);
    state.report(moduleNamed('acme_cam', 'acme:cam'), '1.1.0', NOW);
    state.log(DECISIONS, { at: NOW, trouble: undefined });
  });
  const { stdout } = await inProcess(['status'], { PLATFORM_HOME: home, COLUMNS: '60' });
  const lines = stdout.split('\n');
  expect(lines.slice(lines.indexOf('') + 1)).toEqual([
    '  acme:lidar   1.*   1.2.3 → 1.2.9',
    '      upgrade: newest patch of 1.2',
    '  acme:cam   1.*   1.1.0',
    '      up to date: already the newest release of 1',
    '  acme:arm   1.*   unknown',
    '      stuck: no list',
    '',
  ]);
});

import { expect, it } from 'vitest';
import { commitOne } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { homeAfter } from '../support/machine-home.ts';
import { machinePage, textOf } from './support/machine-page.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const LIDAR = { type: 'registry', name: 'lidar', module_id: 'acme:lidar', version: '1.*' };

it('[D184] the page of a machine says that an action fails and is tried again, and why', async () => {
  const home = homeAfter((state) => {
    const { id } = commitOne(state);
    const outcome = {
      kind: 'failed',
      reason: 'the disk is full',
      running: '1.0.0',
      blame: 'machine',
    } as const;
    for (const at of [NOW - 1, NOW]) {
      state.deliver(id, at);
      state.acknowledge(id, outcome, {
        at: NOW,
        quarantineUntil: undefined,
        retryAt: NOW + 30_000,
      });
    }
  });
  const releases = ['1.0.0', '1.1.0'].map((version) => ({ version }));
  const registry = temporaryFolder({ 'acme/lidar.json': JSON.stringify({ releases }) });
  const policy = { restart_cooldown: '0s' };
  const app = machinePage({ home, now: NOW, machine: { modules: [LIDAR] }, policy, registry });
  const lines = await textOf(app, '/');
  // The decision alone is due.
  expect(lines).toContain('newest release of 1');
  expect(lines).toContain('1 needs attention');
  const row = lines.indexOf('acme:lidar (lidar) needs attention');
  expect(lines.slice(row + 1).filter((line) => line.includes('failed'))).toEqual([
    'upgrade to 1.1.0 failed: the disk is… · again in 30 s',
    'upgrade to 1.1.0 failed 2 times because of this machine, next attempt 2026-11-21T12:00:30Z (in 30 s): the disk is full',
  ]);
});

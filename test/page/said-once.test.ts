import { expect, it } from 'vitest';
import { commitOne } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { homeAfter } from '../support/machine-home.ts';
import { machinePage, textOf } from './support/machine-page.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const CHANGES = 'Change… Restart… Roll back… Quarantine… Hold…';
const YANKED = { version: '1.1.0', yanked: 'drifts' };
const MODULES = ['lidar', 'arm'].map((name) => {
  return { type: 'registry', name, module_id: `acme:${name}`, version: '1.*' };
});

/** The page of a machine on which 1.1.0 of the lidar is deployed, which is yanked, and nothing is known of the arm. */
async function page(): Promise<string[]> {
  const home = homeAfter((state) => {
    const { id } = commitOne(state);
    state.deliver(id, NOW);
    const times = { at: NOW, quarantineUntil: undefined, retryAt: NOW };
    state.acknowledge(id, { kind: 'done' }, times);
  });
  const registry = temporaryFolder({
    'acme/lidar.json': JSON.stringify({ releases: [{ version: '1.0.0' }, YANKED] }),
  });
  const app = machinePage({ home, now: NOW, machine: { modules: MODULES }, policy: {}, registry });
  return await textOf(app, '/');
}

it('[D352] what is wrong with a module stands on its card, and neither above the cards nor twice', async () => {
  const lines = await page();
  const first = lines.indexOf('2 need attention') + 1;
  expect(lines.slice(first)).toEqual([
    'acme:lidar (lidar) needs attention',
    '1.1.0 is yanked: drifts · stays, nothing newer',
    'deployed 1.1.0',
    'constraint 1.*',
    'latest 1.0.0',
    'signatures unsigned',
    'next stays until a newer release of 1.* is published',
    'To replace it, change its version or roll it back.',
    'Why',
    'stays at 1.1.0, which is yanked: drifts; the newest release of 1 that may be selected is 1.0.0',
    CHANGES,
    'acme:arm (arm) needs attention',
    'the deployed version is not known',
    'deployed unknown',
    'constraint 1.*',
    'latest -',
    'signatures -',
    'Why',
    'the deployed version is not known',
    'pass --deployed <file> with JSON such as {"acme_lidar": "1.2.3"}, by the names of module entries; null means not deployed',
    CHANGES,
  ]);
});

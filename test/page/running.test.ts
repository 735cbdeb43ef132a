import { expect, it } from 'vitest';
import { homeAfter } from '../support/machine-home.ts';
import { moduleId } from '../support/ask.ts';
import { programOf } from '../support/marked-program.ts';
import { machinePage, textOf } from './support/machine-page.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const MODULES = ['lidar', 'arm'].map((name) => ({
  type: 'registry',
  name,
  module_id: `acme:${name}`,
  version: '1.*',
}));

it('[D353] the page of a machine says which module runs, since when and in how much memory', async () => {
  const home = homeAfter((state) => {
    const target = { kind: 'module', name: 'lidar', moduleId: moduleId('acme:lidar') } as const;
    state.report(target, '1.0.0', NOW);
  });
  const pid = programOf(home, 'lidar/1.0.0');
  programOf(home, 'other/1.0.0');
  const lines = await textOf(machinePage({ home, now: NOW, machine: { modules: MODULES } }), '/');
  const [shown = '', ...others] = lines.filter((line) => line.startsWith('running'));
  expect(shown.replaceAll(/\d+ (?=MB|s,)/g, 'N ')).toBe(`running for N s, process ${pid}, N MB`);
  expect(others).toEqual([]);
});

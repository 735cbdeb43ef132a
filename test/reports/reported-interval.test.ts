import { expect, it } from 'vitest';
import { reportTarget } from '../../src/cli/poll/machine-reports.ts';
import { quietWorld } from '../support/quiet-world.ts';
import { reportingMachine } from './support/reporting.ts';

it('[D186] reports how often the machine asks, and its change', async () => {
  const sent: (number | undefined)[] = [];
  const machine = await reportingMachine({
    through: (client) => ({
      report: async (id, report, signal) => {
        if (report.state) sent.push(report.state.every_ms);
        return await client.report(id, report, signal);
      },
    }),
  });
  let everyMs: number | undefined = 300_000;
  Object.assign(machine.reporter, { everyMs: () => everyMs });
  await machine.send();
  await machine.send();
  everyMs = undefined;
  await machine.send();
  expect(sent).toEqual([300_000, undefined]);
});

it.each<[string, Readonly<Record<string, string>>, string | undefined, boolean]>([
  ['no registry', {}, undefined, false],
  ['that of its policy', {}, 'https://registry.example/', true],
  ['another one of its policy', {}, 'https://npm.example', false],
  ['a folder', {}, './lists', false],
  ['that of its environment', { MODREG_REGISTRY: 'https://registry.example' }, undefined, true],
  [
    'another one of its environment, which counts first',
    { MODREG_REGISTRY: 'https://npm.example' },
    'https://registry.example',
    false,
  ],
])(
  '[D186] whether a machine asks the registry that it reports to: %s',
  (_what, more, registry, expected) => {
    const environment = { PLATFORM_PART_ID: 'rover-7', ...more };
    const world = { ...quietWorld('linux/arm64'), environment };
    const target = reportTarget({ reports: 'https://registry.example' }, world);
    if (!target.ok) throw new Error(target.error.message);
    expect(target.value?.isPolled(registry)).toBe(expected);
  },
);

import { chmodSync } from 'node:fs';
import { expect, it } from 'vitest';
import { reportTarget } from '../../src/cli/poll/machine-reports.ts';
import { temporaryFolder } from '../support/folder.ts';
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

const AT = { MODREG_REGISTRY: 'https://registry.example' };
const TOKEN = { MODREG_TOKEN: 'modreg_a' };

it.each<[string, Readonly<Record<string, string>>, string | undefined, boolean]>([
  ['no registry', TOKEN, undefined, false],
  ['that of its environment', { ...AT, ...TOKEN }, undefined, true],
  ['that without a token', AT, undefined, false],
  [
    'another one, which counts before its policy',
    { ...AT, ...TOKEN, MODREG_REGISTRY: 'https://npm.example' },
    'https://registry.example',
    false,
  ],
  ['that of its policy, which gets no token', TOKEN, 'https://registry.example/', false],
  [
    'that of its policy, which gets the one of the file',
    { MODREG_TOKEN_FILE: 'same' },
    'https://registry.example/',
    true,
  ],
  [
    'that of its policy, with another token',
    { ...TOKEN, MODREG_TOKEN_FILE: 'other' },
    'https://registry.example/',
    false,
  ],
  ['another one of its policy', { MODREG_TOKEN_FILE: 'same' }, 'https://npm.example', false],
  ['a folder', { MODREG_TOKEN_FILE: 'same' }, './lists', false],
])(
  '[D186] whether a machine asks the registry that it reports to: %s',
  (_what, more, registry, expected) => {
    const folder = temporaryFolder({
      same: 'https://registry.example modreg_a\n',
      other: 'https://registry.example modreg_b\n',
    });
    for (const name of ['same', 'other']) chmodSync(`${folder}/${name}`, 0o600);
    const { MODREG_TOKEN_FILE: file } = more;
    const named = file === undefined ? {} : { MODREG_TOKEN_FILE: `${folder}/${file}` };
    const environment = { PLATFORM_PART_ID: 'rover-7', ...more, ...named };
    const world = { ...quietWorld('linux/arm64'), environment };
    const target = reportTarget({ reports: 'https://registry.example' }, world);
    if (!target.ok) throw new Error(target.error.message);
    expect(target.value?.isPolled(registry)).toBe(expected);
  },
);

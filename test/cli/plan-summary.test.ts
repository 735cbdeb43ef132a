import { expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { component, entry } from '../support/planned.ts';
import { quietWorld } from '../support/quiet-world.ts';
import { NOON, site, type Site } from '../support/site.ts';

/** The last lines of the plan of a machine. */
async function summary(described: Site): Promise<readonly string[]> {
  const folder = site(described);
  const files = [`${folder}/machine.json`, '--deployed', `${folder}/deployed.json`];
  const { answer } = await runCommandLine(['plan', ...files, ...NOON], quietWorld('linux/arm64'));
  const [, ...end] = answer.slice(answer.lastIndexOf(''));
  return end;
}

const LISTS = { 'acme/lidar': ['1.0.0', '1.0.1'], 'acme/arm': ['1.0.0', '1.0.1'] };
const BOTH = [entry('acme:lidar', '1.*'), entry('acme:arm', '1.*')];

it.each<[object, string[]]>([
  [{ acme_lidar: '1.0.1', acme_arm: '1.0.1' }, ['2 unchanged.', 'Nothing was changed.']],
  [{ acme_lidar: '1.0.0', acme_arm: '1.0.1' }, ['1 upgrade, 1 unchanged.', 'Nothing was changed.']],
  [
    { acme_lidar: '1.0.0', acme_arm: null },
    ['1 upgrade, 1 install, 0 unchanged.', 'Nothing was changed.'],
  ],
  [
    { acme_lidar: '1.0.0', acme_arm: '1.0.0' },
    ['2 upgrades, 0 unchanged.', 'Nothing was changed.'],
  ],
])('the summary of a plan with %j', async (deployed, lines) => {
  expect(await summary({ machine: { modules: BOTH }, deployed, lists: LISTS })).toEqual(lines);
});

it.each([
  [8, 'c1, c2, c3, c4, c5, c6, c7, c8'],
  [9, 'c1, c2, c3, c4, c5, c6, c7, c8, 1 more'],
])('%i components that would stop', async (count, named) => {
  const names = Array.from({ length: count }, (_, place) => `c${place + 1}`);
  const machine = {
    modules: BOTH,
    components: names.map((name) => component(name, 'acme:lidar:x')),
  };
  const deployed = { acme_lidar: '1.0.0', acme_arm: '1.0.1' };
  const [line] = await summary({ machine, deployed, lists: LISTS });
  expect(line).toBe(`1 upgrade, 1 unchanged. Components that would stop: ${named}.`);
});

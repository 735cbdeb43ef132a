import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { acceptCommand } from '../../src/cli/registry/accept-command.ts';
import { inProcess } from '../support/in-process.ts';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { quietWorld } from '../support/quiet-world.ts';

it.each<[string, object, object, string]>([
  ['a lost yank', { yanked: 'bad' }, {}, 'no longer yanked (it was: bad)'],
  ['a yank', {}, { yanked: 'bad' }, 'now yanked: bad'],
  ['a yank without a reason', {}, { yanked: '' }, 'now yanked'],
  ['another reason', { yanked: '' }, { yanked: 'bad' }, 'yanked for another reason: none → bad'],
  [
    'two fields',
    { published_at: '2026-11-20T00:00:00Z' },
    { deprecated: 'old' },
    'published_at 2026-11-20T00:00:00Z → none, now deprecated: old',
  ],
  ['a floor', {}, { floor: true }, 'now a floor'],
  ['a lost floor', { floor: true }, {}, 'no longer a floor'],
  ['files', { artifacts: [] }, {}, 'other artifacts'],
])('modreg accept says how a field changed: %s', async (_, before, now, line) => {
  let list = listOf([{ version: '1.2.3', ...before }, '1.0.0'], 1);
  const server = await plainServer((response) => send(response, list));
  const environment = { PLATFORM_HOME: temporaryFolder(), MODREG_REGISTRY: server.address };
  await inProcess(['resolve', 'acme:lidar', '1.*'], environment);
  list = listOf([{ version: '1.2.3', ...now }, '1.0.0'], 1);
  const { stdout } = await inProcess(['accept', 'acme:lidar', '--dry-run'], environment);
  expect(stdout).toBe(`acme:lidar\n  changed 1.2.3: ${line}\nnothing was accepted\n`);
});

function versions(major: number, count: number): string[] {
  return Array.from({ length: count }, (_, minor) => `${major}.${minor}.0`);
}

it('modreg accept names ten entries of a group, and the number of the others', async () => {
  let list = listOf([...versions(1, 10), ...versions(2, 11)], 1);
  const server = await plainServer((response) => send(response, list));
  const environment = { PLATFORM_HOME: temporaryFolder(), MODREG_REGISTRY: server.address };
  const world = { ...quietWorld('linux/x64'), environment };
  await acceptCommand('acme:lidar', {}, world);
  list = listOf([...versions(2, 11), ...versions(3, 12)], 2);
  const { answer, problems } = await acceptCommand('acme:lidar', { dryRun: true }, world);
  expect(problems).toEqual([]);
  expect(answer).toEqual([
    'acme:lidar',
    '  generation 1 → 2',
    ...versions(1, 10).map((version) => `  gone    ${version}`),
    ...versions(3, 10).map((version) => `  new     ${version}`),
    '  new     … 2 more',
    'nothing was accepted',
  ]);
});

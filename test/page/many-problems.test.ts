import { expect, it } from 'vitest';
import { entry } from '../support/planned.ts';
import { temporaryFolder } from '../support/folder.ts';
import { machinePage, textOf } from './support/machine-page.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');

it.each([
  [100, 100, []],
  [250, 100, ['150 more are left out; modreg plan shows all of them.']],
])('of %i errors, the page shows %i', async (count, shown, said) => {
  const modules = Array.from({ length: count }, (_, place) => entry(`acme:a${place}`, '2.*'));
  const home = temporaryFolder();
  const lines = await textOf(
    machinePage({ home, now: NOW, machine: { modules }, policy: {} }),
    '/',
  );
  expect(lines.filter((line) => line.startsWith('REGISTRY_UNREACHABLE'))).toHaveLength(shown);
  expect(lines).toContain(`${count - 3} more`);
  expect(lines.filter((line) => line.includes('left out'))).toEqual(said);
});

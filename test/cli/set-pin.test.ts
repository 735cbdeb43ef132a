import { expect, it } from 'vitest';
import { contentOf, folderWith, NOW } from './support/adding.ts';
import { printed } from '../support/command.ts';

const MACHINE = `{ "modules": [
  { "type": "registry", "name": "front", "module_id": "acme:lidar", "version": "1.2.*" },
  { "type": "registry", "name": "left", "module_id": "acme:lidr", "version": "1.2.*" }
] }
`;

/** What `modreg set` says, and the version that the entry has then. */
async function set(name: string, version: string, ...options: readonly string[]) {
  const folder = folderWith(MACHINE);
  const args = ['set', name, version, `${folder}/machine.json`, ...options];
  const { stderr, exit } = await printed(args, { clock: () => NOW });
  const text = contentOf(folder);
  const written = text === MACHINE ? 'unchanged' : text.match(/"version": "([^"]+)"/)?.[1];
  return [written, exit, ...stderr.map((line) => line.replaceAll(folder, '.'))];
}

it.each([
  [
    '1.2.7',
    [
      'error[PIN_NOT_PUBLISHED]: acme:lidar 1.2.7 is not published; nothing was changed',
      '  because the nearest published versions are 1.1.0 and 1.2.8',
      'hint: 1.2.* selects 1.2.9; latest selects 1.2.9',
    ],
  ],
  [
    '1.2.9+exp',
    [
      'error[PIN_NOT_PUBLISHED]: acme:lidar 1.2.9+exp is not published; nothing was changed',
      '  because published with the same numbers: 1.2.9; a pin accepts only its exact text',
      'hint: 1.2.* selects 1.2.9; latest selects 1.2.9',
    ],
  ],
])('[D444] set refuses %s, which is not published, as add does', async (version, said) => {
  expect(await set('front', version)).toEqual(['unchanged', 1, ...said]);
  expect(await set('front', version, '--dry-run')).toEqual(['unchanged', 1, ...said]);
});

it('[D444] set refuses an exact version of a module that is not published', async () => {
  expect(await set('left', '1.2.9')).toEqual([
    'unchanged',
    3,
    'error[UNKNOWN_MODULE]: the folder "./lists" has no module acme:lidr; nothing was changed',
    '  did you mean acme:lidar ?',
    'hint: namespace acme has 4 modules: arm, cam, gps, lidar',
  ]);
});

it.each([
  ['1.2.8', []],
  // Yanked: a pin selects it.
  ['1.1.0', []],
  ['1.9.*', []],
])('[D444] set takes %s', async (version, said) => {
  expect(await set('front', version)).toEqual([version, 0, ...said]);
});

it('[D444] set takes an exact version, with a warning, if the list cannot be read', async () => {
  expect(await set('front', '1.2.7', '--registry', './none')).toEqual([
    '1.2.7',
    0,
    'warning[PIN_NOT_PUBLISHED]: it is not known whether acme:lidar 1.2.7 is published: the registry folder "./none" does not exist',
  ]);
});

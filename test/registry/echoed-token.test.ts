import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { secret } from '../../src/core/index.ts';
import { openRegistries, RegistryError } from '../../src/registries/index.ts';
import { retryBudget } from '../../src/registry/retry-budget.ts';
import { openMachineFile, savedListsIn } from '../../src/store/index.ts';
import { answers, document, HOST, json, text } from '../../mocks/scripted-registry.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { remoteAt } from '../support/remote-at.ts';

const asked = answers();
// Its base64 has a + that base64url writes as -.
const TOKEN = 'modreg_Q~/hbm+F?>S1i';

function escaped(token: string): string {
  return Array.from(token, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  }).join('');
}

describe('[T93] a token that the registry repeats', () => {
  it.each([
    ['as it is', TOKEN],
    ['escaped, as JSON permits', escaped(TOKEN)],
    ['partly escaped', `${escaped(TOKEN.slice(0, 9))}${TOKEN.slice(9).replace('+', '\\u002b')}`],
    ['with an escaped slash', TOKEN.replace('/', '\\/')],
    ['escaped twice', escaped(TOKEN).replaceAll('\\', '\\\\')],
    ['percent-encoded', encodeURIComponent(TOKEN)],
    ['encoded as base64', Buffer.from(`${TOKEN}~and more`).toString('base64')],
    ['encoded as base64url', Buffer.from(TOKEN).toString('base64url')],
  ])('is masked in the list, and in the file that saves it: %s', async (_, echo) => {
    const path = `${temporaryFolder()}/machine.db`;
    const file = openMachineFile(path);
    const body = `{"module_id":"acme:lidar","generation":1,"count":1,"releases":[{"version":"1.2.3","published_at":"2026-01-01T00:00:00Z","yanked":"got ${echo} from you"}]}`;
    const registry = openRegistries({
      saved: savedListsIn(file),
      token: () => secret(TOKEN),
    }).registryFor({ registry: HOST });
    asked.next(text(body, 'application/json'));
    const { records } = await registry.read(moduleId('acme:lidar'));
    expect([...records][0]?.yanked).toMatch(/^got \[token\]\S* from you$/);
    file.close();
    const saved = readFileSync(path, 'latin1');
    expect(saved).toContain('got [token]');
    expect(saved).not.toContain(TOKEN);
  });

  it.each([
    ['12345678', '[token]'],
    ['1234567', '1234567'],
  ])('is masked if it has at least eight characters: %s', async (token, expected) => {
    const registry = openRegistries({ token: () => secret(token) }).registryFor({ registry: HOST });
    asked.next(document([{ version: '1.2.3', yanked: token }]));
    const { records } = await registry.read(moduleId('acme:lidar'));
    expect([...records][0]?.yanked).toBe(expected);
  });

  it('does not change other text', async () => {
    const yanked = 'got \\u0022modreg_\\u0022 and \\\\ from you';
    const registry = openRegistries({ token: () => secret(TOKEN) }).registryFor({ registry: HOST });
    const list = `{"module_id":"acme:lidar","generation":1,"count":1,"releases":[{"version":"1.2.3","yanked":"${yanked}"}]}`;
    asked.next(text(list, 'application/json'));
    const { records } = await registry.read(moduleId('acme:lidar'));
    expect([...records][0]?.yanked).toBe('got "modreg_" and \\ from you');
  });
});

describe('[T93] a token, however short, that an error repeats is masked', () => {
  const LIDAR = moduleId('acme:lidar');
  const token = '1234567';
  const body = {
    generation: 1,
    count: 0,
    releases: [],
    module_id: token,
    sequence: token,
    modules: token,
  };
  const context = { budget: retryBudget(), signal: undefined };
  const remote = remoteAt(HOST, { token: () => secret(token) });
  it.each<[string, () => Promise<unknown>, string, string?]>([
    [
      'a list',
      async () => await remote.fetch(LIDAR, undefined, context),
      '/module_id is "[token]", expected "acme:lidar"',
      'look at what answers there: curl -i https://registry.example/v1/modules/acme/lidar',
    ],
    [
      'the change feed',
      async () => await remote.changes?.(0, context),
      '/sequence is "[token]", expected a whole number',
    ],
    [
      'the list of modules',
      async () => await remote.modules?.(undefined, context),
      '/modules is "[token]", expected a list of strings',
    ],
  ])('of %s', async (_, ask, found, hint) => {
    asked.next(json(body));
    const where = 'the registry https://registry.example does not respond like a registry';
    const expected = new RegistryError('not-a-registry', `${where}: ${found}`, { hint });
    await expect(ask()).rejects.toThrow(expected);
  });
});

import { expect, it, onTestFinished } from 'vitest';
import { changeFeed } from '../../src/server/catalogue/change-feed.ts';
import type { CatalogueConfigs } from '../../src/server/configs/catalogue-configs.ts';
import { Catalogue } from '../../src/server/index.ts';
import { DatabaseError } from '../../src/sqlite/database-error.ts';
import { temporaryFolder } from '../support/folder.ts';

const ABOUT = { machine: 'rover-7', author: 'page', reason: 'a test', at: 0 };

function save({ save: saved }: CatalogueConfigs): void {
  saved({ ...ABOUT, config: '{}', policy: undefined, basedOn: 0 });
}

function give({ commands }: CatalogueConfigs): void {
  const about = {
    kind: 'restart',
    module: 'acme_lidar',
    term: undefined,
    version: undefined,
  } as const;
  commands.give({ ...ABOUT, ...about, key: 'A'.repeat(22), expiresAt: 1000 });
}

/** The catalogue of a server, and that of another process on the same file. */
function twoCatalogues(): readonly [server: Catalogue, other: Catalogue] {
  const path = `${temporaryFolder()}/registry.db`;
  const server = new Catalogue(path, { mode: 'create' });
  const other = new Catalogue(path);
  onTestFinished(() => {
    server.close();
    other.close();
  });
  return [server, other];
}

it.each([
  ['saves documents of', save],
  ['gives a command to', give],
] as const)(
  '[T728] another process that %s a machine ends the wait of this one alone',
  async (_what, change) => {
    const [server, other] = twoCatalogues();
    const feed = changeFeed(server);
    onTestFinished(() => feed.close());
    const woken = new Promise((resolve) => {
      for (const machine of ['rover-8', 'rover-7']) {
        server.configs.watch(machine, () => resolve(machine));
      }
    });
    change(other.configs);
    expect(await woken).toBe('rover-7');
  },
);

it.each([
  ['documents', save],
  ['commands', give],
] as const)('[T728] the file of a front of a cluster takes no %s', (_what, change) => {
  const [server, other] = twoCatalogues();
  server.log.begin({ sequence: 1, subject: 'modreg.fleet', id: 'a', body: '{}' }, 'shared');
  const found = 'it belongs to a front of a cluster, and changes only through one';
  expect(() => change(other.configs)).toThrow(DatabaseError);
  expect(() => change(other.configs)).toThrow(found);
  expect(server.configs.newest('rover-7')).toBeUndefined();
  expect(server.configs.commands.all('rover-7')).toEqual([]);
});

import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { Catalogue } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { machineReport } from '../support/machine-report.ts';
import { entry } from '../support/planned.ts';
import { asking } from './support/asking.ts';

const CONFIG = '/v1/machines/rover-7/config';
const SECRET = `${CONFIG}/secrets/MAPS`;
const VALUE = 'kiwi-7f3a';
const RETIRED = '/v1/fleet/machines/rover-7/retired';

const ALL = { machine: undefined, before: {}, limit: 20 };

function changed({ configs }: Pick<Catalogue, 'configs'>): string[] {
  return configs.changed(ALL).map(({ author, thing }) => {
    if (thing.kind !== 'others') return thing.kind;
    return [thing.what, thing.machine, thing.name, author].join(' ');
  });
}

it('[D443] secrets that are set and removed, and machines that are retired, are noted with who did it, and no value', async () => {
  const { as, registry } = asking();
  const env = { KEY: '${secret.MAPS}' };
  const config = JSON.stringify({ modules: [{ ...entry('acme:maps', '1.*'), env }] });
  await as('config', 'PUT', CONFIG, { based_on: 0, config, reason: 'first' });
  await as('config', 'DELETE', SECRET);
  await as('config', 'PUT', SECRET, { value: VALUE });
  await as('config', 'DELETE', SECRET);
  await as('rollout', 'PUT', RETIRED, {});
  await as('machine:rover-7', 'POST', '/v1/machines/rover-7/reports', machineReport([1]));
  await as('rollout', 'PUT', RETIRED, {});
  expect(changed(registry.catalogue)).toEqual([
    'documents',
    'machine-retired rover-7  token t3 (rollout)',
    'secret-removed rover-7 MAPS token t2 (config)',
    'secret-set rover-7 MAPS token t2 (config)',
  ]);
  expect(JSON.stringify(registry.catalogue.configs.changed(ALL))).not.toContain(VALUE);
});

it('[D443] the newest 10,000 of them are kept', () => {
  const path = `${temporaryFolder()}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create' });
  const database = new DatabaseSync(path);
  database.exec(
    `WITH RECURSIVE place (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < 10000)
     INSERT INTO noted_changes (at, kind, author) SELECT at, 'account-set', 'alice' FROM place`,
  );
  catalogue.configs.note({ kind: 'account-removed', name: 'ada', author: 'alice', at: 20_000 });
  const kept = database.prepare('SELECT count(*) AS count, min(at) AS least FROM noted_changes');
  expect({ ...kept.get() }).toEqual({ count: 10_000, least: 2 });
  expect(changed(catalogue)[0]).toBe('account-removed  ada alice');
  database.close();
  catalogue.close();
});

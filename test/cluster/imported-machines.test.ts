import { expect, it } from 'vitest';
import { importCatalogue } from '../../src/cluster/import-catalogue.ts';
import { secretKey } from '../../src/cluster/secret-key.ts';
import { backUp } from '../../src/server/backup/backup.ts';
import { restore } from '../../src/server/backup/restore.ts';
import { stateOf } from '../../src/server/configs/fragment-table.ts';
import { Catalogue } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { memoryStream } from '../support/memory-stream.ts';
import { frontOf, NOW } from './support/following-front.ts';

const ABOUT = { at: NOW, author: 'a', reason: 'b' };
const SOURCE = { config: '{}', policy: undefined, fragments: ['base'] };
const MACHINES = ['rover-7', 'rover-8'];
const WISH = {
  ...ABOUT,
  key: 'k',
  kind: 'hold',
  module: undefined,
  term: '1h',
  version: undefined,
} as const;

/** A catalogue with documents, a fragment, commands, and what machines said. */
function filled(path: string): Catalogue {
  const catalogue = new Catalogue(path, { mode: 'create' });
  const next = { ...ABOUT, name: 'base', revision: 1, content: '{}' };
  catalogue.apply({ kind: 'fragment', next, users: stateOf([]), documents: [] });
  const documents = { ...ABOUT, policy: undefined, source: SOURCE };
  for (const machine of MACHINES) {
    catalogue.configs.save({ ...documents, machine, config: '{"modules":[]}', basedOn: 0 });
    catalogue.configs.save({ ...documents, machine, config: '{}', basedOn: 1 });
  }
  const wish = { ...WISH, expiresAt: NOW + 3_600_000 };
  catalogue.apply({ kind: 'commands', wish, machines: MACHINES });
  const rover = { machine: 'rover-7', at: NOW };
  catalogue.apply({
    kind: 'heard',
    words: [
      { about: 'asking', machine: 'rover-7' },
      { ...rover, about: 'documents', applied: 1, refused: undefined },
      { ...rover, about: 'commands', outcomes: [{ number: 1, result: 'done', detail: '' }] },
    ],
  });
  return catalogue;
}

function servedBy({ configs }: Pick<Catalogue, 'configs'>): unknown {
  return {
    fragments: configs.fragments.all(),
    users: configs.fragments.users('base'),
    machines: MACHINES.map((machine) => ({
      history: configs.history(machine),
      said: configs.answer(machine),
      commands: configs.commands.all(machine),
      asked: configs.commands.hasAsked(machine),
    })),
  };
}

/** A front of a cluster into which the catalogue was imported. */
async function imported(single: Catalogue) {
  const stream = memoryStream();
  expect((await importCatalogue(single, stream, { now: NOW })).kind).toBe('imported');
  const front = frontOf(stream, `${temporaryFolder()}/front.db`);
  await front.following.reaches(await stream.last(), 5000);
  return front;
}

it('[D400] an import brings documents, fragments, commands, and what machines said of them', async () => {
  const single = filled(`${temporaryFolder()}/registry.db`);
  const { catalogue } = await imported(single);
  expect(servedBy(catalogue)).toEqual(servedBy(single));
  single.close();
});

it('[D400] numbers that a restore raised stay so high in a cluster', async () => {
  const folder = temporaryFolder();
  const path = `${folder}/registry.db`;
  filled(path).close();
  await backUp(path, `${folder}/bk`, NOW);
  restore(`${folder}/bk`, path, { replaces: true, now: NOW });
  const single = new Catalogue(path, { mode: 'read' });
  const { catalogue, following } = await imported(single);
  single.close();
  const documents = { ...ABOUT, policy: undefined, config: '{"a":1}' };
  const log = catalogue.log;
  const revisions = ['rover-7', 'rover-9'].map((machine, place) =>
    log.preview({ kind: 'config', ...documents, machine, basedOn: place === 0 ? 2 : 0 }),
  );
  expect(revisions).toEqual([
    { kind: 'saved', revision: 1003 },
    { kind: 'saved', revision: 1003 },
  ]);
  const wish = { ...WISH, key: 'l', expiresAt: NOW + 1 };
  expect(log.preview({ kind: 'commands', wish, machines: ['rover-9'] })).toMatchObject([
    { kind: 'given', command: { number: 1002 } },
  ]);
  await following.stop();
});

const FRAGMENT = { ...ABOUT, name: 'alone', revision: 1, content: '{}' };
const KEY = secretKey(Buffer.alloc(32, 1));

it.each<[string, (single: Catalogue) => void]>([
  [
    'documents',
    ({ configs }) => {
      const next = { ...ABOUT, policy: undefined, config: '{"$schema":"x"}' };
      configs.save({ ...next, machine: 'rover-7', basedOn: 2 });
    },
  ],
  [
    'a fragment that no machine uses',
    (single) =>
      single.apply({ kind: 'fragment', next: FRAGMENT, users: stateOf([]), documents: [] }),
  ],
  [
    'a signature',
    (single) =>
      single.apply({
        kind: 'config-signatures',
        machine: 'rover-7',
        revision: 2,
        signatures: { abc: 'def' },
      }),
  ],
  [
    'a value of a secret',
    ({ configs }) => configs.secrets.set('rover-7', 'MAPS_KEY', { value: 'x', places: [] }),
  ],
])('[D400] an import says that %s came meanwhile', async (_what, change) => {
  const single = filled(`${temporaryFolder()}/registry.db`);
  const stream = memoryStream();
  const changing = {
    ...stream,
    last: async () => {
      change(single);
      return await stream.last();
    },
  };
  const terms = { now: NOW, secrets: KEY };
  expect(await importCatalogue(single, changing, terms)).toEqual({ kind: 'changed' });
  single.close();
});

it('[D400] an import of values of secrets during which nothing changes is complete', async () => {
  const single = filled(`${temporaryFolder()}/registry.db`);
  single.configs.secrets.set('rover-7', 'MAPS_KEY', { value: 'x', places: [] });
  const terms = { now: NOW, secrets: KEY };
  expect(await importCatalogue(single, memoryStream(), terms)).toMatchObject({ kind: 'imported' });
  single.close();
});

it('[D400] the events of a catalogue without any are those that earlier fronts read', async () => {
  const single = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
  const stream = memoryStream();
  await importCatalogue(single, stream, { now: NOW });
  single.close();
  const bodies = await Promise.all([1, 2].map(async (sequence) => await stream.read(sequence)));
  expect(bodies.map((event) => Object(JSON.parse(event?.body ?? '')).schema)).toEqual([1, 1]);
});

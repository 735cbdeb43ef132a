import { expect, it } from 'vitest';
import { answers, document, HOST, status } from '../../mocks/scripted-registry.ts';
import { LIDAR, remembered, type Remembered } from './support/remembered.ts';

const asked = answers();
const PATH = '/v1/modules/acme/lidar';
const LIST = document(['1.0.0', { version: '1.1.0', floor: true }]);

/** Rewrites the saved list as an earlier modreg would have written it. */
function saveAsBefore({ file: { sql } }: Remembered): void {
  const content = String(sql.get('SELECT content FROM saved_contents')?.['content']);
  const { records, dropped, lost } = JSON.parse(content);
  const before = records.map(({ floor: _floor, ...record }: { floor?: true }) => record);
  const written = JSON.stringify({ records: before, dropped, lost });
  sql.run('UPDATE saved_contents SET content = ?1, checksum = row_checksum(list, ?1)', written);
}

it('[T391] a list that an earlier modreg saved is requested once more, and has its floors then', async () => {
  const machine = remembered(HOST);
  asked.next(LIST);
  await machine.registry.read(LIDAR);
  saveAsBefore(machine);
  const registry = machine.restarted();
  const { records } = await registry.read(LIDAR);
  expect(Array.from(records, ({ floor }) => floor)).toEqual([undefined, true]);
  asked.next(status(304));
  const again = await machine.restarted().read(LIDAR);
  expect(Array.from(again.records, ({ floor }) => floor)).toEqual([undefined, true]);
  // The second request has no entity tag, so that the whole list comes.
  expect(asked.requests).toEqual([PATH, PATH, `${PATH} known "57"`]);
});

it('[T391] while the registry does not answer, it is used as it is', async () => {
  const machine = remembered(HOST);
  asked.next(LIST);
  await machine.registry.read(LIDAR);
  saveAsBefore(machine);
  asked.next(status(404));
  const { records, stale } = await machine.restarted().read(LIDAR);
  expect(Array.from(records, ({ version, floor }) => [version, floor])).toEqual([
    ['1.0.0', undefined],
    ['1.1.0', undefined],
  ]);
  expect(stale?.kind).toBe('unknown-module');
});

it('[T391] a list that this modreg saved is confirmed by its entity tag', async () => {
  const machine = remembered(HOST);
  asked.next(LIST, status(304));
  await machine.registry.read(LIDAR);
  await machine.restarted().read(LIDAR);
  expect(asked.requests).toEqual([PATH, `${PATH} known "57"`]);
});

import { expect, it } from 'vitest';
import { indexReleases } from '../../../src/core/index.ts';
import { releaseEntries } from '../../../src/registry/formats/release-document.ts';
import { lazyList } from '../../../src/registry/formats/decoded-list.ts';
import { pack } from '../../../src/registry/packed-records.ts';
import { moduleId } from '../../support/ask.ts';

const LIDAR = moduleId('acme:lidar');

/** The floors of a list of one release, and what cannot be read of it. */
function read(floor: unknown): readonly unknown[] {
  const releases = [{ version: '1.0.0', ...(floor === undefined ? {} : { floor }) }];
  const list = lazyList(releaseEntries({ releases }, LIDAR), {});
  const floors = indexReleases(list.records).floors();
  return [floors.map(({ version }) => version.text), list.dropped];
}

it.each([
  [true, ['1.0.0'], []],
  [undefined, [], []],
  [false, [], []],
  [null, [], []],
  ['1.2.0', [], ['/releases/0/floor is "1.2.0", expected true or false']],
  ['true', [], ['/releases/0/floor is "true", expected true or false']],
  [1, [], ['/releases/0/floor is the number 1, expected true or false']],
  [{ price: 5 }, [], ['/releases/0/floor is an object, expected true or false']],
])('[T390] the floor %j', (floor, floors, dropped) => {
  expect(read(floor)).toEqual([floors, dropped]);
});

it('[T390] other registries have none, whatever their fields are', () => {
  const packument = { versions: { '1.0.0': { floor: true } } };
  const list = lazyList(releaseEntries(packument, LIDAR), {});
  expect([indexReleases(list.records).floors(), list.dropped]).toEqual([[], []]);
});

it('[D90] a list has the same floors in each form: decoded when read, packed, as records, and in any order', () => {
  const releases = Array.from({ length: 100 }, (_, at) => ({
    version: `1.${at}.0`,
    ...(at % 40 === 7 ? { floor: true as const } : {}),
  }));
  const lazy = lazyList(releaseEntries({ releases }, LIDAR), {}).records;
  const withoutFloors = {
    at: (place: number) => lazy.at(place),
    length: lazy.length,
    versionAt: (place: number) => lazy.at(place)?.version ?? '',
    [Symbol.iterator]: () => lazy[Symbol.iterator](),
  };
  const lists = [lazy, pack(lazy), releases, releases.toReversed(), withoutFloors];
  for (const list of lists) {
    const floors = indexReleases(list).floors();
    expect(floors.map(({ version }) => version.text)).toEqual(['1.7.0', '1.47.0', '1.87.0']);
  }
});

import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { expect, it } from 'vitest';
import { removeUnused } from '../../../src/agent/install/retention.ts';
import { temporaryFolder } from '../../support/folder.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const LIDAR = 'packages/acme/lidar';

/** Sets when a file or folder was written, in days before now. */
function age(path: string, days: number): void {
  const at = (NOW - days * 86_400_000) / 1000;
  utimesSync(path, at, at);
}

it('keeps what is used, and the two newest other packages of each module for seven days', async () => {
  const ages = { '1.0.0': 90, '1.1.0': 6.9, '1.2.0': 5, '1.3.0': 4, '1.4.0': 3, '1.5.0': 60 };
  const files = Object.keys(ages).map((version) => [`${LIDAR}/${version}/meta.json`, '{}']);
  const home = temporaryFolder({
    ...(Object.fromEntries(files) as Record<string, string>),
    'packages/acme/cam/1.0.0/meta.json': '{}',
    'packages/acme/cam/1.0.0.first-run': '',
    'packages/acme/cam/2.0.0.first-run': '',
    'packages/acme/cam/2.0.0/meta.json': '{}',
  });
  for (const [version, days] of Object.entries(ages)) age(`${home}/${LIDAR}/${version}`, days);
  age(`${home}/packages/acme/cam/1.0.0`, 7.1);
  age(`${home}/packages/acme/cam/2.0.0`, 6.9);
  const kept = new Set([`${home}/${LIDAR}/1.0.0`, `${home}/${LIDAR}/1.4.0`]);
  const removed = await removeUnused(home, { kept, now: NOW });
  expect(removed.toSorted()).toEqual([
    `${home}/packages/acme/cam/1.0.0`,
    `${home}/${LIDAR}/1.1.0`,
    `${home}/${LIDAR}/1.5.0`,
  ]);
  expect(readdirSync(`${home}/${LIDAR}`).toSorted()).toEqual(['1.0.0', '1.2.0', '1.3.0', '1.4.0']);
  expect(readdirSync(`${home}/packages/acme/cam`).toSorted()).toEqual(['2.0.0', '2.0.0.first-run']);
  expect(readdirSync(`${home}/staging`)).toEqual([]);
});

it.each<[string, readonly string[] | undefined, readonly string[]]>([
  ['before the first plan', undefined, []],
  ['of a module that keeps its version', [], []],
  ['of a release that the plan deploys', ['packages/acme/lidar/1.1.0'], []],
  ['of one that another replaces', ['packages/acme/lidar/1.2.0'], ['packages/acme/lidar/1.1.0']],
  ['of another module than the plan replaces', ['packages/acme/cam/1.2.0'], []],
])('[D78] keeps what was prefetched unless it is superseded: %s', async (_, upcoming, expected) => {
  const home = temporaryFolder({
    [`${LIDAR}/1.0.0/meta.json`]: '{}',
    [`${LIDAR}/1.1.0/meta.json`]: '{}',
    [`${LIDAR}/1.1.0.prefetched`]: '',
  });
  for (const version of ['1.0.0', '1.1.0']) age(`${home}/${LIDAR}/${version}`, 1);
  const roots = upcoming && new Set(upcoming.map((path) => `${home}/${path}`));
  const terms = { kept: new Set([`${home}/${LIDAR}/1.0.0`]), upcoming: roots, now: NOW };
  expect(await removeUnused(home, terms)).toEqual(expected.map((path) => `${home}/${path}`));
  const isMarked = existsSync(`${home}/${LIDAR}/1.1.0.prefetched`);
  expect(isMarked).toBe(expected.length === 0);
});

it('removes downloads of more than three days ago, and all that is not installed completely', async () => {
  const home = temporaryFolder({
    'downloads/sha256-1.part': '',
    'downloads/sha256-2.part': '',
    'downloads/sha256-3': '',
    'staging/package-a/bin/lidar': '',
  });
  age(`${home}/downloads/sha256-1.part`, 3.1);
  age(`${home}/downloads/sha256-2.part`, 2.9);
  age(`${home}/downloads/sha256-3`, 3.1);
  expect(await removeUnused(home, { kept: new Set(), now: NOW })).toEqual([]);
  expect(readdirSync(`${home}/downloads`)).toEqual(['sha256-2.part']);
  expect(existsSync(`${home}/staging/package-a`)).toBe(false);
});

it('does nothing in an empty home', async () => {
  const home = temporaryFolder();
  expect(await removeUnused(home, { kept: new Set(), now: NOW })).toEqual([]);
  expect(readdirSync(home)).toEqual([]);
});

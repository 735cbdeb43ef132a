import { chmodSync, copyFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { launch } from '../../../src/agent/process/launch.ts';
import { fakeStart, type FakeStart } from '../support/fake-start.ts';
import { temporaryFolder } from '../../support/folder.ts';

const NOBODY = { uid: 65_534, gid: 65_534, groups: [65_534] };
const isRoot = process.getuid?.() === 0;

async function linesOf({ start, lines }: FakeStart): Promise<readonly string[]> {
  const launched = await launch(start);
  if (!launched.ok) throw new Error(launched.error.reason);
  await launched.value.ended;
  return lines;
}

describe('[D60] a module, with no_new_privs', () => {
  it.each([
    [undefined, 'NoNewPrivs:\t0'],
    [false, 'NoNewPrivs:\t0'],
    [true, 'NoNewPrivs:\t1'],
  ])('%s, has %j', async (noNewPrivs, expected) => {
    const fake = fakeStart([], {
      path: '/bin/grep',
      arguments: ['NoNewPrivs', '/proc/self/status'],
      ...(noNewPrivs !== undefined && { noNewPrivs }),
    });
    expect(await linesOf(fake)).toEqual([expected]);
  });

  it.runIf(isRoot).each([
    [false, '0'],
    [true, '65534'],
  ])('%s, starts a set-uid program of root as user %s', async (noNewPrivs, expected) => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const path = `${folder}/id`;
    copyFileSync('/usr/bin/id', path);
    chmodSync(path, 0o4755);
    const fake = fakeStart([], { path, arguments: ['-u'], folder: '/', runAs: NOBODY, noNewPrivs });
    expect(await linesOf(fake)).toEqual([expected]);
  });
});

it.runIf(isRoot)('[T342] a module has all groups of its user, and none of root', async () => {
  const runAs = { ...NOBODY, groups: [65_534, 20, 54_321] };
  const fake = fakeStart([], { path: '/usr/bin/id', arguments: ['-G'], folder: '/', runAs });
  expect(await linesOf(fake)).toEqual(['65534 20 54321']);
});

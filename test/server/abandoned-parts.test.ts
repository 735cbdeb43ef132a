import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { artifactFolder } from '../../src/server/artifacts/artifact-store.ts';
import { newPart, removeAbandoned } from '../../src/server/artifacts/incoming-artifacts.ts';
import { Catalogue } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/folder.ts';

const HEX = 'ab'.repeat(32);
const DAY = 86_400_000;

describe('[T89] what an upload left behind', () => {
  /** The number of a process that has ended. */
  const ENDED = 2 ** 22 + 1;

  /** The part of a process of this computer. */
  const partOf = (pid: number): string => {
    const { path, end } = newPart('', HEX);
    end();
    return path.replace('/', '').replace(/\d+-\d+(?=\.part$)/, `${pid}-99999`);
  };
  const ELSEWHERE = `${HEX}.0a1b2c3d-${ENDED}-1.part`;

  it.each<[string, string, number, boolean]>([
    ['a part of a process that ended', partOf(ENDED), 0, true],
    ['a part of an earlier process with this number', partOf(process.pid), 0, true],
    ['a part that another process writes', partOf(process.ppid), 0, false],
    ['a part that nobody wrote to for an hour', partOf(process.ppid), DAY / 24, false],
    ['... and a second', partOf(process.ppid), DAY / 24 + 1000, true],
    ['[T245] a part of a process of another computer', ELSEWHERE, 0, false],
    ['... that nobody wrote to for a day', ELSEWHERE, DAY, false],
    ['... and a second', ELSEWHERE, DAY + 1000, true],
    ['a file that was uploaded an hour ago', HEX, DAY / 24 + 1000, false],
    ['a file that was uploaded a day ago', HEX, DAY, false],
    ['... and a second', HEX, DAY + 1000, true],
  ])('%s is removed or kept', (_title, name, age, isRemoved) => {
    const { path } = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
    const [now, incoming] = [Date.now(), `${artifactFolder(path)}/incoming`];
    mkdirSync(incoming, { recursive: true });
    writeFileSync(`${incoming}/${name}`, 'the module');
    utimesSync(`${incoming}/${name}`, new Date(now - age), new Date(now - age));
    removeAbandoned(path, now);
    expect(readdirSync(incoming)).toEqual(isRemoved ? [] : [name]);
  });
});

import { createHash } from 'node:crypto';
import { chmodSync, cpSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { claimed } from '../support/claimed.ts';
import { THEN, examined } from './support/examined.ts';
import { temporaryFolder } from '../support/folder.ts';
import { logged } from '../support/machine-home.ts';
import { patient } from './support/patient.ts';
import { describe, expect, it } from 'vitest';

const HOUR = 3_600_000;

/** Each file of a folder with its content and the time of its last change. */
function filesOf(folder: string): string[] {
  return readdirSync(folder).map((name) => {
    const { mtimeMs, ino } = statSync(`${folder}/${name}`);
    return [
      name,
      ino,
      mtimeMs,
      createHash('sha256')
        .update(readFileSync(`${folder}/${name}`))
        .digest('hex'),
    ].join(' ');
  });
}

describe('[T122] modreg doctor changes no file', () => {
  it('of a machine that is not polled', async () => {
    const folder = patient((state) => state.start(THEN));
    const before = filesOf(`${folder}/home`);
    await examined(folder);
    expect(filesOf(`${folder}/home`)).toEqual(before);
  });

  it('of a machine whose poller was killed: not even its write-ahead log', async () => {
    const folder = patient();
    const { state } = claimed(`${folder}/home/machine.db`);
    state.log([logged('acme_lidar')], { at: THEN - HOUR, trouble: undefined });
    const killed = temporaryFolder();
    cpSync(`${folder}/home`, `${killed}/home`, { recursive: true });
    chmodSync(`${killed}/home`, 0o700);
    const before = filesOf(`${killed}/home`);
    const [last] = await examined(killed, [], { only: 'poller' });
    expect(last).toBe('error    poller     no poller runs; its last round was 1 h ago');
    expect(filesOf(`${killed}/home`)).toEqual(before);
  });

  it('of a home that is empty, or does not exist', async () => {
    const folder = patient();
    await examined(folder);
    expect(readdirSync(`${folder}/home`)).toEqual([]);
    rmSync(`${folder}/home`, { recursive: true });
    await examined(folder);
    expect(readdirSync(folder)).toEqual([]);
  });
});

import { expect, it } from 'vitest';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { servedHere } from '../support/served-here.ts';
import { createdToken, newFile } from './support/registry-command.ts';

it('[D471] registry publish --upload shows how much was sent, and nothing afterwards', async () => {
  const db = newFile();
  const token = await createdToken(db, 'publish:acme');
  const { address } = await servedHere(db);
  const folder = temporaryFolder({ 'lidar.tar': 'x'.repeat(1_000_000) });
  const shown: (string | undefined)[] = [];
  let now = Date.now();
  const world = {
    environment: { MODREG_TOKEN: token },
    status: (text: string | undefined) => void shown.push(text),
    // Each part of the file takes a second.
    clock: () => (now += 1000),
  };
  const upload = ['--no-check', '--upload', `${folder}/lidar.tar`, '--registry', address];
  const publish = ['registry', 'publish', 'acme:lidar', '1.0.0', ...upload];
  expect(await printed(publish, world)).toMatchObject({
    stdout: ['acme:lidar: 1 published, 0 unchanged'],
    exit: 0,
  });
  const bars = shown.filter((text) => text !== undefined);
  expect(bars[0]).toBe('lidar.tar  [--------------------]   0 %  0.0 of 1.0 MB');
  expect(bars.at(-1)).toMatch(/^lidar\.tar {2}\[#{20}\] 100 % {2}1\.0 of 1\.0 MB {2}0\.\d MB\/s$/);
  expect(shown.at(-1)).toBeUndefined();
  // The registry has the file, so nothing is sent.
  shown.length = 0;
  expect((await printed(publish, world)).stdout).toEqual(['acme:lidar: 0 published, 1 unchanged']);
  expect(shown).toEqual([undefined]);
});

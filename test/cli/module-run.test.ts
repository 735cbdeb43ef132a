import { chmodSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { moduleInProcess, type Polling } from '../support/polling.ts';

/** A program that says `text`, and goes on. */
const saying = (text: string): string => `#!/bin/sh\necho ${text}\nexec sleep 60\n`;

/** A folder with a folder of such a program, and one for temporary files. */
function moduleFolder(): string {
  const folder = temporaryFolder({
    'lidar/meta.json': '{"entrypoint":"run","stop_timeout":"2s"}',
    'lidar/run': saying('first'),
    'tmp/.keep': '',
  });
  chmodSync(`${folder}/lidar/run`, 0o755);
  // The user of the module may be another one.
  for (const open of [folder, `${folder}/tmp`]) chmodSync(open, 0o755);
  return folder;
}

/** `modreg module run` of it. */
function running(): Polling & { readonly folder: string } {
  const folder = moduleFolder();
  return { ...moduleInProcess(`${folder}/lidar`, `${folder}/tmp`), folder };
}

it('[D245] runs a folder, replaces what runs when a file changes, and leaves nothing', async () => {
  const { until, end, folder } = running();
  await until('lidar: first');
  writeFileSync(`${folder}/lidar/run`, saying('second'));
  await until('0.0.2 follows');
  await until('lidar: second');
  writeFileSync(`${folder}/lidar/run`, 'x');
  chmodSync(`${folder}/lidar/run`, 0o644);
  await until('UNUSABLE_PACKAGE');
  await end('SIGINT');
  expect(readdirSync(`${folder}/tmp`)).toEqual(['.keep']);
});

it('[T851] notices what is written to a file that replaced another, and to a folder that did', async () => {
  const { until, end, folder } = running();
  const run = `${folder}/lidar/run`;
  await until('lidar: first');
  writeFileSync(`${folder}/new`, saying('second'), { mode: 0o755 });
  renameSync(`${folder}/new`, run);
  await until('lidar: second');
  writeFileSync(run, saying('third'));
  await until('the files changed: 0.0.3 follows');
  await until('lidar: third');
  mkdirSync(`${folder}/lidar/data`);
  writeFileSync(`${folder}/lidar/data/map`, '1');
  await until('0.0.4 follows');
  mkdirSync(`${folder}/data`);
  writeFileSync(`${folder}/data/map`, '2');
  renameSync(`${folder}/lidar/data`, `${folder}/old`);
  renameSync(`${folder}/data`, `${folder}/lidar/data`);
  await until('0.0.5 follows');
  writeFileSync(`${folder}/lidar/data/map`, '3');
  await until('0.0.6 follows');
  expect(await end('SIGINT')).toMatchObject({ exit: 130 });
});

it('[T851] goes on with a folder that was away', async () => {
  const { until, end, folder } = running();
  await until('lidar: first');
  renameSync(`${folder}/lidar`, `${folder}/away`);
  const away = await until('UNREADABLE_FILE');
  // Its files are read one after the other: it may be missed at its file first.
  expect(away.at(-1)?.replaceAll(folder, '.')).toMatch(
    /the folder "\.\/lidar" cannot be packed: \.\/lidar(\/run)? \(ENOENT\)/,
  );
  writeFileSync(`${folder}/away/run`, saying('second'));
  renameSync(`${folder}/away`, `${folder}/lidar`);
  const back = await until('0.0.2 follows');
  expect(back.filter((line) => line.includes('UNREADABLE_FILE'))).toEqual([]);
  await until('lidar: second');
  await end('SIGINT');
});

it('[D245] an empty TMPDIR names no folder: the machine is not in the folder of the author', async () => {
  const folder = moduleFolder();
  const { until, end } = moduleInProcess(`${folder}/lidar`, '');
  await until(`running 1 module of ${tmpdir()}/modreg-run-`);
  expect(await end('SIGINT')).toMatchObject({ exit: 130 });
});

it.each([
  ['that is none', 'none', 'error[USAGE]: "./none" is not a folder'],
  ['that no machine can run', 'empty', 'error[UNUSABLE_PACKAGE]: ./empty cannot be run on'],
])('[D245] refuses a folder %s', async (_, name, said) => {
  const folder = temporaryFolder({ 'empty/meta.json': '{}' });
  const { stderr, exit } = await inProcess(['module', 'run', `${folder}/${name}`]);
  expect([stderr.replaceAll(folder, '.').startsWith(said), exit]).toEqual([
    true,
    said.includes('USAGE') ? 2 : 1,
  ]);
});

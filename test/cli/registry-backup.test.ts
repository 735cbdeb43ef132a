import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LIDAR, publish, sha256Of, site } from '../support/backups.ts';
import { inProcess } from '../support/in-process.ts';
import { ROOT } from '../support/modreg.ts';
import { registry } from './support/registry-command.ts';
import { servedHere } from '../support/served-here.ts';

const FILE = sha256Of('lidar 1.0.0');
function isLinkTo(link: string, path: string): boolean {
  try {
    return readlinkSync(link) === path;
  } catch {
    // It was closed in the meantime.
    return false;
  }
}

/** The arguments of a command on the registry of a site, without `--db`. */
type Args = (place: ReturnType<typeof site>) => readonly string[];

describe('[T75] [T76] [T77] modreg registry backup, verify and restore', () => {
  it('back up a served registry, check it, and restore it once the server has stopped', async () => {
    const { path, folder } = site();
    const { address, end } = await servedHere(path);
    expect(await registry(path, 'backup', folder)).toEqual({
      stdout: `1 module, 2 releases and 1 file are in "${folder}", up to sequence 2\n`,
      stderr: '',
      exit: 0,
    });
    publish(path, LIDAR, '1.2.0');
    expect((await inProcess(['registry', 'verify', folder])).stdout).toBe(
      `the backup "${folder}" is intact: 1 module, 2 releases and 1 file, up to sequence 2\n`,
    );
    expect((await registry(path, 'verify')).stdout).toBe(
      `the registry "${path}" is intact: 1 module, 3 releases and 1 file, up to sequence 3\n`,
    );
    expect(await registry(path, 'restore', folder, '--replace')).toEqual({
      stdout: '',
      stderr: `error[LOCKED]: "${path}": a process uses it; nothing was changed\nhint: stop the server of the registry first, for example: systemctl stop modreg-registry\n`,
      exit: 70,
    });
    const list = await fetch(`${address}/v1/modules/acme/lidar`);
    expect(await list.json()).toMatchObject({ generation: 3, count: 3 });
    await end();
    const restored = await registry(path, 'restore', folder, '--replace');
    const aside = readdirSync(`${folder}/..`).find((name) => name.includes('.replaced-'));
    const createdAt = /"created_at": "([^"]*)"/.exec(
      readFileSync(`${folder}/manifest.json`, 'utf8'),
    )?.[1];
    expect(restored).toEqual({
      stdout: [
        `"${path}" is restored from ${createdAt}: 1 module, 2 releases and 1 file; 1000 was added to each generation`,
        `the earlier registry is "${path.replace('registry.db', aside ?? '')}"`,
        'lost: acme:lidar 1.2.0; machines that run it keep it',
        '',
      ].join('\n'),
      stderr: 'note: publish, yank and revoke again what is lost, before the server starts\n',
      exit: 0,
    });
    const again = await servedHere(path);
    const after = await fetch(`${again.address}/v1/modules/acme/lidar`);
    expect(await after.json()).toMatchObject({ generation: 1002, count: 2 });
    expect(after.headers.get('modreg-history')).not.toBe(list.headers.get('modreg-history'));
  });

  it('print JSON', async () => {
    const { path, folder } = site();
    const json = async (...args: readonly string[]): Promise<unknown> =>
      JSON.parse((await registry(path, ...args, '--json')).stdout);
    const files = [{ sha256: FILE, size: 11 }];
    expect(await json('backup', folder)).toMatchObject({
      schema: 'modreg/registry-backup@1',
      folder,
      sequence: 2,
      files,
    });
    const counts = { modules: 1, releases: 2, files: 1 };
    expect(await json('verify')).toEqual({
      schema: 'modreg/registry-verify@1',
      path,
      kind: 'registry',
      intact: true,
      ...counts,
      sequence: 2,
      findings: [],
    });
    expect(await json('restore', folder, '--replace')).toMatchObject({
      schema: 'modreg/registry-restore@1',
      path,
      ...counts,
      added: 1000,
      set_aside: expect.stringMatching(/registry\.db\.replaced-\d{8}T\d{6}Z$/),
      lost: { releases: [], yanks: [], revocations: [] },
    });
  });

  it.each<[string, Args, (folder: string, path: string) => string, number]>([
    [
      'an existing registry without --replace',
      ({ folder }) => ['restore', folder],
      (_, path) =>
        `error[USAGE]: "${path}" exists; nothing was changed: --replace keeps it under another name and restores the backup\n`,
      2,
    ],
    [
      'a folder that is not a backup',
      ({ home }) => ['backup', home],
      (folder) =>
        `error[USAGE]: "${folder.replace('/backup', '')}" contains "backup", so it is not a backup; nothing was changed: name a new folder\n`,
      2,
    ],
    [
      'a folder that does not exist',
      ({ folder }) => ['restore', `${folder}/nope`, '--replace'],
      (folder) => `error[UNREADABLE_FILE]: "${folder}/nope": there is no such folder\n`,
      2,
    ],
    [
      'a damaged backup',
      ({ folder }) => {
        rmSync(`${folder}/files/sha256/${FILE}`);
        return ['restore', folder, '--replace'];
      },
      (folder) =>
        `error[DAMAGED]: the backup "${folder}" is damaged, so nothing was restored\n  because the hosted file sha256:${FILE}: there is no such file\n`,
      1,
    ],
    [
      'a damaged backup that is checked',
      ({ folder }) => {
        rmSync(`${folder}/manifest.json`);
        return ['verify', folder];
      },
      () => 'error[USAGE]: a path and --db are given: name one registry or backup\n',
      2,
    ],
    [
      'a damaged registry',
      ({ path }) => {
        writeFileSync(`${path}-files/sha256/${FILE}`, 'x');
        return ['verify'];
      },
      (_, path) =>
        `error[DAMAGED]: the registry "${path}" is damaged\n  because the hosted file sha256:${FILE}: it has 1 bytes, expected 11\nhint: remove a damaged file from "${path}-files/sha256", then publish its release again with --upload; or modreg registry restore <folder> --replace restores a backup\n`,
      1,
    ],
    [
      'a damaged registry that is backed up',
      ({ path, folder }) => {
        rmSync(`${path}-files/sha256/${FILE}`);
        rmSync(`${folder}/files/sha256/${FILE}`);
        return ['backup', folder];
      },
      (_, path) =>
        `error[DAMAGED]: "${path}" is damaged, so nothing was backed up\n  because the hosted file sha256:${FILE}: there is no such file\nhint: remove a damaged file from "${path}-files/sha256", then publish its release again with --upload\n`,
      1,
    ],
  ])('refuse %s', async (_, args, stderr, exit) => {
    const place = site();
    const { path, folder } = place;
    await registry(path, 'backup', folder);
    expect(await registry(path, ...args(place))).toEqual({
      stdout: '',
      stderr: stderr(folder, path),
      exit,
    });
  });

  it('say that a registry to check does not exist', async () => {
    const { home } = site();
    expect(await inProcess(['registry', 'verify', `${home}/none.db`])).toEqual({
      stdout: '',
      stderr: `error[UNREADABLE_FILE]: "${home}/none.db": there is no such file\n`,
      exit: 2,
    });
  });
});

it('[T77] what a damaged hosted file is repaired with', async () => {
  const { home, folder } = site();
  const path = `${home}/other.db`;
  const file = `${home}/lidar.tar.gz`;
  const hosted = `${path}-files/sha256/${sha256Of('lidar 2.0.0')}`;
  writeFileSync(file, 'lidar 2.0.0');
  const upload = async (...more: readonly string[]): Promise<string> =>
    (await registry(path, 'publish', LIDAR, '2.0.0', '--no-check', '--upload', file, ...more))
      .stdout;
  await upload('--create');
  writeFileSync(hosted, 'lidar 2.0.1');
  const checks = async (): Promise<unknown[]> => [
    (await registry(path, 'verify')).exit,
    (await registry(path, 'backup', folder)).exit,
  ];
  expect(await checks()).toEqual([1, 1]);
  expect(await upload()).toBe('acme:lidar: 0 published, 1 unchanged\n');
  expect(await checks()).toEqual([0, 0]);
});

it('[T76] a command that waited for a registry does not change the one that was set aside', async () => {
  const { path, home } = site();
  const other = `${home}/other.db`;
  publish(other, LIDAR, '9.0.0');
  const holder = new DatabaseSync(path);
  onTestFinished(() => {
    if (holder.isOpen) holder.close();
  });
  holder.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  const args = ['registry', 'publish', LIDAR, '1.3.0', '--db', path];
  const child = spawn(`${ROOT}bin/modreg`, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const fds = `/proc/${String(child.pid)}/fd`;
  const hasOpened = (): boolean =>
    existsSync(fds) && readdirSync(fds).some((fd) => isLinkTo(`${fds}/${fd}`, path));
  await expect.poll(hasOpened, { interval: 5 }).toBe(true);
  renameSync(other, path);
  holder.close();
  const [exit] = (await once(child, 'close')) as [number];
  expect([exit, output]).toEqual([
    70,
    `error[STATE_WRITE]: "${path}": attempt to write a readonly database\n`,
  ]);
});

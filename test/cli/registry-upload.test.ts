import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { newPart } from '../../src/server/artifacts/incoming-artifacts.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { ROOT } from '../support/modreg.ts';
import { entry } from '../support/planned.ts';
import { createdToken, newFile, registry } from './support/registry-command.ts';
import { remote } from './support/remote-registry.ts';
import { servedHere } from '../support/served-here.ts';
import { serve } from '../support/served-process.ts';
import { site } from '../support/site.ts';

/** The content does not matter here. */
const UPLOAD = ['--no-check', '--upload'] as const;

const FILES = { 'arm.tar': 'for arm', 'amd.tar': 'for amd', 'a=b': 'with a sign', empty: '' };
const PUBLISHED = 'acme:lidar: 1 published, 0 unchanged\n';
const UNCHANGED = 'acme:lidar: 0 published, 1 unchanged\n';

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function storedBeside(db: string): string[] {
  return ['sha256', 'incoming'].flatMap((folder) =>
    existsSync(`${db}-files/${folder}`) ? readdirSync(`${db}-files/${folder}`) : [],
  );
}

/** A served registry with a token that may publish for `acme`. */
async function servedWithToken(): Promise<{ db: string; address: string; token: string }> {
  const db = newFile();
  const token = await createdToken(db, 'publish:acme');
  const { address } = await servedHere(db);
  return { db, address, token };
}

describe('modreg registry publish --upload', () => {
  it('[T359] for another platform later is refused, and the hint says how to publish both', async () => {
    const { db, address, token } = await servedWithToken();
    const folder = temporaryFolder(FILES);
    const upload = (platform: string, file: string): string[] => [
      'publish',
      'acme:lidar',
      '1.0.0',
      ...UPLOAD,
      `${platform}=${folder}/${file}`,
    ];
    const hint =
      'hint: a release never changes: yank it, and publish another version, with the files of all its platforms in one command\n';
    expect((await registry(db, ...upload('linux/amd64', 'amd.tar'))).exit).toBe(0);
    expect(await registry(db, ...upload('linux/arm64', 'arm.tar'))).toEqual({
      stdout: '',
      stderr: `error[ALREADY_PUBLISHED]: acme:lidar 1.0.0 is already published, for linux/amd64, and linux/arm64 cannot be added later; nothing was changed\n${hint}`,
      exit: 1,
    });
    expect(await remote(address, upload('linux/arm64', 'arm.tar'), token)).toEqual({
      stdout: '',
      stderr: `error[ALREADY_PUBLISHED]: acme:lidar 1.0.0 is already published, for linux/amd64, and linux/arm64 cannot be added later: it cannot change; yank it and publish another version for all of them\n${hint}`,
      exit: 1,
    });
    expect((await registry(db, ...upload('linux/amd64', 'arm.tar'))).stderr).toBe(
      `error[ALREADY_PUBLISHED]: acme:lidar 1.0.0 is already published with different content; nothing was changed\n${hint}`,
    );
  });

  it('stores the files of several platforms beside the database, once', async () => {
    const [db, folder] = [newFile(), temporaryFolder(FILES)];
    const arm = [...UPLOAD, `linux/arm64=${folder}/arm.tar`];
    const amd = [...UPLOAD, `linux/x86_64=${folder}/amd.tar`];
    const other = [
      '--artifact',
      'any/arm64=https://m.example/x',
      '--digest',
      `sha256:${'ab'.repeat(32)}`,
    ];
    const all = [...arm, ...amd, ...other];
    expect(await registry(db, 'publish', 'acme:lidar', '1.0.0', ...all)).toEqual({
      stdout: PUBLISHED,
      stderr: '',
      exit: 0,
    });
    expect(
      (await registry(db, 'publish', 'acme:lidar', '1.0.0', ...amd, ...arm, ...other)).stdout,
    ).toBe(UNCHANGED);
    expect((await registry(db, 'publish', 'acme:cam', '2.0.0', ...arm)).exit).toBe(0);
    const hexes = ['for arm', 'for amd'].map(sha256Of).toSorted();
    expect(storedBeside(db)).toEqual(hexes);
    expect(readFileSync(`${db}-files/sha256/${sha256Of('for arm')}`, 'utf8')).toBe('for arm');
    expect((await registry(db, 'show', 'acme:lidar')).stdout).toContain(
      'any/arm64, linux/amd64, linux/arm64',
    );
    const resolve = await inProcess([
      'resolve',
      'acme:lidar',
      '1.*',
      '--registry',
      db,
      '--platform',
      'linux/arm64',
    ]);
    expect([resolve.stdout, resolve.stderr]).toEqual(['1.0.0\n', '']);
  });

  it('replaces a hosted file whose bytes were damaged, when the release is published again', async () => {
    const [db, folder] = [newFile(), temporaryFolder(FILES)];
    const publish = async (): Promise<string> =>
      (await registry(db, 'publish', 'acme:lidar', '1.0.0', ...UPLOAD, `${folder}/arm.tar`)).stdout;
    expect(await publish()).toBe(PUBLISHED);
    const hosted = `${db}-files/sha256/${sha256Of('for arm')}`;
    writeFileSync(hosted, 'for arn');
    expect((await registry(db, 'verify')).exit).toBe(1);
    expect(await publish()).toBe(UNCHANGED);
    expect(readFileSync(hosted, 'utf8')).toBe('for arm');
    expect((await registry(db, 'verify')).exit).toBe(0);
  });

  it.each<[string, (folder: string) => readonly string[], string, string, number]>([
    ['a file for all platforms', (folder) => [...UPLOAD, `${folder}/arm.tar`], PUBLISHED, '', 0],
    ['a name with a sign', (folder) => [...UPLOAD, `any=${folder}/a=b`], PUBLISHED, '', 0],
    ['an empty file', (folder) => [...UPLOAD, `${folder}/empty`], PUBLISHED, '', 0],
    [
      'an unknown platform',
      (folder) => [...UPLOAD, `arm=${folder}/arm.tar`],
      '',
      'error[USAGE]: not a release: /artifacts/0/platform: "arm" is not one of linux/amd64, linux/arm64, any, linux/any, any/amd64, any/arm64\nhint: modreg registry publish --help shows how\n',
      2,
    ],
    [
      'one platform twice',
      (folder) => [...UPLOAD, `${folder}/arm.tar`, ...UPLOAD, `${folder}/amd.tar`],
      '',
      'error[USAGE]: not a release: /artifacts: two artifacts for the same platform\nhint: modreg registry publish --help shows how\n',
      2,
    ],
    [
      'a missing file',
      (folder) => [...UPLOAD, `${folder}/none`],
      '',
      'error[UNREADABLE_FILE]: the file "FOLDER/none" does not exist\n',
      2,
    ],
    [
      'a folder',
      (folder) => [...UPLOAD, folder],
      '',
      'error[UNREADABLE_FILE]: the file "FOLDER" cannot be read (not a regular file)\nhint: modreg module pack FOLDER makes an archive of it\n',
      2,
    ],
    [
      'more than 1 GiB',
      (folder) => {
        truncateSync(`${folder}/empty`, 1024 ** 3 + 1);
        return [...UPLOAD, `${folder}/empty`];
      },
      '',
      'error[TOO_LARGE]: the file "FOLDER/empty" has 1073741825 bytes, and a registry hosts files of at most 1073741824\nhint: publish it elsewhere, and name its address with --artifact\n',
      1,
    ],
  ])('%s', async (_title, options, ...expected) => {
    const [db, folder] = [newFile(), temporaryFolder(FILES)];
    const { stdout, stderr, exit } = await registry(
      db,
      'publish',
      'acme:lidar',
      '1.0.0',
      ...options(folder),
    );
    expect([stdout, stderr.replaceAll(folder, 'FOLDER'), exit]).toEqual(expected);
    expect(storedBeside(db)).toHaveLength(exit === 0 ? 1 : 0);
  });

  it('is refused together with --file, and says which file of a list is missing', async () => {
    const [db, folder] = [newFile(), temporaryFolder(FILES)];
    const list = `${folder}/list.json`;
    const artifact = { platform: 'any', url: `../../artifacts/sha256/${sha256Of('for arm')}` };
    const known = { digest: `sha256:${sha256Of('for arm')}`, size: 7 };
    writeFileSync(
      list,
      JSON.stringify([{ version: '1.0.0', artifacts: [{ ...artifact, ...known }] }]),
    );
    const upload = [...UPLOAD, `${folder}/arm.tar`];
    expect((await registry(db, 'publish', 'acme:lidar', '--file', list, ...upload)).exit).toBe(2);
    expect(await registry(db, 'publish', 'acme:lidar', '--file', list)).toEqual({
      stdout: '',
      stderr:
        'error[BAD_VALUE]: acme:lidar 1.0.0 has an artifact whose file this registry does not host; nothing was changed\nhint: publish the release with --upload and the file\n',
      exit: 1,
    });
    expect((await registry(db, 'publish', 'acme:cam', '1.0.0', ...upload)).exit).toBe(0);
    expect((await registry(db, 'publish', 'acme:lidar', '--file', list)).stdout).toBe(PUBLISHED);
  });

  it('[T89] removes the part of an upload that was killed', async () => {
    const [db, folder] = [newFile(), temporaryFolder(FILES)];
    const publish = async (version: string, file: string): Promise<number | null> =>
      (await registry(db, 'publish', 'acme:lidar', version, ...UPLOAD, `${folder}/${file}`)).exit;
    expect(await publish('1.0.0', 'arm.tar')).toBe(0);
    const { path, end } = newPart(`${db}-files/incoming`, 'ab'.repeat(32));
    end();
    writeFileSync(path.replace(`-${process.pid}-`, `-${2 ** 22 + 1}-`), 'for');
    expect(await publish('1.0.1', 'amd.tar')).toBe(0);
    expect(storedBeside(db)).toHaveLength(2);
  });

  it('[T87] leaves nothing when the disk is full', async () => {
    const [db, folder] = [newFile(), temporaryFolder({ large: Buffer.alloc(3_000_000) })];
    const command = `ulimit -f 2048; exec ${ROOT}bin/modreg registry publish acme:lidar 1.0.0 --db ${db} --no-check --upload ${folder}/large`;
    const { stderr, status } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    expect([stderr, status]).toEqual([
      `error[STATE_WRITE]: "${db}-files": it cannot be used (EFBIG)\n`,
      70,
    ]);
    expect(storedBeside(db)).toEqual([]);
    expect((await registry(db, 'list')).stdout).toBe('no modules\n');
  });
});

describe('modreg registry publish --upload over HTTP', () => {
  it('stores the file in the registry, whose machines download it', async () => {
    const { db, address, token } = await servedWithToken();
    const folder = temporaryFolder(FILES);
    const publish = ['publish', 'acme:lidar', '1.0.0', ...UPLOAD, `linux/arm64=${folder}/arm.tar`];
    for (const stdout of [PUBLISHED, UNCHANGED]) {
      expect(await remote(address, publish, token)).toEqual({ stdout, stderr: '', exit: 0 });
    }
    expect(storedBeside(db)).toEqual([sha256Of('for arm')]);
    const machine = site({
      machine: { modules: [entry('acme:lidar', '1.*')] },
      deployed: { acme_lidar: '0.1.0' },
      policy: { registry: address },
    });
    const home = { PLATFORM_HOME: temporaryFolder() };
    const facts = ['--deployed', `${machine}/deployed.json`, '--platform', 'linux/arm64', '--json'];
    const plan = await inProcess(['plan', `${machine}/machine.json`, ...facts], home);
    const [action] = JSON.parse(plan.stdout).actions as {
      artifact: { url: string; size: number };
    }[];
    expect(action?.artifact).toEqual({
      platform: 'linux/arm64',
      url: `${address}/v1/artifacts/sha256/${sha256Of('for arm')}`,
      digest: `sha256:${sha256Of('for arm')}`,
      size: 7,
    });
    expect(await (await fetch(action?.artifact.url ?? '')).text()).toBe('for arm');
  });

  it('needs the scope, and sends nothing without it', async () => {
    const { db, address, token } = await servedWithToken();
    const folder = temporaryFolder(FILES);
    const publish = ['publish', 'other:lidar', '1.0.0', ...UPLOAD, `${folder}/arm.tar`];
    const { stderr, exit } = await remote(address, publish, token);
    expect([stderr, exit]).toEqual([
      `error[REGISTRY_REFUSED]: the registry ADDRESS denies access with the token that was sent (403): the token t1 (ci) does not have the scope publish:other\nhint: its operator creates a token with it: modreg registry token create --name <name> --scope publish:other\n`,
      4,
    ]);
    expect(storedBeside(db)).toEqual([]);
  });

  it('[T85] [T89] a server that is killed during an upload leaves a part, which the next one removes', async () => {
    const db = newFile();
    const token = await createdToken(db, 'publish:acme');
    const { child, address } = await serve(db);
    const hex = sha256Of('for arm');
    const head = `PUT /v1/modules/acme/lidar/artifacts/sha256/${hex} HTTP/1.1\r\nHost: x\r\n`;
    const { port } = new URL(address);
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    socket.write(`${head}Authorization: Bearer ${token}\r\nContent-Length: 7\r\n\r\nfor`);
    await expect.poll(() => storedBeside(db)).toHaveLength(1);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(storedBeside(db)).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.\w+-\d+-\d+\.part$/)]);
    const next = await servedHere(db);
    expect(storedBeside(db)).toEqual([]);
    const folder = temporaryFolder(FILES);
    const publish = ['publish', 'acme:lidar', '1.0.0', ...UPLOAD, `${folder}/arm.tar`];
    expect((await remote(next.address, publish, token)).stdout).toBe(PUBLISHED);
  });
});

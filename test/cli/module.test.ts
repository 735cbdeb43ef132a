import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FIELDS } from '../../src/agent/install/manifest.ts';
import { META_SCHEMA } from '../../src/cli/module/meta-schema.ts';
import { TEMPLATES } from '../../src/cli/module/templates.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { agentInProcess } from '../support/polling.ts';
import { blocksOf, PAGES } from '../support/pages.ts';
import { needs } from '../support/prerequisite.ts';
import { servedHere } from '../support/served-here.ts';
import { siteOf } from './support/lidar-site.ts';

const RUN = '#!/bin/sh\nexec sleep 60\n';

/** A folder with a module, in a folder. */
function made(files: Readonly<Record<string, string>> = {}): { folder: string; module: string } {
  const folder = temporaryFolder({
    'lidar/meta.json': '{"entrypoint":"run"}',
    'lidar/run': RUN,
    ...files,
  });
  chmodSync(`${folder}/lidar/run`, 0o755);
  return { folder, module: `${folder}/lidar` };
}

/** What `modreg module …` prints, and its exit code. */
async function said(folder: string, ...args: readonly string[]): Promise<readonly unknown[]> {
  const { stdout, stderr, exit } = await inProcess(['module', ...args]);
  return [`${stdout}${stderr}`.replaceAll(folder, '.').trimEnd(), exit];
}

const BOTH = ['--platform', 'linux/amd64', '--platform', 'linux/arm64'];

describe('[D243] modreg module check', () => {
  it('says which program machines can run', async () => {
    const { folder, module } = made();
    expect(await said(folder, 'check', module, ...BOTH)).toEqual([
      './lidar can be run on linux/amd64 and linux/arm64: run',
      0,
    ]);
  });

  it('says why machines cannot run a folder or an archive, as their agent does', async () => {
    const { folder, module } = made({ 'a.tgz': 'PK\u0003\u0004' });
    chmodSync(`${module}/run`, 0o644);
    expect(await said(folder, 'check', module, '--platform', 'linux/arm64')).toEqual([
      'error[UNUSABLE_PACKAGE]: ./lidar cannot be run on linux/arm64: the package\'s meta.json names the program "run", which is not executable',
      1,
    ]);
    expect(await said(folder, 'check', `${folder}/a.tgz`, '--platform', 'linux/arm64')).toEqual([
      'error[UNUSABLE_PACKAGE]: ./a.tgz cannot be run on linux/arm64: the file is a zip archive, expected a tar archive compressed with gzip or zstd, or a program for Linux',
      1,
    ]);
  });

  it('names the fields that modreg does not read', async () => {
    const { folder, module } = made({
      'lidar/meta.json': '{"entrypoint":"run","models":[],"visibility":"public"}',
    });
    expect(await said(folder, 'check', module, '--platform', 'linux/amd64')).toEqual([
      './lidar can be run on linux/amd64: run\nnote: modreg does not read these fields of its meta.json: models, visibility',
      0,
    ]);
    const { stdout } = await inProcess(['module', 'check', module, '--json', ...BOTH]);
    expect(JSON.parse(stdout)).toEqual({
      schema: 'modreg/module-check@1',
      path: module,
      platforms: ['linux/amd64', 'linux/arm64'],
      program: 'run',
      ignored: ['models', 'visibility'],
    });
  });
});

describe('[D244] modreg module pack', () => {
  it('packs names of any length', async () => {
    const folders = `${'d'.repeat(199)}/`.repeat(4);
    const names = [985, 989, 990, 991, 992, 993].map(
      (length) => `${folders}${'f'.repeat(length - folders.length)}`,
    );
    const files = names.map((name) => [`lidar/${name}`, 'x'] as const);
    const { folder, module } = made(Object.fromEntries(files));
    await said(folder, 'pack', module, '--out', `${folder}/one.tgz`);
    const { stdout, stderr } = spawnSync('tar', ['tzf', `${folder}/one.tgz`], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout.split('\n').filter((name) => name.includes('f'.repeat(9)))).toEqual(names);
  });

  it('packs the same content into the same bytes, without what is no part of it', async () => {
    const long = `lidar/${'deep/'.repeat(30)}file`;
    const { folder, module } = made({ [long]: 'x', 'lidar/.git/HEAD': 'ref' });
    symlinkSync('run', `${module}/again`);
    const [one, other] = [`${folder}/one.tgz`, `${folder}/other.tgz`];
    await said(folder, 'pack', module, '--out', one);
    utimesSync(`${module}/run`, 1, 1);
    chmodSync(`${module}/meta.json`, 0o600);
    writeFileSync(`${module}/.git/HEAD`, 'other');
    const [line, exit] = await said(folder, 'pack', module, '--out', other);
    expect([exit, line]).toEqual([
      0,
      expect.stringMatching(/^\.\/other\.tgz: 34 entries, \d+ bytes, sha256:[0-9a-f]{64}$/),
    ]);
    expect(readFileSync(other).equals(readFileSync(one))).toBe(true);
    const listed = execFileSync('tar', ['tvzf', one], { encoding: 'utf8' }).split('\n');
    expect(listed.find((row) => row.includes('again'))).toMatch(/^l.* again -> run$/);
    expect(listed.find((row) => row.endsWith('meta.json'))).toMatch(/^-rw-r--r-- 0\/0 /);
    expect(listed.some((row) => row.endsWith(`${'deep/'.repeat(30)}file`))).toBe(true);
    expect(gunzipSync(readFileSync(one)).includes('HEAD')).toBe(false);
    // No system is named (RFC 1952, OS).
    expect(readFileSync(one)[9]).toBe(255);
  });

  it.each<[what: string, prepare: (module: string) => void, out: string, reason: string]>([
    [
      'cannot be run',
      (module) => writeFileSync(`${module}/meta.json`, '{}'),
      'a.tgz',
      'error[UNUSABLE_PACKAGE]: ./lidar cannot be run on linux/amd64: the package names no program: expected entrypoint in meta.json, bin in package.json, or command in the update policy',
    ],
    [
      'would contain its archive',
      () => undefined,
      'lidar/a.tgz',
      'error[USAGE]: "./lidar/a.tgz" is in the folder that is packed: name another with --out',
    ],
    [
      'has a file that is none',
      (module) => execFileSync('mkfifo', [`${module}/pipe`]),
      'a.tgz',
      'error[UNREADABLE_FILE]: the folder "./lidar" cannot be packed: pipe is neither a file, a folder nor a link',
    ],
    [
      'is written to a folder that is not there',
      () => undefined,
      'none/a.tgz',
      'error[UNREADABLE_FILE]: the file "./none/a.tgz" cannot be written (its folder does not exist)',
    ],
  ])('refuses what %s', async (_what, prepare, out, reason) => {
    const { folder, module } = made();
    prepare(module);
    const args = ['--out', `${folder}/${out}`, '--platform', 'linux/amd64'];
    const [text] = await said(folder, 'pack', module, ...args);
    expect(text).toBe(reason);
  });
});

describe('modreg module init', () => {
  it('prints what running-the-agent.md shows', async () => {
    const folder = temporaryFolder();
    const commands = ['init lidar --template python', 'check lidar --platform linux/arm64'];
    let session = '';
    for (const command of commands) {
      const args = command.replace('lidar', `${folder}/lidar`).split(' ');
      const [text] = await said(folder, ...args);
      session += `$ modreg module ${command}\n${String(text).replaceAll('./lidar', 'lidar')}\n`;
    }
    const shown = PAGES.flatMap((page) => blocksOf(page)).map(({ content }) => content);
    expect(shown).toContain(session);
  });

  it('has a schema with each field that the agent reads, and its description', () => {
    const { properties } = META_SCHEMA;
    expect(Object.keys(properties).toSorted()).toEqual([...FIELDS].toSorted());
    const described = Object.values(properties).filter(
      ({ description }) => description.length > 20,
    );
    expect(described).toHaveLength(FIELDS.size);
  });

  it.for(TEMPLATES)('a module in %s is packed, published and runs', async (template, context) => {
    const isThere = template !== 'python' || existsSync('/usr/bin/python3');
    needs(context, isThere, 'the template of Python needs /usr/bin/python3');
    const { folder } = made();
    const [module, archive] = [`${folder}/new`, `${folder}/new.tgz`];
    expect(await said(folder, 'init', module, '--template', template)).toEqual([
      './new: meta.json, run, .modreg/meta.schema.json\nnext: edit ./new/run, then modreg module check ./new',
      0,
    ]);
    const [, exit] = await said(folder, 'pack', module, '--out', archive);
    const db = `${folder}/registry.db`;
    const publish = ['registry', 'publish', 'acme:lidar', '1.0.0', '--upload', archive];
    const published = await inProcess([...publish, '--db', db, '--create']);
    expect([exit, published]).toEqual([
      0,
      { stdout: 'acme:lidar: 1 published, 0 unchanged\n', stderr: '', exit: 0 },
    ]);
    const { address } = await servedHere(db);
    const agent = agentInProcess(siteOf(address));
    await agent.until('acme:lidar: data are in ');
    await agent.end('SIGTERM');
  });
});

import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it, type TestContext } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { needs } from '../support/prerequisite.ts';
import { AUTHOR } from '../support/signed.ts';

const SECRET = 'correct horse battery';
const ENV = { MODREG_KEY_PASSPHRASE: SECRET };
/** Skips a test where there is no openssl. */
function needsOpenssl(context: TestContext): void {
  const { status } = spawnSync('openssl', ['version']);
  needs(context, status === 0, 'openssl is not installed (Debian: openssl)');
}

/** A folder with a key that has a passphrase, a document to sign, and the files of passphrases. */
async function locked(): Promise<{ readonly folder: string; readonly key: string }> {
  const folder = temporaryFolder({
    right: `${SECRET}\n`,
    wrong: 'other',
    empty: '\n',
    open: SECRET,
  });
  for (const name of ['right', 'wrong', 'empty']) chmodSync(`${folder}/${name}`, 0o600);
  chmodSync(`${folder}/open`, 0o644);
  const { stdout, stderr, exit } = await inProcess(['keys', 'new', `${folder}/root.key`], ENV);
  expect([exit, stderr]).toEqual([0, '']);
  const key = stdout.trim();
  const head = 'modreg/trust@1\nname acme-plant\nversion 1\nexpires 2099-01-01T00:00:00Z';
  writeFileSync(`${folder}/trust.txt`, `${head}\nroot 1 ${key}\n`);
  return { folder, key };
}

describe('[D179] modreg keys new', () => {
  it('prints the public key only, and the file is for its owner', async () => {
    const { folder, key } = await locked();
    expect(key).toMatch(/^ed25519:[A-Za-z0-9+/]{43}=$/);
    const pem = readFileSync(`${folder}/root.key`, 'utf8');
    expect([pem.split('\n')[0], statSync(`${folder}/root.key`).mode & 0o777]).toEqual([
      '-----BEGIN ENCRYPTED PRIVATE KEY-----',
      0o600,
    ]);
    const json = await inProcess(['keys', 'new', `${folder}/other.key`, '--json']);
    expect(Object.keys(JSON.parse(json.stdout))).toEqual(['schema', 'key', 'id', 'file']);
    const other = readFileSync(`${folder}/other.key`, 'utf8');
    expect(other.split('\n')[0]).toBe('-----BEGIN PRIVATE KEY-----');
    expect(json.stdout + json.stderr).not.toContain(other.split('\n')[1]);
  });

  it('writes over no file and through no link', async () => {
    const { folder } = await locked();
    symlinkSync(`${folder}/elsewhere`, `${folder}/link.key`);
    const before = readFileSync(`${folder}/root.key`);
    for (const name of ['root.key', 'link.key']) {
      const { exit, stdout } = await inProcess(['keys', 'new', `${folder}/${name}`]);
      expect([exit === 0, stdout]).toEqual([false, '']);
    }
    expect(readFileSync(`${folder}/root.key`)).toEqual(before);
  });

  it('makes a key that openssl unlocks', async (context) => {
    needsOpenssl(context);
    const { folder, key } = await locked();
    const args = ['pkey', '-in', `${folder}/root.key`, '-passin', `pass:${SECRET}`];
    const { stdout } = spawnSync('openssl', [...args, '-pubout', '-outform', 'DER']);
    expect(`ed25519:${stdout.subarray(-32).toString('base64')}`).toBe(key);
  });
});

describe('[D179] a key with a passphrase', () => {
  it.each<[string, readonly string[], Record<string, string>, string | undefined]>([
    ['of a file', ['--passphrase-file', 'right'], {}, undefined],
    ['of the environment', [], ENV, undefined],
    [
      'of a file before the environment',
      ['--passphrase-file', 'right'],
      { MODREG_KEY_PASSPHRASE: 'x' },
      undefined,
    ],
    ['that is not named', [], {}, 'the key of the file "root.key" needs its passphrase'],
    [
      'of another key',
      ['--passphrase-file', 'wrong'],
      {},
      'the key of the file "root.key" has another passphrase',
    ],
    ['of an empty file', ['--passphrase-file', 'empty'], {}, 'the file "empty" has no passphrase'],
    [
      'that others can read',
      ['--passphrase-file', 'open'],
      {},
      'others can read the file "open", which has a secret (mode 0644)',
    ],
  ])('%s', async (_what, args, env, message) => {
    const { folder } = await locked();
    const all = ['keys', 'sign', `${folder}/trust.txt`, '--key', `${folder}/root.key`, ...args];
    const named = all.map((arg) =>
      ['right', 'wrong', 'empty', 'open'].includes(arg) ? `${folder}/${arg}` : arg,
    );
    const { exit, stderr, stdout } = await inProcess(named, env);
    const [first = ''] = stderr.replaceAll(`${folder}/`, '').split('\n');
    expect(exit === 0 ? undefined : first.replace(/^error\[\w+\]: /, '')).toBe(message);
    expect(stdout + stderr).not.toContain(SECRET);
  });

  it('refuses a key that others can read', async () => {
    const { folder } = await locked();
    chmodSync(`${folder}/root.key`, 0o640);
    const args = ['keys', 'sign', `${folder}/trust.txt`, '--key', `${folder}/root.key`];
    const { exit, stderr } = await inProcess(args, ENV);
    expect(exit).not.toBe(0);
    expect(stderr).toContain('which has a secret (mode 0640)');
  });

  it('is made by keys init for people, and not for the registry, which starts alone', async () => {
    const folder = temporaryFolder();
    const args = [
      'keys',
      'init',
      '--name',
      'acme',
      '--to',
      `${folder}/keys`,
      '--db',
      `${folder}/registry.db`,
    ];
    expect((await inProcess([...args, '--create'], ENV)).exit).toBe(0);
    const firstLines = [
      'keys/root-1.key',
      'keys/root-2.key',
      'keys/publish.key',
      'registry.db-key',
    ].map((name) => readFileSync(`${folder}/${name}`, 'utf8').split('\n')[0]?.replaceAll('-', ''));
    const encrypted = 'BEGIN ENCRYPTED PRIVATE KEY';
    expect(firstLines).toEqual([encrypted, encrypted, encrypted, 'BEGIN PRIVATE KEY']);
  });
});

describe('[D180] --sign-with', () => {
  const other = AUTHOR.sign('another text');
  it.each([
    [
      'prints nothing',
      'true',
      'did not print a public key ed25519:… and 64 bytes in base64, with a space between',
    ],
    ['fails', 'exit 3', 'ended with 3'],
    [
      'signs another text',
      `echo "${AUTHOR.text} ${other}"`,
      `printed a signature that is not of ${AUTHOR.text}`,
    ],
    [
      'prints more',
      `echo "${AUTHOR.text} ${other} x"`,
      'did not print a public key ed25519:… and 64 bytes in base64, with a space between',
    ],
  ])('a program that %s signs nothing', async (_what, script, message) => {
    const { folder } = await locked();
    writeFileSync(`${folder}/sign`, `#!/bin/sh\ncat >/dev/null\n${script}\n`);
    chmodSync(`${folder}/sign`, 0o755);
    const before = readFileSync(`${folder}/trust.txt`, 'utf8');
    const args = ['keys', 'sign', `${folder}/trust.txt`, '--sign-with', `${folder}/sign`];
    const { exit, stderr } = await inProcess(args, { PATH: process.env['PATH'] ?? '' });
    expect(exit).not.toBe(0);
    expect(stderr).toContain(`/sign" ${message}; nothing is signed with it`);
    expect(readFileSync(`${folder}/trust.txt`, 'utf8')).toBe(before);
  });

  it('a program that does not exist signs nothing', async () => {
    const { folder } = await locked();
    const { stderr } = await inProcess([
      'keys',
      'sign',
      `${folder}/trust.txt`,
      '--sign-with',
      `${folder}/none`,
    ]);
    expect(stderr).toContain('/none" cannot be run (');
  });
});

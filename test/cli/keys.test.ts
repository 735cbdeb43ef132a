import { spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import {
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { privateKeyIn } from '../../src/server/tls/private-key.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { needs } from '../support/prerequisite.ts';
import { servedHere } from '../support/served-here.ts';
import { ROOT_ONE, textOf, trustOf } from '../support/signed.ts';
import { createdToken, registry } from './support/registry-command.ts';

const UPLOAD = ['--no-check', '--upload'] as const;

interface Made {
  readonly folder: string;
  readonly db: string;
  readonly pin: string;
  readonly stderr: string;
}

async function made(): Promise<Made> {
  const folder = temporaryFolder();
  const db = `${folder}/registry.db`;
  const args = ['keys', 'init', '--name', 'acme-plant', '--to', `${folder}/keys`];
  const { stdout, stderr, exit } = await inProcess([...args, '--db', db, '--create']);
  expect(exit).toBe(0);
  return { folder, db, pin: stdout.trim(), stderr };
}

/** The documents and signatures in a list. */
async function listOf(db: string): Promise<readonly { readonly signatures?: object }[]> {
  const { stdout } = await registry(db, 'show', 'acme:lidar', '--json');
  return JSON.parse(stdout).releases;
}

/** Whether openssl finds that the key in `pem` signed `text`. */
function isSigned(folder: string, pem: string, text: string, signature: string): boolean {
  const key = createPublicKey(pem).export({ type: 'spki', format: 'pem' });
  writeFileSync(`${folder}/public.pem`, key);
  writeFileSync(`${folder}/text`, text);
  writeFileSync(`${folder}/signature`, Buffer.from(signature, 'base64'));
  const args = '-verify -rawin -pubin -inkey public.pem -in text -sigfile signature'.split(' ');
  const { status } = spawnSync('openssl', ['pkeyutl', ...args], { cwd: folder });
  return status === 0;
}

describe('[D136] modreg keys init', () => {
  it('makes keys that only their owner can read, stores the first document, and prints its digest', async () => {
    const { folder, db, pin, stderr } = await made();
    expect(pin).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(readdirSync(`${folder}/keys`)).toEqual(['publish.key', 'root-1.key', 'root-2.key']);
    const files = ['keys/publish.key', 'keys/root-1.key', 'keys/root-2.key', 'registry.db-key'];
    for (const file of files) {
      const path = `${folder}/${file}`;
      expect(statSync(path).mode & 0o777).toBe(0o600);
      const pem = readFileSync(path, 'utf8');
      expect(pem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
      expect(privateKeyIn(pem).asymmetricKeyType).toBe('ed25519');
      for (const line of pem.split('\n').filter((one) => one.length > 20 && !one.startsWith('-'))) {
        expect(stderr + pin).not.toContain(line);
      }
    }
    expect(stderr.replaceAll(folder, '.').replaceAll(pin, 'PIN').split('\n')).toEqual([
      'note: for the policies of the machines: "trust": "PIN"',
      'note: ./keys/root-1.key and ./keys/root-2.key sign the next trust document: move them to two media that are offline',
      'note: ./keys/publish.key signs releases: move it to where they are published; modreg registry publish … --key',
      'note: ./registry.db-key stays with the registry, and in no backup',
      '',
    ]);
    const shown = await inProcess(['keys', 'show', '--db', db]);
    expect(shown.stdout.replaceAll(/[0-9a-f]{16}(?![0-9a-f])/g, 'ID').split('\n')).toEqual([
      expect.stringMatching(/^sha256:/),
      expect.stringMatching(/^acme-plant, version 1, expires \d{4}-/),
      '  ROLE                 NEEDS    KEYS',
      '  root                 1 of 2   ID ID',
      '  registry             1 of 1   ID',
      '  namespace *          1 of 1   ID',
      '  namespace platform   1 of 1   ID',
      '',
    ]);
  });

  it('overwrites nothing', async () => {
    const { folder, db } = await made();
    const before = readFileSync(`${folder}/keys/root-1.key`, 'utf8');
    const args = ['keys', 'init', '--name', 'acme', '--to', `${folder}/keys`];
    expect(await inProcess([...args, '--db', db])).toEqual({
      stdout: '',
      stderr:
        'error[USAGE]: the registry has a trust document already; nothing was changed\nhint: modreg keys show prints it\n',
      exit: 2,
    });
    const other = `${folder}/other.db`;
    expect(await inProcess([...args, '--db', other, '--create'])).toEqual({
      stdout: '',
      stderr: `error[USAGE]: "${folder}/keys/root-1.key" exists, and no key is overwritten\nhint: --to names another folder\n`,
      exit: 2,
    });
    expect(existsSync(`${other}-key`)).toBe(false);
    expect(readFileSync(`${folder}/keys/root-1.key`, 'utf8')).toBe(before);
    // No part is left of what could not be written as a whole.
    writeFileSync(`${folder}/file`, '');
    const failed = await inProcess([
      'keys',
      'init',
      '--name',
      'a',
      '--to',
      `${folder}/file`,
      '--db',
      other,
    ]);
    expect(failed.stderr).toMatch(
      /^error\[STATE_WRITE\]: the keys cannot be written to .* \(E\w+\)/,
    );
    expect(existsSync(`${other}-key`)).toBe(false);
    // What existsSync does not see.
    symlinkSync('/nowhere/at/all', `${other}-key`);
    const half = await inProcess([...args.slice(0, 4), '--to', `${folder}/half`, '--db', other]);
    expect(half.stderr).toMatch(/^error\[STATE_WRITE\]: .* \(EEXIST\); nothing was changed/);
    expect(readdirSync(`${folder}/half`)).toEqual([]);
    rmSync(`${other}-key`);
    // A front of a cluster changes only through its stream.
    const front = new DatabaseSync(other);
    front.exec("UPDATE catalogue SET shared_history = 'h'");
    front.close();
    const again = await inProcess([...args.slice(0, 4), '--to', `${folder}/front`, '--db', other]);
    expect([again.exit, again.stderr]).toEqual([
      70,
      expect.stringMatching(/^error\[STATE_WRITE\]/),
    ]);
    expect([existsSync(`${other}-key`), readdirSync(`${folder}/front`)]).toEqual([false, []]);
    expect((await inProcess(['keys', 'show', '--db', other])).stderr).toBe(
      'error[USAGE]: the registry has no trust document\nhint: modreg keys init makes one\n',
    );
  });

  it('stores a document that people made, if it is whole and signed', async () => {
    const { pin, text } = trustOf();
    const bad = trustOf(undefined, []).text;
    const second = text.slice(0, text.indexOf('\n\n') + 1).replace('version 1', 'version 2');
    const two = `${second}\nsignature ${ROOT_ONE.id} ${ROOT_ONE.sign(second)}\n`;
    const folder = temporaryFolder({
      'trust.txt': text,
      'bad.txt': bad,
      'two.txt': two,
      'cut.txt': text.slice(0, -1),
    });
    const args = ['keys', 'init', '--db', `${folder}/registry.db`, '--create', '--document'];
    for (const [file, error] of [
      ['bad.txt', 'has 0 of 1 signatures of its root keys'],
      ['cut.txt', 'cannot be read: its last line does not end'],
      ['two.txt', 'has version 2, expected 1'],
    ]) {
      expect(await inProcess([...args, `${folder}/${file}`])).toEqual({
        stdout: '',
        stderr: `error[USAGE]: the trust document "${folder}/${file}" ${error}\n`,
        exit: 2,
      });
    }
    expect(await inProcess([...args, `${folder}/trust.txt`])).toEqual({
      stdout: `${pin}\n`,
      stderr: `note: for the policies of the machines: "trust": "${pin}"\n`,
      exit: 0,
    });
    const shown = await inProcess(['keys', 'show', '--text', '--db', `${folder}/registry.db`]);
    expect(shown.stdout).toBe(text);
    expect(readdirSync(folder).filter((name) => name.includes('key'))).toEqual([]);
  });

  it.each(['', 'acme plant', '-acme', 'a'.repeat(64)])('refuses the name %j', async (name) => {
    const db = `${temporaryFolder()}/registry.db`;
    const found = await inProcess(['keys', 'init', `--name=${name}`, '--db', db, '--create']);
    expect(found).toEqual({
      stdout: '',
      stderr: `error[USAGE]: --name is "${name}", expected 1 to 63 letters, digits, ".", "_" and "-", of which the first is a letter or a digit\n`,
      exit: 2,
    });
  });
});

describe('[D132] modreg registry publish --key', () => {
  it('signs a release, and publishing it again changes nothing, in a file and over HTTP', async () => {
    const { folder, db } = await made();
    const key = ['--key', `${folder}/keys/publish.key`];
    writeFileSync(`${folder}/lidar.tgz`, 'lidar');
    const upload = [...UPLOAD, `linux/arm64=${folder}/lidar.tgz`];
    for (const stdout of ['1 published, 0 unchanged', '0 published, 1 unchanged']) {
      const found = await registry(db, 'publish', 'acme:lidar', '1.2.0', ...upload, ...key);
      expect(found).toMatchObject({ stdout: `acme:lidar: ${stdout}\n`, exit: 0 });
    }
    const token = await createdToken(db, 'publish');
    const { address } = await servedHere(db);
    const env = { MODREG_TOKEN: token, MODREG_REGISTRY: address };
    const over = ['registry', 'publish', 'acme:lidar', '1.3.0', '--registry', address, ...upload];
    for (const [args, stdout] of [
      [key, '1 published, 0 unchanged'],
      [key, '0 published, 1 unchanged'],
      [[], '0 published, 1 unchanged'],
    ] as const) {
      expect(await inProcess([...over, ...args], env)).toMatchObject({
        stdout: `acme:lidar: ${stdout}\n`,
        exit: 0,
      });
    }
    // The same key from the environment.
    const pem = readFileSync(`${folder}/keys/publish.key`, 'utf8');
    expect(await inProcess(over, { ...env, MODREG_SIGNING_KEY: pem })).toMatchObject({
      stdout: 'acme:lidar: 0 published, 1 unchanged\n',
    });
    const shown = await inProcess(['keys', 'show', '--registry', address, '--json']);
    const { roles } = JSON.parse(shown.stdout);
    const [{ id }] = roles['namespace *'].keys;
    const lists = await (await fetch(`${address}/v1/modules/acme/lidar`)).json();
    const { releases } = lists as { releases: { version: string; signatures: object }[] };
    expect(releases.map(({ version, signatures }) => [version, Object.keys(signatures)])).toEqual([
      ['1.2.0', [id]],
      ['1.3.0', [id]],
    ]);
    expect((await listOf(db)).length).toBe(2);
  });

  it.each([
    ['a file that does not exist', undefined, /^error\[UNREADABLE_FILE\]: .*none" does not exist/],
    [
      'no key',
      'a password',
      /^error\[USAGE\]: the file ".*\/key" has no private Ed25519 key in PEM\n/,
    ],
  ])('refuses %s', async (_title, content, stderr) => {
    const { folder, db } = await made();
    if (content !== undefined) writeFileSync(`${folder}/key`, content, { mode: 0o600 });
    const path = content === undefined ? `${folder}/none` : `${folder}/key`;
    const found = await registry(db, 'publish', 'acme:lidar', '1.2.0', '--key', path);
    expect([found.stdout, found.exit]).toEqual(['', 2]);
    expect(found.stderr).toMatch(stderr);
    expect(found.stderr).not.toContain('password');
  });

  it('needs the size of each file', async () => {
    const { folder, db } = await made();
    const file = ['--artifact', 'any=https://a.example/f', '--digest', `sha256:${'a'.repeat(64)}`];
    const key = ['--key', `${folder}/keys/publish.key`];
    expect(await registry(db, 'publish', 'acme:lidar', '1.2.0', ...file, ...key)).toEqual({
      stdout: '',
      stderr:
        'error[USAGE]: acme:lidar 1.2.0 cannot be signed: each of its files needs a size\nhint: name it with --size, or the file with --upload\n',
      exit: 2,
    });
  });
});

describe('[D132] openssl', () => {
  it('accepts a release and a trust document, and no altered ones', async (context) => {
    const found = spawnSync('openssl', ['version'], { encoding: 'utf8' });
    needs(context, found.status === 0, 'openssl is not installed (Debian: openssl)');
    const { folder, db } = await made();
    writeFileSync(`${folder}/lidar.tgz`, 'lidar');
    const key = `${folder}/keys/publish.key`;
    const upload = `linux/arm64=${folder}/lidar.tgz`;
    await registry(db, 'publish', 'acme:lidar', '1.2.0', ...UPLOAD, upload, '--key', key);
    const { address } = await servedHere(db);
    const lists = await (await fetch(`${address}/v1/modules/acme/lidar`)).json();
    const { releases } = lists as {
      releases: [Parameters<typeof textOf>[1] & { signatures: object }];
    };
    const [release] = releases;
    const [signature] = Object.values(release.signatures) as [string];
    const text = textOf('acme:lidar', release);
    const author = readFileSync(key, 'utf8');
    expect(isSigned(folder, author, text, signature)).toBe(true);
    expect(isSigned(folder, author, text.replace('1.2.0', '1.2.1'), signature)).toBe(false);

    const { stdout } = await inProcess(['keys', 'show', '--text', '--db', db]);
    const [body = '', signatures = ''] = stdout.split('\n\n');
    const roots = ['root-1', 'root-2'].map((name) =>
      readFileSync(`${folder}/keys/${name}.key`, 'utf8'),
    );
    const [one, two] = signatures.split('\n').map((line) => line.split(' ')[2] ?? '');
    expect(roots.map((root) => isSigned(folder, root, `${body}\n`, one ?? ''))).toEqual([
      true,
      false,
    ]);
    expect(roots.map((root) => isSigned(folder, root, `${body}\n`, two ?? ''))).toEqual([
      false,
      true,
    ]);
    expect(isSigned(folder, roots[0] ?? '', `${body}\n\n`, one ?? '')).toBe(false);
  });
});

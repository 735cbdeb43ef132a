import { readFileSync, writeFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { publicKeyOf } from '../../src/registry/trust/ed25519.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { servedHere } from '../support/served-here.ts';
import { STRANGER } from '../support/signed.ts';
import { createdToken, newFile, registry } from './support/registry-command.ts';

/** A site that `keys init` made, with a signed release and a machine with its pin. */
async function site() {
  const folder = temporaryFolder();
  const db = `${folder}/registry.db`;
  const run = async (...args: readonly string[]) => {
    const ended = await inProcess(args.map((arg) => arg.replace('SITE', folder)));
    const stdout = ended.stdout.replaceAll(folder, 'SITE');
    const stderr = ended.stderr.replaceAll(folder, 'SITE');
    return { ...ended, stdout, stderr };
  };
  const init = ['keys', 'init', '--name', 'acme-plant', '--to', 'SITE', '--db', 'SITE/registry.db'];
  const pin = (await run(...init, '--create')).stdout.trim();
  const key = `${folder}/publish.key`;
  await registry(db, 'publish', 'acme:lidar', '1.0.0', '--key', key);
  const { address, log } = await servedHere(db);
  writeFileSync(`${folder}/policy.json`, JSON.stringify({ registry: address, trust: pin }));
  const resolved = async (): Promise<string> => {
    const args = ['resolve', 'acme:lidar', '1.*', '--policy', 'SITE/policy.json'];
    const { stdout, stderr } = await run(...args);
    return `${stdout}${stderr.split('\n')[0] ?? ''}`.trim();
  };
  const shown = async (): Promise<string> =>
    (await run('keys', 'show', '--text', '--db', 'SITE/registry.db')).stdout;
  return { folder, db, pin, address, log, run, resolved, shown };
}

const SIGN = ['keys', 'sign', 'SITE/next.txt', '--key'];
const UPDATE = ['keys', 'update', 'SITE/next.txt', '--db', 'SITE/registry.db'];

it('[D152] keys sign and keys update replace a key, and machines follow', async () => {
  const { folder, db, pin, run, resolved, shown } = await site();
  expect(await resolved()).toBe('1.0.0');
  const first = await shown();
  const next = generateKeyPairSync('ed25519').privateKey;
  writeFileSync(`${folder}/new.key`, next.export({ type: 'pkcs8', format: 'pem' }), {
    mode: 0o600,
  });
  const [, old = ''] = /namespace \* 1 (\S+)/.exec(first) ?? [];
  const body = first.slice(0, first.indexOf('\n\n') + 1).replace('version 1', 'version 2');
  writeFileSync(`${folder}/next.txt`, body.replaceAll(old, publicKeyOf(next)));
  // Nobody signed it yet.
  expect(await run(...UPDATE)).toMatchObject({
    stderr:
      'error[USAGE]: the trust document "SITE/next.txt" cannot be read: it has no empty line, which its signatures follow\n',
    exit: 2,
  });
  writeFileSync(
    `${folder}/stranger.key`,
    STRANGER.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    { mode: 0o600 },
  );
  const one = await run(...SIGN, 'SITE/stranger.key');
  expect([one.exit, one.stderr]).toEqual([
    0,
    'note: the document has 0 of 1 signatures of its root keys\n',
  ]);
  expect((await run(...UPDATE)).stderr).toBe(
    'error[USAGE]: the trust document "SITE/next.txt" has 0 of 1 signatures of its root keys\n',
  );
  const two = await run(...SIGN, 'SITE/root-2.key');
  expect([two.exit, two.stderr]).toEqual([0, '']);
  expect(two.stdout).toMatch(/^sha256:\S+\nacme-plant, version 2, expires /);
  expect(readFileSync(`${folder}/next.txt`, 'utf8').match(/^signature /gm)).toHaveLength(2);
  // Signing again replaces a signature.
  await run(...SIGN, 'SITE/root-2.key');
  expect(readFileSync(`${folder}/next.txt`, 'utf8').match(/^signature /gm)).toHaveLength(2);

  const updated = await run(...UPDATE);
  expect([updated.exit, updated.stdout, updated.stderr]).toEqual([
    0,
    two.stdout,
    'note: policies keep their digest: machines that know it follow to this version\n',
  ]);
  expect(await shown()).toBe(first + readFileSync(`${folder}/next.txt`, 'utf8'));
  // The same one again changes nothing.
  expect(await run(...UPDATE)).toMatchObject({ exit: 0, stdout: two.stdout });
  expect(await shown()).toBe(first + readFileSync(`${folder}/next.txt`, 'utf8'));
  // The release of the key that was removed is selected no more, until the new one has signed it.
  expect(await resolved()).toMatch(/^error\[NO_MATCH\]: no release of acme:lidar /);
  const key = ['--key', `${folder}/new.key`];
  expect((await registry(db, 'sign', 'acme:lidar', ...key)).stdout).toContain('1 signed');
  expect(await resolved()).toBe('1.0.0');
  expect(JSON.parse(readFileSync(`${folder}/policy.json`, 'utf8')).trust).toBe(pin);
});

it.each<[string, (text: string) => string, string, string]>([
  [
    'of another name',
    (text) => text.replace('acme-plant', 'other'),
    'root-1',
    'has the name other, expected acme-plant',
  ],
  [
    'over a gap',
    (text) => text.replace('version 2', 'version 3'),
    'root-1',
    'has version 3, expected 2',
  ],
  [
    'that only its own root key signed',
    (text) => text.replace(/^root .*$/m, `root 1 ${STRANGER.text}`),
    'stranger',
    'has 0 of 1 signatures of the root keys of version 1',
  ],
])('[D152] keys update stores no version %s', async (_title, change, signer, error) => {
  const { folder, run, shown } = await site();
  const first = await shown();
  const body = first.slice(0, first.indexOf('\n\n') + 1).replace('version 1', 'version 2');
  writeFileSync(`${folder}/next.txt`, change(body));
  const pem = STRANGER.privateKey.export({ type: 'pkcs8', format: 'pem' });
  writeFileSync(`${folder}/stranger.key`, pem, { mode: 0o600 });
  await run(...SIGN, `SITE/${signer}.key`);
  expect(await run(...UPDATE)).toEqual({
    stdout: '',
    stderr: `error[USAGE]: the trust document "SITE/next.txt" ${error}\n`,
    exit: 2,
  });
  expect(await shown()).toBe(first);
});

it('[D152] keys sign says what it cannot sign', async () => {
  const { folder, run } = await site();
  writeFileSync(`${folder}/next.txt`, 'modreg/trust@1\n');
  const SIGNED = ['keys', 'sign', 'SITE/next.txt'];
  expect((await run(...SIGNED)).stderr).toBe('error[USAGE]: --key is missing\n');
  expect((await run(...SIGNED, '--key', 'SITE/root-1.key')).stderr).toBe(
    'error[USAGE]: the trust document "SITE/next.txt" cannot be read: line 2 is missing, expected name and 1 to 63 letters, digits, ".", "_" and "-", of which the first is a letter or a digit\n',
  );
  expect(readFileSync(`${folder}/next.txt`, 'utf8')).toBe('modreg/trust@1\n');
});

/** Writes version 2 as `next.txt`, and the token of the registry for `scope` where commands find it. */
async function uploading(scope = 'trust') {
  const made = await site();
  const first = await made.shown();
  const body = first.slice(0, first.indexOf('\n\n') + 1).replace('version 1', 'version 2');
  writeFileSync(`${made.folder}/next.txt`, body);
  const token = await createdToken(made.db, scope);
  const over = async (...args: readonly string[]) => {
    const all = args.map((arg) => arg.replace('SITE', made.folder));
    const ended = await inProcess([...all, '--registry', made.address], { MODREG_TOKEN: token });
    return { ...ended, stderr: ended.stderr.replaceAll(made.folder, 'SITE') };
  };
  return { ...made, over, first };
}

describe('[D164] over HTTP', () => {
  it('keys sign stores a document once it has its signatures, and keys update changes nothing again', async () => {
    const { folder, over, first, shown, log } = await uploading();
    const pem = STRANGER.privateKey.export({ type: 'pkcs8', format: 'pem' });
    writeFileSync(`${folder}/stranger.key`, pem, { mode: 0o600 });
    const one = await over(...SIGN, 'SITE/stranger.key');
    expect([one.exit, one.stderr]).toEqual([
      0,
      'note: the document has 0 of 1 signatures of its root keys\n',
    ]);
    expect(await shown()).toBe(first);
    expect(await over(...SIGN, 'SITE/root-1.key')).toMatchObject({ exit: 0, stderr: '' });
    expect(await shown()).toBe(first + readFileSync(`${folder}/next.txt`, 'utf8'));
    const again = await over('keys', 'update', 'SITE/next.txt');
    expect([again.exit, again.stdout.split('\n')[1]?.slice(0, 21)]).toEqual([
      0,
      'acme-plant, version 2',
    ]);
    expect(log().match(/"event":"trust-stored"[^\n]*"version":2/g)).toHaveLength(1);
  });

  it('a token without the scope trust stores nothing', async () => {
    const { over, first, shown } = await uploading('publish');
    const refused = await over(...SIGN, 'SITE/root-1.key');
    expect([refused.exit, refused.stderr.split('\n')[0]]).toEqual([
      4,
      expect.stringMatching(/does not have the scope trust/),
    ]);
    expect(await shown()).toBe(first);
  });

  it('keys init stores a first document that people made', async () => {
    const folder = temporaryFolder();
    const made = ['keys', 'init', '--name', 'acme-plant', '--to', folder, '--create'];
    const pin = (await inProcess([...made, '--db', `${folder}/keys.db`])).stdout;
    const text = (await inProcess(['keys', 'show', '--text', '--db', `${folder}/keys.db`])).stdout;
    writeFileSync(`${folder}/trust.txt`, text);
    const db = newFile();
    const token = await createdToken(db, 'trust');
    const { address } = await servedHere(db);
    const over = async (...args: readonly string[]) =>
      await inProcess(['keys', 'init', '--registry', address, ...args], { MODREG_TOKEN: token });
    expect((await over('--name', 'acme')).stderr.split('\n')[0]).toBe(
      'error[USAGE]: --registry takes --document: no registry makes keys',
    );
    expect(await over('--document', `${folder}/trust.txt`)).toMatchObject({ stdout: pin, exit: 0 });
    expect((await inProcess(['keys', 'show', '--text', '--db', db])).stdout).toBe(text);
  });
});

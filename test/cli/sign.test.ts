import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { chmodSync, writeFileSync } from 'node:fs';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { servedHere } from '../support/served-here.ts';
import {
  APPROVER,
  AUTHOR,
  digestOf,
  signed,
  STRANGER,
  textOf,
  trustOf,
  type TestKey,
} from '../support/signed.ts';
import { createdToken } from './support/registry-command.ts';

const AT = '2026-11-20T10:00:00Z';
const DIGEST = digestOf('lidar');

function release(version: string) {
  const url = `https://files.example/${version}`;
  return {
    version,
    published_at: AT,
    artifacts: [{ platform: 'any', url, digest: DIGEST, size: 5 }],
  };
}

const NO_SIZE = {
  ...release('1.0.0'),
  artifacts: [{ platform: 'any', url: 'https://files.example/1.0.0', digest: DIGEST }],
};
/** 1.1.0 is deprecated and yanked; 1.2.0 is in a rollout. */
const OLD = [
  NO_SIZE,
  { ...release('1.1.0'), deprecated: 'old', yanked: 'bad' },
  { ...release('1.2.0'), rollout: { soak_ms: 3_600_000 } },
];
const SEEN = digestOf(textOf('acme:lidar', release('1.2.0')));

function pemOf(one: TestKey): string {
  return String(one.privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

function both(version: string): object {
  return signed('acme:lidar', release(version), AUTHOR, APPROVER).signatures;
}

/** A registry with releases from before it had keys, and 1.3.0 with one of two signatures. Runs `registry sign` there. */
async function siteAt(place: 'file' | 'server') {
  const folder = temporaryFolder({
    'author.key': pemOf(AUTHOR),
    'approver.key': pemOf(APPROVER),
    'stranger.key': pemOf(STRANGER),
  });
  for (const name of ['author', 'approver', 'stranger']) chmodSync(`${folder}/${name}.key`, 0o600);
  const path = `${folder}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create' });
  const publish = (one: object): void => {
    const read = readRelease(one);
    if (!read.ok) throw new Error(read.error.join());
    catalogue.publish(moduleId('acme:lidar'), read.value, Date.parse(AT));
  };
  for (const one of OLD) publish(one);
  catalogue.trust.store(trustOf().text);
  publish(signed('acme:lidar', release('1.3.0'), AUTHOR));
  catalogue.close();
  const token = await createdToken(path, 'publish');
  const where =
    place === 'file' ? ['--db', path] : ['--registry', (await servedHere(path)).address];
  const run = async (...args: readonly string[]) => {
    const keys = args.map((arg) => arg.replace('KEYS', folder));
    const ended = await inProcess(['registry', 'sign', ...keys, ...where], { MODREG_TOKEN: token });
    return { ...ended, stderr: ended.stderr.replaceAll(folder, '.') };
  };
  const listed = (): readonly Record<string, unknown>[] => {
    const opened = new Catalogue(path, { mode: 'read' });
    const { bytes = Buffer.from('{}') } = opened.document(moduleId('acme:lidar')) ?? {};
    opened.close();
    return JSON.parse(Buffer.from(bytes).toString()).releases;
  };
  return { run, listed, folder };
}

describe.each(['file', 'server'] as const)('[D147] modreg registry sign, in a %s', (place) => {
  it('shows what would be signed, and signs what was shown', async () => {
    const { run, listed } = await siteAt(place);
    expect(await run('acme:lidar', '1.2.0')).toEqual({
      stdout: `acme:lidar 1.2.0, published ${AT}, unsigned\n  any ${DIGEST} 5\n`,
      stderr: `note: compare the digests with those of your files; the same command with --key <file> --seen ${SEEN} signs exactly this\n`,
      exit: 0,
    });
    const key = ['--key', 'KEYS/approver.key'];
    const other = `sha256:${'0'.repeat(64)}`;
    const before = listed();
    expect(await run('acme:lidar', '1.2.0', ...key, '--seen', other)).toEqual({
      stdout: '',
      stderr: `error[USAGE]: --seen is not the digest of these releases, ${SEEN}\nhint: the same command without --key shows what the registry has now\n`,
      exit: 2,
    });
    expect(listed()).toEqual(before);
    expect(await run('acme:lidar', '1.2.0', ...key, '--seen', SEEN)).toEqual({
      stdout: `acme:lidar 1.2.0, published ${AT}, unsigned\n  any ${DIGEST} 5\nacme:lidar: 1 signed, 0 unchanged\n`,
      stderr: '',
      exit: 0,
    });
    const { signatures } = signed('acme:lidar', release('1.2.0'), APPROVER);
    expect(listed()).toEqual(before.with(2, { ...before[2], signatures }));
  });

  it('signs all releases of a module, except one that cannot be signed', async () => {
    const { run, listed } = await siteAt(place);
    const two = await run('acme:lidar', '--key', 'KEYS/author.key', '--key', 'KEYS/approver.key');
    expect([two.exit, two.stdout.split('\n').at(-2), two.stderr]).toEqual([
      0,
      'acme:lidar: 3 signed, 0 unchanged',
      'note: acme:lidar 1.0.0 cannot be signed: a file has no size, or it cannot be read\n',
    ]);
    expect(
      listed().map(({ version, yanked, deprecated, signatures }) => [
        version,
        yanked,
        deprecated,
        signatures,
      ]),
    ).toEqual([
      ['1.0.0', null, null, undefined],
      ['1.1.0', 'bad', 'old', both('1.1.0')],
      ['1.2.0', null, null, both('1.2.0')],
      ['1.3.0', null, null, both('1.3.0')],
    ]);
    const again = await run('acme:lidar', '--key', 'KEYS/author.key', '--json');
    expect(JSON.parse(again.stdout)).toEqual({
      schema: 'modreg/registry-sign@1',
      module_id: 'acme:lidar',
      seen: `sha256:${createHash('sha256')
        .update(
          ['1.1.0', '1.2.0', '1.3.0'].map((one) => textOf('acme:lidar', release(one))).join(''),
        )
        .digest('hex')}`,
      signed: 0,
      releases: ['1.1.0', '1.2.0', '1.3.0'].map((version) => ({
        version,
        text: textOf('acme:lidar', release(version)),
        signed_by: [AUTHOR.id, APPROVER.id],
      })),
      skipped: ['1.0.0'],
    });
  });

  it('says what cannot be signed', async () => {
    const { run, folder } = await siteAt(place);
    writeFileSync(`${folder}/none.key`, 'a password', { mode: 0o600 });
    const stranger = await run('acme:lidar', '1.2.0', '--key', 'KEYS/stranger.key');
    expect([stranger.exit, stranger.stdout]).toEqual([1, '']);
    expect(stranger.stderr).toContain(
      `acme:lidar 1.2.0 has a signature of key ${STRANGER.id}, and this registry takes only what a key of acme signed`,
    );
    expect(await run('acme:lidar', '9.9.9')).toMatchObject({
      stderr:
        'error[UNKNOWN_VERSION]: acme:lidar has no version 9.9.9\nhint: acme:lidar has 4 releases: 1.3.0, 1.2.0, 1.1.0, 1.0.0\n',
    });
    expect(await run('acme:radar')).toMatchObject({
      stderr:
        'error[UNKNOWN_MODULE]: nothing was ever published for acme:radar\n  did you mean acme:lidar ?\nhint: namespace acme has 1 module: lidar\n',
    });
    expect(await run('acme:lidar', '--key', 'KEYS/none.key')).toMatchObject({ exit: 2 });
  });
});

it('[D146] modreg registry publish says the command that signs', async () => {
  const { folder } = await siteAt('file');
  const args = ['registry', 'publish', 'acme:lidar', '1.4.0', '--db', `${folder}/registry.db`];
  expect(await inProcess(args)).toEqual({
    stdout: '',
    stderr: `error[BAD_VALUE]: acme:lidar 1.4.0 has no signature, and this registry takes only what a key of acme signed (${AUTHOR.id}, ${APPROVER.id}): sign it with modreg registry publish acme:lidar 1.4.0 --key <file>, and the same files; nothing was changed\n`,
    exit: 1,
  });
});

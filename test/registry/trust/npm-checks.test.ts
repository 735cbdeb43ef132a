import { expect, it } from 'vitest';
import { indexReleases, type Artifact, type ReleaseRecord } from '../../../src/core/index.ts';
import { npmChecks } from '../../../src/registry/trust/npm-checks.ts';
import { openRegistries } from '../../../src/registries/open-registries.ts';
import { moduleId, version } from '../../support/ask.ts';
import { npmKey } from '../../support/npm-signed.ts';

const KEY = npmKey('one');
const LIDAR = moduleId('acme:lidar');
const MISSING = { reason: 'unsigned', signed: 0, needed: 1, of: 'npm' };

/** A file with the signature of another one, if `signed` names it. */
function file(digit: string, signed = digit): Artifact {
  const digest = `sha256:${digit.repeat(64)}`;
  const of = Buffer.from(signed.repeat(64), 'hex').toString('base64');
  return {
    platform: `linux/${digit}`,
    digest,
    signatures: [KEY.sign(`@acme/lidar@1.2.0:sha256-${of}`)],
  };
}

function verdict(records: readonly ReleaseRecord[], what?: 'yank'): object | undefined {
  const release = indexReleases(records).find(version('1.2.0'));
  if (!release) throw new Error('not in the list');
  return npmChecks([KEY.listed])(LIDAR, records).check(release, what);
}

it.each<[string, readonly ReleaseRecord[], object | undefined]>([
  ['signed', [{ version: '1.2.0', artifacts: [file('a'), file('b')] }], undefined],
  [
    'one of whose files is another than what was signed',
    [{ version: '1.2.0', artifacts: [file('a'), file('b', 'c')] }],
    { reason: 'bad-signature', found: 'wrong', keyId: 'SHA256:one' },
  ],
  ['without a list of files', [{ version: '1.2.0' }], MISSING],
  ['without files', [{ version: '1.2.0', artifacts: [] }], MISSING],
  [
    'that the list has twice',
    [
      { version: '1.2.0', artifacts: [file('a')] },
      { version: '1.2.0', artifacts: [file('a')] },
    ],
    { reason: 'bad-signature', found: 'listed-twice', keyId: undefined },
  ],
])('[D200] a release %s', (_title, records, expected) => {
  expect(verdict(records)).toEqual(expected);
});

it('[D200] an npm registry signs no yanks', () => {
  const records = [{ version: '1.2.0', yanked: 'broken', artifacts: [file('a')] }];
  expect([verdict(records), verdict(records, 'yank')]).toEqual([undefined, MISSING]);
});

it('[D200] keys are one more term of an npm registry', () => {
  const { registryFor } = openRegistries();
  const [npm, modreg] = ['npm:https://npm.example', 'https://registry.example'];
  const npmKeys = [KEY.listed];
  expect(registryFor({ registry: npm, npmKeys: [] })).toBe(registryFor({ registry: npm }));
  expect(registryFor({ registry: npm, npmKeys })).not.toBe(registryFor({ registry: npm }));
  expect(registryFor({ registry: npm, npmKeys })).toBe(
    registryFor({ registry: npm, npmKeys: [...npmKeys] }),
  );
  expect(registryFor({ registry: modreg, npmKeys })).toBe(registryFor({ registry: modreg }));
});

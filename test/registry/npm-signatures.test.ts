import { describe, expect, it } from 'vitest';
import { npmRegistry, type Packument } from '../../mocks/npm-registry.ts';
import { resolve, type ModuleId } from '../../src/core/index.ts';
import type { NpmKey } from '../../src/core/machine/update-policy.ts';
import { describeRefused } from '../../src/core/explanation/words.ts';
import { openRegistries } from '../../src/registries/open-registries.ts';
import { moduleListOf } from '../../src/registry/module-list.ts';
import { constraint, moduleId } from '../support/ask.ts';
import { integrityOf, npmKey, npmVersion } from '../support/npm-signed.ts';

const KEY = npmKey('one');
const OTHER = npmKey('other');
const STRANGER = npmKey('stranger');
const LIDAR = moduleId('acme:lidar');
const PUBLISHED = '2026-11-20T10:00:00.000Z';
const AT = Date.parse(PUBLISHED);

/** What npm signs of a file with this content. */
function textOf(content: string, name = '@acme/lidar', version = '1.0.0'): string {
  return `${name}@${version}:${integrityOf(content)}`;
}

/** `selected`, or why each release of a packument is refused. */
async function verdicts(
  packument: Packument,
  npmKeys: readonly NpmKey[],
  id: ModuleId,
): Promise<readonly string[]> {
  const answer = npmRegistry(packument);
  const registry = openRegistries({
    fetch: async (input, init) => await answer(new Request(input, init)),
  }).registryFor({ registry: 'npm:https://npm.example', npmKeys });
  const result = (await registry.readAll([id])).get(id);
  if (result?.ok !== true) throw result?.error ?? new Error('no result');
  const list = moduleListOf(result);
  if ('error' in list) throw new Error(list.error.message);
  const wanted = constraint('1.*');
  const resolution = resolve(wanted, list.index, { now: AT, trust: list.trust });
  if (resolution.kind === 'resolved') return ['selected'];
  return Array.from(resolution.refused(), (one) => describeRefused(one, wanted));
}

/** What a packument with version 1.0.0 comes to: `selected`, or why it is refused. */
async function found(
  manifest: object,
  {
    keys = [KEY.listed, OTHER.listed],
    id = LIDAR,
    name = '@acme/lidar',
    time = { '1.0.0': PUBLISHED },
  }: {
    readonly keys?: readonly NpmKey[];
    readonly id?: ModuleId;
    readonly name?: string;
    readonly time?: Readonly<Record<string, string>>;
  } = {},
): Promise<string> {
  const [verdict = ''] = await verdicts({ name, versions: { '1.0.0': manifest }, time }, keys, id);
  return verdict;
}

const MISSING =
  'unsigned: no signature of its npm registry; a mirror may have dropped it, so name the registry itself';
const WRONG = 'bad signature: that of key SHA256:one is not of this release';
const UNKNOWN =
  'bad signature: key SHA256:stranger is not in npm_keys; if its registry has a new key, add it';
const GOOD = KEY.sign(textOf('lidar'));

describe('[D200] a release of an npm registry whose keys a policy names', () => {
  it.each<[string, object, string]>([
    ['signed by one of the keys', npmVersion('lidar', [GOOD]), 'selected'],
    ['signed by the other one', npmVersion('lidar', [OTHER.sign(textOf('lidar'))]), 'selected'],
    ['signed by both', npmVersion('lidar', [GOOD, OTHER.sign(textOf('lidar'))]), 'selected'],
    ['not signed', npmVersion('lidar', undefined), MISSING],
    ['without one signature', npmVersion('lidar', []), MISSING],
    ['with signatures that are none', npmVersion('lidar', ['MEUC', { keyid: 7 }]), MISSING],
    ['signed by an unknown key', npmVersion('lidar', [STRANGER.sign(textOf('lidar'))]), UNKNOWN],
    [
      'signed by an unknown key, too',
      npmVersion('lidar', [STRANGER.sign(textOf('lidar')), GOOD]),
      'selected',
    ],
    [
      'with the signature of a stranger under the keyid of a key',
      npmVersion('lidar', [{ ...STRANGER.sign(textOf('lidar')), keyid: 'SHA256:one' }]),
      WRONG,
    ],
    [
      'with a wrong signature before the right one of the same key',
      npmVersion('lidar', [KEY.sign('x'), GOOD]),
      'selected',
    ],
    [
      'with the signature of another package',
      npmVersion('lidar', [KEY.sign(textOf('lidar', '@acme/camera'))]),
      WRONG,
    ],
    [
      'with the signature of the package without its scope',
      npmVersion('lidar', [KEY.sign(textOf('lidar', 'lidar'))]),
      WRONG,
    ],
    [
      'with the signature of another version',
      npmVersion('lidar', [KEY.sign(textOf('lidar', '@acme/lidar', '1.0.1'))]),
      WRONG,
    ],
    ['with the signature of another file', npmVersion('forged', [GOOD]), WRONG],
    ['with a signature that is cut short', npmVersion('lidar', [cut(GOOD)]), WRONG],
    ['with a signature of no bytes', npmVersion('lidar', [{ ...GOOD, sig: '' }]), WRONG],
    [
      'with a keyid in capitals',
      npmVersion('lidar', [{ ...GOOD, keyid: 'SHA256:ONE' }]),
      unknown('SHA256:ONE'),
    ],
    [
      'with a keyid that is no text for a terminal',
      npmVersion('lidar', [{ ...GOOD, keyid: '\u001b[2J' }]),
      unknown('\\u{1b}[2J'),
    ],
    [
      'without integrity, and a signature over its sha1',
      npmVersion('lidar', [KEY.sign(`@acme/lidar@1.0.0:${integrityOf('lidar', 'sha1')}`)], {
        integrity: undefined,
        shasum: 'a'.repeat(40),
      }),
      WRONG,
    ],
    [
      'with an integrity that is sha1',
      npmVersion('lidar', [KEY.sign(`@acme/lidar@1.0.0:${integrityOf('lidar', 'sha1')}`)], {
        integrity: integrityOf('lidar', 'sha1'),
      }),
      WRONG,
    ],
    [
      'with an integrity that is cut short',
      npmVersion('lidar', [KEY.sign('@acme/lidar@1.0.0:sha512-AAAA')], {
        integrity: 'sha512-AAAA',
      }),
      WRONG,
    ],
    [
      'with an integrity that is sha256',
      npmVersion('lidar', [KEY.sign(`@acme/lidar@1.0.0:${integrityOf('lidar', 'sha256')}`)], {
        integrity: integrityOf('lidar', 'sha256'),
      }),
      'selected',
    ],
    [
      'for several platforms',
      { ...npmVersion('lidar', [GOOD]), os: ['linux'], cpu: ['x64', 'arm64'] },
      'selected',
    ],
    ['for no platform', { ...npmVersion('lidar', [GOOD]), os: ['!linux'] }, MISSING],
  ])('%s', async (_title, manifest, expected) => {
    expect(await found(manifest)).toBe(expected);
  });

  it('without a scope, it is signed by the name of the package', async () => {
    const named = { id: moduleId('npm:lidar'), name: 'lidar' };
    const own = npmVersion('lidar', [KEY.sign(textOf('lidar', 'lidar'))]);
    const scoped = npmVersion('lidar', [KEY.sign(textOf('lidar', '@npm/lidar'))]);
    expect([await found(own, named), await found(scoped, named)]).toEqual(['selected', WRONG]);
  });

  it('needs no signature by a policy that names no key', async () => {
    expect(await found(npmVersion('lidar', undefined), { keys: [] })).toBe('selected');
  });

  it('one that npm itself signed', async () => {
    // The package with which npm tests its own check, and the key of npm until 2025.
    const integrity =
      'sha512-QqZ7VJ/8xPkS9s2IWB7Shj3qTJdcRyeXKbPQnsZjsPEwvutGv0EGeVchPcauoiDFJlGbZMFq5GDCurAGNSghJQ==';
    const signature = {
      keyid: 'SHA256:jl3bwswu80PjjokCgh0o2w5c2U4LhQAE57gj9cz1kzA',
      sig: 'MEUCIDrLNspFeU5NZ6d55ycVBZIMXnPJi/XnI1Y2dlJvK8P1AiEAnXjn1IOMUd+U7YfPH+FNjwfLq+jCwfH8uaxocq+mpPk=',
    };
    const key = {
      keyid: signature.keyid,
      key: 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE1Olb3zMAFFxXKHiIkQO5cJ3Yhl5i6UPp+IhuteBJbuHcA5UogKo0EWtlWwW6KSaKoTNEYL7JlCQiVnkhBktUgg==',
    };
    const named = { id: moduleId('npm:kms-demo'), name: 'kms-demo', keys: [key] };
    const forged = { id: moduleId('npm:kms-demos'), name: 'kms-demos', keys: [key] };
    const manifest = npmVersion('kms-demo', [signature], { integrity });
    expect([await found(manifest, named), await found(manifest, forged)]).toEqual([
      'selected',
      `bad signature: that of key ${key.keyid} is not of this release`,
    ]);
  });
});

function cut({ keyid, sig }: { readonly keyid: string; readonly sig: string }): object {
  return { keyid, sig: sig.slice(0, 40) };
}

function unknown(keyid: string): string {
  return UNKNOWN.replace('SHA256:stranger', keyid);
}

const EXPIRED =
  'bad signature: key SHA256:one had expired when the release was published, or that time is not known';

describe('[D202] a key of an npm registry that expires', () => {
  const manifest = npmVersion('lidar', [GOOD]);
  it.each<[string, number | undefined, Readonly<Record<string, string>>, string]>([
    ['after the release was published', AT + 1, { '1.0.0': PUBLISHED }, 'selected'],
    ['at the moment of the publication', AT, { '1.0.0': PUBLISHED }, EXPIRED],
    ['before', AT - 1, { '1.0.0': PUBLISHED }, EXPIRED],
    ['some time, for a release whose time is not known', AT + 1, {}, EXPIRED],
    ['never, for a release whose time is not known', undefined, {}, 'selected'],
  ])('%s', async (_title, expires, time, expected) => {
    const keys = [expires === undefined ? KEY.listed : { ...KEY.listed, expires }];
    expect(await found(manifest, { keys, time })).toBe(expected);
  });

  it('another signature counts beside it', async () => {
    const both = npmVersion('lidar', [GOOD, OTHER.sign(textOf('lidar'))]);
    const keys = [{ ...KEY.listed, expires: AT - 1 }, OTHER.listed];
    expect(await found(both, { keys })).toBe('selected');
  });
});

describe('[T595] very many signatures', () => {
  it('in one release: the first ten are looked at', async () => {
    const forged = Array.from({ length: 10_000 }, () => KEY.sign('x'));
    expect(await found(npmVersion('lidar', [...forged, GOOD]))).toBe(WRONG);
  });

  it('in the releases of a list: after 32 wrong ones, no more are checked', async () => {
    const forged = Array.from({ length: 10 }, () => KEY.sign('x'));
    const numbers = Array.from({ length: 6 }, (_, patch) => `1.0.${patch}`);
    const name = '@acme/lidar';
    const versions = Object.fromEntries(
      numbers.map((number) => [number, npmVersion(number, forged)]),
    );
    versions['1.0.0'] = npmVersion('lidar', [GOOD]);
    expect(await verdicts({ name, versions }, [KEY.listed], LIDAR)).toEqual([
      WRONG,
      WRONG,
      WRONG,
      'bad signature: the list has too many wrong ones, so no more are checked',
      'bad signature: the list has too many wrong ones, so no more are checked',
      'bad signature: the list has too many wrong ones, so no more are checked',
    ]);
  });
});

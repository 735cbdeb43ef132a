import { describe, expect, it } from 'vitest';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { integrityOf, npmKey, npmVersion } from '../support/npm-signed.ts';
import { entry } from '../support/planned.ts';

const KEY = npmKey('one');
const STRANGER = npmKey('stranger');
const PIN = `sha256:${'0385'.repeat(16)}`;

function signedBy(key: typeof KEY, version: string, content: string = version): object {
  return npmVersion(content, [key.sign(`@acme/lidar@${version}:${integrityOf(version)}`)]);
}

const VERSIONS = {
  '1.1.0': npmVersion('1.1.0', undefined),
  '1.2.0': signedBy(KEY, '1.2.0'),
  '1.3.0': signedBy(STRANGER, '1.3.0'),
  '1.4.0': signedBy(KEY, '1.4.0', 'forged'),
  '1.5.0': npmVersion('1.5.0', undefined),
};

/** A machine whose lidar comes from an npm registry, with these terms in its policy. */
async function machine(version: string, terms: object) {
  const { address } = await plainServer((response) =>
    send(response, { name: '@acme/lidar', versions: VERSIONS }),
  );
  const folder = temporaryFolder({
    'machine.json': JSON.stringify({ modules: [entry('acme:lidar', version, 'lidar')] }),
    'deployed.json': JSON.stringify({ lidar: '1.1.0' }),
    'policy.json': JSON.stringify({ registry: `npm:${address}`, ...terms }),
  });
  return async (...args: readonly string[]) => {
    const all = args.map((arg) => arg.replace('MACHINE', folder));
    const { stdout, stderr, exit } = await inProcess(all, { PLATFORM_HOME: `${folder}/home` });
    return [exit, (stdout + stderr).replaceAll(address, 'REGISTRY')] as const;
  };
}

const KEYS = { npm_keys: [KEY.listed] };
const PLAN = ['plan', 'MACHINE/machine.json', '--deployed', 'MACHINE/deployed.json'];

it('[D200] resolve says why each release of an npm registry is refused', async () => {
  const run = await machine('1.*', KEYS);
  const args = ['resolve', 'acme:lidar', '1.*', '--policy', 'MACHINE/policy.json', '--explain'];
  const [exit, output] = await run(...args);
  expect([exit, output.split('\n').filter((line) => /^ {2}1\./.test(line))]).toEqual([
    0,
    [
      '  1.5.0  no   unsigned: no signature of its npm registry; a mirror may have dropped it, so name the registry itself',
      '  1.4.0  no   bad signature: that of key SHA256:one is not of this release',
      '  1.3.0  no   bad signature: key SHA256:stranger is not in npm_keys; if its registry has a new key, add it',
      '  1.2.0  YES  newest release of 1 that may be selected',
      '  1.1.0  no   older than 1.2.0',
    ],
  ]);
});

it('[D200] plan goes to what the npm registry signed', async () => {
  const run = await machine('1.*', KEYS);
  const [exit, output] = await run(...PLAN, '--json');
  expect([exit, JSON.parse(output).modules]).toMatchObject([
    0,
    [{ name: 'lidar', target: '1.2.0' }],
  ]);
});

it('[D200] plan says what is against a pin, and what to do', async () => {
  const run = await machine('1.5.0', KEYS);
  const [exit, output] = await run(...PLAN);
  expect([exit, ...output.split('\n').slice(-3)]).toEqual([
    1,
    'error[UNSIGNED]: acme:lidar (lidar) 1.5.0 is published but refused: unsigned: no signature of its npm registry; a mirror may have dropped it, so name the registry itself; acme:lidar (lidar) stays at 1.1.0',
    'hint: latest selects 1.2.0',
    '',
  ]);
});

describe('[D203] a policy with trust, and an npm registry', () => {
  it('with keys: what they signed', async () => {
    const run = await machine('1.*', { ...KEYS, trust: PIN });
    const [, output] = await run(...PLAN, '--json');
    expect(JSON.parse(output).modules).toMatchObject([{ name: 'lidar', target: '1.2.0' }]);
  });

  it.each<[string, object]>([
    ['without keys', {}],
    ['without keys for the module', { ...KEYS, modules: { lidar: { npm_keys: [] } } }],
  ])('%s: stuck', async (_title, terms) => {
    const run = await machine('1.*', { ...terms, trust: PIN });
    const [exit, output] = await run(...PLAN);
    expect([exit, ...output.split('\n').slice(-3)]).toEqual([
      4,
      'error[REGISTRY_UNTRUSTED]: the registry npm:REGISTRY has no signatures of releases, and the policy names a trust document for it; acme:lidar (lidar) stays at 1.1.0',
      'hint: set "trust": "unsigned" in the policy for the modules of this registry, under modules; or set npm_keys, if it signs',
      '',
    ]);
  });

  it('without trust, and without keys for the module: whatever it has', async () => {
    const run = await machine('1.*', { ...KEYS, modules: { lidar: { npm_keys: [] } } });
    const [, output] = await run(...PLAN, '--json');
    expect(JSON.parse(output).modules).toMatchObject([{ name: 'lidar', target: '1.5.0' }]);
  });
});

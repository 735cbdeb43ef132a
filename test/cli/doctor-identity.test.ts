import { describe, expect, it } from 'vitest';
import { modregRegistry } from '../../mocks/modreg-registry.ts';
import { served, type Answer } from '../../mocks/network.ts';
import { npmRegistry } from '../../mocks/npm-registry.ts';
import { ociRegistry } from '../../mocks/oci-registry.ts';
import { temporaryFolder } from '../support/folder.ts';
import { examined } from './support/examined.ts';
import { site } from './support/patient.ts';

const KINDS = {
  '': 'a registry of modreg: lists, ages, digests, files; publishing; wakes pollers at each change; takes a token',
  'npm:':
    'an npm registry: lists, ages up to 64 MiB, digests, files; no publishing by modreg, and no wake-up; takes a token, or a user and a password',
  'oci:':
    'an OCI registry: lists, ages if annotated, digests, files of one layer; no publishing by modreg, and no wake-up; takes a token, or a user and a password',
};
type Prefix = keyof typeof KINDS;
const NAMES = { '': 'a registry of modreg', 'npm:': 'an npm registry', 'oci:': 'an OCI registry' };

/** What doctor says about an address on a machine without modules, after the line about its connection, and its exit code. */
async function said(
  address: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<readonly (string | number)[]> {
  const folder = temporaryFolder();
  const lines = await examined(folder, ['--registry', address], {
    environment: { PLATFORM_HOME: `${folder}/home`, HOME: folder, ...environment },
    only: 'registry',
  });
  return lines.filter((line) => !/(?:answers in SOME ms|takes connections)/.test(`${line}`));
}

const json =
  (body: object, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  () =>
    Response.json(body, { status, headers });
const text =
  (body: string, status: number): Answer =>
  () =>
    new Response(body, { status });

const SERVERS: Readonly<Record<string, { readonly kind: Prefix; readonly answer: () => Answer }>> =
  {
    'modreg itself': { kind: '', answer: () => modregRegistry().answer },
    'modreg that wants a token': {
      kind: '',
      answer: () => json({}, 401, { 'www-authenticate': 'Bearer realm="modreg"' }),
    },
    'an npm registry': { kind: 'npm:', answer: () => npmRegistry() },
    'an OCI registry': { kind: 'oci:', answer: () => ociRegistry({}) },
    'an OCI registry that wants a token': {
      kind: 'oci:',
      answer: () =>
        json({ errors: [{ code: 'UNAUTHORIZED' }] }, 401, {
          'www-authenticate': 'Bearer realm="https://auth.example/token",service="r"',
        }),
    },
  };

describe('[T513] doctor says what answers at an address', () => {
  const prefixes = Object.keys(KINDS) as Prefix[];
  const cases = Object.keys(SERVERS).flatMap((name) => prefixes.map((as) => [name, as] as const));

  it.each(cases)('%s, named "%s"', async (name, as) => {
    const { kind, answer } = SERVERS[name] as (typeof SERVERS)[string];
    const address = await served(answer());
    const at = 'http://127.0.0.1:PORT';
    const lines = await said(`${as}${address}`);
    const isLocked = name.includes('token') && as === '';
    const findings = isLocked ? lines.slice(2) : lines;
    expect(findings.slice(0, -1)).toEqual(
      as === kind
        ? [`info     registry   ${as}${at} is ${KINDS[kind]} (none is known for it)`]
        : [
            `warning  registry   ${as}${at} responds as ${NAMES[kind]} does`,
            `                    fix: write ${kind}${at}`,
            `info     registry   ${kind}${at} is ${KINDS[kind]}`,
          ],
    );
  });

  const READS =
    'correct the address: modreg reads https://host (its own), npm:https://host, oci:https://host, github:owner/name, folders and .db files';
  const AT = 'http://127.0.0.1:PORT';

  it.each<[string, string, Answer, readonly [found: string, fix: string]]>([
    [
      'a text page',
      '',
      text('hello', 200),
      [`${AT} is no registry that modreg reads: it answers 200 text/plain`, READS],
    ],
    [
      'nothing',
      'npm:',
      text('no', 404),
      [`npm:${AT} is no registry that modreg reads: it answers 404 text/plain`, READS],
    ],
    [
      'JSON of something else',
      'oci:',
      json({ error: 'no' }, 404),
      [`oci:${AT} is no registry that modreg reads: it answers 404 application/json`, READS],
    ],
    [
      'a refusal',
      'npm:',
      text('no', 401),
      [
        `npm:${AT} answers 401 text/plain without a token, so its kind is not known`,
        `add the line "${AT} <token>" to $PLATFORM_HOME/tokens (mode 0600)`,
      ],
    ],
    [
      'no repository',
      'github:',
      json({ message: 'Not Found' }, 404),
      [
        `github:${AT}/repos/acme/lidar is no registry that modreg reads: it answers 404 application/json`,
        READS,
      ],
    ],
  ])('%s', async (_what, as, answer, [found, fix]) => {
    const lines = await said(
      `${as}${await served(answer)}${as === 'github:' ? '/acme/lidar' : ''}`,
    );
    expect(lines.slice(-3, -1)).toEqual([
      `warning  registry   ${found}`,
      `                    fix: ${fix}`,
    ]);
  });

  it('a registry that asks for a user and a password that are not known', async () => {
    const headers = { 'www-authenticate': 'Basic realm="r"' };
    const address = await served(json({ errors: [{ code: 'UNAUTHORIZED' }] }, 401, headers));
    expect((await said(`oci:${address}`)).slice(1, -1)).toEqual([
      `warning  registry   oci:${AT} asks for a user and a password, and none are known for it`,
      `                    fix: add the line "${AT} <user>:<password>" to $PLATFORM_HOME/tokens (mode 0600)`,
    ]);
    const DOCKER_CONFIG = temporaryFolder({
      'config.json': JSON.stringify({
        auths: {
          [new URL(address).host]: { auth: Buffer.from('ada:pass-word').toString('base64') },
        },
      }),
    });
    expect((await said(`oci:${address}`, { DOCKER_CONFIG })).slice(0, -1)).toEqual([
      `info     registry   oci:${AT} is ${KINDS['oci:']}`,
    ]);
  });

  it('nothing of a server that does not answer', async () => {
    expect(await said('npm:http://127.0.0.1:1')).toEqual([
      `error    registry   the registry npm:${AT} refused the connection`,
      '                    fix: nothing listens there: start the registry on its host, or correct the port in --registry',
      1,
    ]);
  });

  it.each([
    [
      'a file',
      'lists.txt',
      'FOLDER/lists.txt is no folder of release lists, and no file that ends in .db',
      'name a folder with <namespace>/<name>.json, or the .db file of a registry',
    ],
    [
      'a folder that ends in .db',
      'old.db',
      'FOLDER/old.db is no file',
      'write a / at the end of a folder whose name ends in .db',
    ],
  ])('%s', async (_what, name, found, fix) => {
    const folder = temporaryFolder({ 'lists.txt': '', 'old.db/empty': '' });
    const lines = (await said(`${folder}/${name}`)).map((line) =>
      `${line}`.replaceAll(folder, 'FOLDER'),
    );
    expect(lines.slice(-3, -1)).toEqual([
      `error    registry   ${found}`,
      `                    fix: ${fix}`,
    ]);
  });

  it('names where the address is written: not the policy, if it is on the command line', async () => {
    const folder = site('https://unused.example');
    const address = await served(text('hello', 200));
    const fixes = async (args: string[], environment: object): Promise<(string | number)[]> => {
      const lines = await examined(folder, [`${folder}/machine.json`, ...args], {
        environment: { PLATFORM_HOME: `${folder}/home`, ...environment },
        only: 'registry',
      });
      return lines.filter((line) => `${line}`.includes('the path may be wrong'));
    };
    const look = `the path may be wrong, or the answer a sign-in page; look at what answers there: curl -i ${AT}/v1/modules/acme/lidar`;
    expect(await fixes(['--registry', address], {})).toEqual([
      `                    fix: correct --registry: ${look}`,
    ]);
    expect(await fixes([], { MODREG_REGISTRY: address })).toEqual([
      `                    fix: correct MODREG_REGISTRY: ${look}`,
    ]);
  });

  it('`npm:` is looked at where .npmrc says, and its settings are an error that says what to do', async () => {
    const address = await served(npmRegistry());
    const HOME = temporaryFolder({ '.npmrc': `registry=${address}` });
    expect((await said('npm:', { HOME })).slice(0, -1)).toEqual([
      `info     registry   npm: is ${KINDS['npm:']} (none is known for it)`,
    ]);
    const unset = temporaryFolder({ '.npmrc': 'registry=${NONE}' });
    const lines = await said('npm:', { HOME: unset });
    expect(lines.slice(0, 2).map((line) => `${line}`.replace(unset, 'HOME'))).toEqual([
      'error    registry   the registry of all packages without one of their scope is not known: line 1 of "HOME/.npmrc" has ${NONE}, which is not set',
      '                    fix: set NONE, or write the address into that line',
    ]);
  });
});

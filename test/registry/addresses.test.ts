import { describe, expect, it } from 'vitest';
import { parseRegistryAddress } from '../../src/registry/address.ts';
import { httpRegistry } from '../../src/registry/http-registry.ts';
import { answers, document, HOST, json } from '../../mocks/scripted-registry.ts';
import { LIDAR, remembered } from './support/remembered.ts';

const asked = answers();
const PATH = '/v1/modules/acme/lidar';

describe('the text of a registry address', () => {
  const WEB = 'expected https:, npm:, oci: or github: at the start, or ./ for a folder';
  const GITHUB = 'https://api.github.com/repos/acme/lidar';
  const GHE = 'https://ghe.example/api/v3/repos/acme/lidar';
  const REPOSITORY = 'expected github:owner/name, or github:https://host/api/v3/owner/name';
  it.each<[string, string]>([
    ['', 'it is empty'],
    ['a\u0007b', 'it contains a control character'],
    ['lists', 'folder lists'],
    ['lists.db', 'database lists.db'],
    ['./a:b', 'folder ./a:b'],
    ['lists.db/', 'folder lists.db/'],
    ['my.db.d', 'folder my.db.d'],
    ['//registry.example', WEB],
    ['registry.example://', '"registry.example:" is not https:, npm:, oci: or github:'],
    ['registry example://', WEB],
    ['https', WEB],
    [' https://registry.example', WEB],
    ['HTTPS//registry.example', WEB],
    ['/srv/https', 'folder /srv/https'],
    ['C:lists', '"C:" is not https:, npm:, oci: or github:'],
    ['host:8080', '"host:" is not https:, npm:, oci: or github:'],
    ['NPM:https://registry.example', '"NPM:" is not https:, npm:, oci: or github:'],
    ['npm:https://registry.example/a', 'npm https://registry.example/a'],
    ['npm:', 'npm https://registry.npmjs.org/'],
    ['oci:https://registry.example', 'oci https://registry.example/'],
    ['HTTPS://registry.example', 'modreg https://registry.example/'],
    ['github:acme/lidar', `github ${GITHUB}`],
    ['github:acme/lidar/', `github ${GITHUB}`],
    ['github:https://github.com/acme/lidar', `github ${GITHUB}`],
    [`github:${GITHUB}`, `github ${GITHUB}`],
    ['github:acme/lidar#*-{arch}.tgz', `github ${GITHUB}#*-{arch}.tgz`],
    ['github:https://ghe.example/api/v3/acme/lidar', `github ${GHE}`],
    ['github:https://ghe.example/api/v3/repos/acme/lidar/', `github ${GHE}`],
    ['github:', REPOSITORY],
    ['github:acme', REPOSITORY],
    ['github:acme/..', REPOSITORY],
    ['github:acme/lidar/releases', REPOSITORY],
    ['github:acme/lidar?a=b', REPOSITORY],
    [
      'github:https://u:p@ghe.example/acme/lidar',
      'user info before the host ghe.example: credentials do not belong here',
    ],
    ['github:http://169.254.169.254/acme/lidar', '169.254.169.254 is a link-local address'],
  ])('%j', (text, expected) => {
    const parsed = parseRegistryAddress(text);
    const found = parsed.ok
      ? `${parsed.value.kind} ${'url' in parsed.value ? parsed.value.url.href : parsed.value.path}`
      : parsed.error;
    expect(found).toBe(expected);
  });
});

describe('the address of a registry over HTTP', () => {
  it.each([
    [
      'http://10.0.0.7',
      'a response from the registry at http://10.0.0.7 could be changed in transit',
    ],
    ['https://h/?token=x', 'the address of the registry at https://h has a query or a fragment'],
    ['https://h/#x', 'the address of the registry at https://h has a query or a fragment'],
  ])('refuses %s', (address, message) => {
    const parsed = parseRegistryAddress(address);
    if (!parsed.ok || !('url' in parsed.value)) throw new Error('expected a web address');
    expect(httpRegistry(parsed.value)).toMatchObject({
      ok: false,
      error: { kind: 'bad-address', message },
    });
  });

  it('accepts plain http if the policy allows the host', () => {
    const { remote } = remembered('http://10.0.0.7:8080/', { allowHttp: ['10.0.0.7'] });
    expect([remote.address, remote.from]).toEqual([
      'modreg:http://10.0.0.7:8080/',
      'http://10.0.0.7:8080',
    ]);
  });

  it.each([
    [`${HOST}/v1`, PATH],
    [`${HOST}/v1/`, PATH],
    [`${HOST}/v1//`, PATH],
    [`${HOST}/a/b`, `/a/b${PATH}`],
    [`${HOST}/v1/a`, `/v1/a${PATH}`],
  ])('%s: modules are below the path', async (address, path) => {
    const { registry } = remembered(address);
    asked.next(document([]));
    await registry.read(LIDAR);
    expect(asked.requests).toEqual([path]);
  });

  it('only the protocol of modreg has a version in its path', async () => {
    const { registry } = remembered(`npm:${HOST}/v1`);
    asked.next(json({ name: '@acme/lidar', versions: {} }));
    await registry.read(LIDAR);
    expect(asked.requests).toEqual(['/v1/@acme%2flidar']);
  });
});

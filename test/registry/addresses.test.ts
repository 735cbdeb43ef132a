import { describe, expect, it } from 'vitest';
import { parseRegistryAddress } from '../../src/registry/address.ts';
import { httpRegistry } from '../../src/registry/http-registry.ts';
import { answers, document, HOST } from '../support/answers.ts';
import { LIDAR, remembered } from '../support/remembered.ts';

const asked = answers();
const PATH = '/v1/modules/acme/lidar';

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
    [`${HOST}/a/b`, `/a/b${PATH}`],
  ])('%s: modules are below the path', async (address, path) => {
    const { registry } = remembered(address);
    asked.next(document([]));
    await registry.read(LIDAR);
    expect(asked.requests).toEqual([path]);
  });
});

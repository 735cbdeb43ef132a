import { describe, expect, it } from 'vitest';
import { parseRegistryAddress } from '../../src/registry/address.ts';
import { httpRegistry } from '../../src/registry/http-registry.ts';
import { answers, document, HOST } from '../support/answers.ts';
import { LIDAR, remembered } from '../support/remembered.ts';

const asked = answers();
const PATH = '/v1/modules/acme/lidar';

describe('an address', () => {
  it.each([
    ['http://10.0.0.7', 'what a registry at http://10.0.0.7 says could be changed on its way'],
    ['https://h/?token=x', 'the address of the registry at https://h has a query or a fragment'],
    ['https://h/#x', 'the address of the registry at https://h has a query or a fragment'],
  ])('%s is refused', (address, message) => {
    const parsed = parseRegistryAddress(address);
    if (!parsed.ok || !('url' in parsed.value)) throw new Error('expected a web address');
    expect(httpRegistry(parsed.value)).toMatchObject({
      ok: false,
      error: { kind: 'bad-address', message },
    });
  });

  it('of plain http is taken where it is allowed', () => {
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
  ])('%s has its modules below it', async (address, path) => {
    const { registry } = remembered(address);
    asked.next(document([]));
    await registry.read(LIDAR);
    expect(asked.requests).toEqual([path]);
  });
});

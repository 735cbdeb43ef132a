import { describe, expect, it } from 'vitest';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { inProcess } from '../support/in-process.ts';
import { passingTime } from '../support/passing-time.ts';

/** The first line that `modreg resolve` prints about a registry of this kind. */
async function said(kind: string, address: string): Promise<string | undefined> {
  const command = ['resolve', 'acme:lidar', 'latest', '--registry', `${kind}${address}`];
  const { stderr } = await inProcess(command);
  return stderr.replaceAll(address, 'ADDRESS').split('\n')[0];
}

describe('[T517] a registry that asks to be left alone for longer than modreg waits', () => {
  it.each([
    ['3600', '3600 s'],
    ['3601', '3601 s, and is asked again after 3600 s'],
    ['86400', '86400 s, and is asked again after 3600 s'],
    ['9'.repeat(400), '3155760000 s, and is asked again after 3600 s'],
  ])('Retry-After: %.10s', async (delay, words) => {
    const { address } = await plainServer((response) => {
      response.writeHead(503, { 'retry-after': delay }).end();
    });
    expect(await said('', address)).toBe(
      `error[REGISTRY_BUSY]: the registry ADDRESS is busy or failing (503), and asks to retry after ${words}`,
    );
  });

  it('a limit of requests that ends in more than an hour', async () => {
    const { address } = await plainServer((response) => {
      response.writeHead(429, { 'x-ratelimit-remaining': '0', 'retry-after': '7200' }).end();
    });
    expect(await said('', address)).toBe(
      'error[REGISTRY_BUSY]: the registry ADDRESS allows no more requests now (429); it allows more after 7200 s, and is asked again after 3600 s',
    );
  });
});

it.each([
  ['its length', { 'content-length': '1000' }],
  ['its last chunk', {}],
])('[T517] a list that ends before %s was reached, and broke off', async (_what, headers) => {
  const { address, requests } = await plainServer((response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.write('{"module_id":', () => response.destroy());
  });
  const during = passingTime();
  expect(await during(said('', address))).toBe(
    'error[REGISTRY_UNREACHABLE]: the registry ADDRESS closed the connection before the end of its response',
  );
  expect(requests).toHaveLength(3);
});

it('[T517] a list that is whole is read', async () => {
  const { address } = await plainServer((response) =>
    send(response, { name: '@acme/lidar', versions: { '1.0.0': {} } }),
  );
  expect(await said('npm:', address)).toBe('');
});

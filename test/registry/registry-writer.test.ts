import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { secret } from '../../src/core/index.ts';
import { parseRegistryAddress } from '../../src/registry/address.ts';
import { systemClock } from '../../src/registry/index.ts';
import { registryWriter, type RegistryWriter } from '../../src/registry/registry-writer.ts';
import { moduleId } from '../support/ask.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { plainServer, send } from '../support/plain-server.ts';
import { tokenFor } from '../support/token.ts';

const LIDAR = moduleId('acme:lidar');
const RELEASE = '{"version":"1.0.0"}';
const PATH = '/v1/modules/acme/lidar/releases';

/** A writer that does not wait before it repeats a request. */
function writerAt(address: string, token: string): RegistryWriter {
  const parsed = parseRegistryAddress(address);
  if (!parsed.ok || !('url' in parsed.value)) throw new Error('no address');
  const clock = { ...systemClock, sleep: async () => await Promise.resolve() };
  const writer = registryWriter(parsed.value, { clock, token: () => secret(token) });
  if (!writer.ok) throw writer.error;
  return writer.value;
}

it('publishes and yanks versions with any characters', async () => {
  const { address, catalogue } = await loopbackRegistry();
  const writer = writerAt(`${address}/v1/`, tokenFor(catalogue));
  const version = '1.0.0-rc.1+b';
  expect(await writer.publish(LIDAR, JSON.stringify({ version }))).toMatchObject({
    kind: 'done',
    json: { version, result: 'published' },
  });
  expect(await writer.yank(LIDAR, version, 'stops')).toMatchObject({ json: { yanked: 'stops' } });
  expect(await writer.yank(LIDAR, version, null)).toMatchObject({ json: { yanked: null } });
  expect(await writer.publish(LIDAR, '{"version":"1"}')).toEqual({
    kind: 'bad-release',
    detail: '/version: "1" is not a version',
    errors: ['/version: "1" is not a version'],
  });
});

describe('[T41] a redirect', () => {
  it.each([301, 307, 308])('with status %i is not followed', async (status) => {
    const { address, requests } = await plainServer((response) => {
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    await expect(writerAt(address, 'x').publish(LIDAR, RELEASE)).rejects.toMatchObject({
      kind: 'bad-redirect',
    });
    expect(requests).toEqual([`${PATH} Bearer x`]);
  });
});

it('repeats a request with the same bytes, three times in all', async () => {
  const bodies: string[] = [];
  const answer = async (body: Promise<string>, end: () => void): Promise<void> => {
    bodies.push(await body);
    end();
  };
  const { address } = await plainServer((response, request) => {
    void answer(text(request), () => response.destroy());
  });
  await expect(writerAt(address, 'x').publish(LIDAR, RELEASE)).rejects.toMatchObject({
    kind: 'registry-unreachable',
  });
  expect(bodies).toEqual([RELEASE, RELEASE, RELEASE]);
});

it('sends no body to unyank', async () => {
  const types: (string | undefined)[] = [];
  const { address } = await plainServer((response, { headers }) => {
    types.push(headers['content-type'], headers['content-length']);
    send(response, { module_id: 'acme:lidar' });
  });
  await writerAt(address, 'x').yank(LIDAR, '1.0.0', null);
  expect(types).toEqual([undefined, undefined]);
});

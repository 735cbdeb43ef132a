import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { testRegistry } from './support/registry.ts';

const LIDAR = '/v1/modules/acme/lidar';
const RELEASES = `${LIDAR}/releases`;
const HEX = 'ab'.repeat(32);

describe('an address', () => {
  it.each([
    ['GET', '/', 404],
    ['GET', '/v1', 404],
    ['GET', '/v1/modules/acme', 404],
    ['GET', '/v1/modules/acme/lidar', 404],
    ['GET', '/v1/modules/acme/..%2f..%2fetc', 400],
    ['GET', '/v1/modules/%00/x', 400],
    ['GET', `/v1/modules/acme/${'x'.repeat(64)}`, 400],
    ['GET', '/v1/modules/acme/lidar/', 404],
    ['GET', '/metrics', 404],
  ])('%s %s: %i', async (method, address, status) => {
    expect((await testRegistry().ask(method, address)).status).toBe(status);
  });

  it.each([
    ['PUT', '/v1/modules', 'GET'],
    ['DELETE', LIDAR, 'GET'],
    ['GET', RELEASES, 'POST'],
    ['POST', `${RELEASES}/1.0.0/yank`, 'PUT, DELETE'],
    ['PATCH', '/v1/changes', 'GET'],
    ['POST', '/v1/openapi.json', 'GET'],
    ['PUT', '/healthz', 'GET'],
    ['POST', '/install.sh', 'GET'],
    ['POST', '/install/linux/amd64', 'GET'],
    ['PUT', `/v1/artifacts/sha256/${HEX}`, 'GET'],
    ['GET', `${LIDAR}/artifacts/sha256/${HEX}`, 'PUT'],
  ])('%s %s: 405, and %s is allowed', async (method, address, allow) => {
    const { status, headers, json } = await testRegistry().ask(method, address);
    expect([status, headers.get('allow'), Object(json).type, Object(json).detail]).toEqual([
      405,
      allow,
      'urn:modreg:method-not-allowed',
      `allowed: ${allow}`,
    ]);
  });

  it.each([
    ['/v1/modules', ['acme:arm', 'acme:lidar', 'nimbus:gps']],
    ['/v1/modules?namespace=acme', ['acme:arm', 'acme:lidar']],
    ['/v1/modules?namespace=nobody', []],
    ['/v1/modules?namespace=', []],
  ])('%s lists %j', async (address, modules) => {
    const registry = testRegistry();
    for (const id of ['nimbus/gps', 'acme/lidar', 'acme/arm']) {
      await registry.ask('POST', `/v1/modules/${id}/releases`, { body: { version: '1.0.0' } });
    }
    expect((await registry.ask('GET', address)).json).toEqual({ modules });
  });

  it('serves the OpenAPI description', async () => {
    const { json } = await testRegistry().ask('GET', '/v1/openapi.json');
    expect(json).toMatchObject({ openapi: '3.1.0', info: { title: 'modreg registry' } });
  });
});

it('a list of modules that is too long for a response says how to ask for a part of it', async () => {
  const registry = testRegistry();
  const database = new DatabaseSync(registry.path);
  const insert = database.prepare(
    'INSERT INTO modules (namespace, name, generation, sequence) VALUES (?, ?, 1, 0)',
  );
  for (const letter of 'abcdefghijklmnopq') insert.run('nimbus', letter.repeat(1_000_000));
  insert.run('acme', 'lidar');
  database.close();
  const { status, json } = await registry.ask('GET', '/v1/modules');
  expect([status, Object(json)]).toMatchObject([
    500,
    {
      type: 'urn:modreg:internal',
      detail:
        'the list has 17000196 characters, and a response at most 16777216: ask for /v1/modules?namespace=…',
    },
  ]);
  expect((await registry.ask('GET', '/v1/modules?namespace=acme')).json).toEqual({
    modules: ['acme:lidar'],
  });
});

it('reports an internal error to the log, and not to the client', async () => {
  const registry = testRegistry();
  new DatabaseSync(registry.path).exec('DROP TABLE releases; DROP TABLE modules');
  const answer = await registry.ask('GET', '/v1/modules/acme/lidar');
  expect(answer.json).toEqual({
    type: 'urn:modreg:internal',
    title: 'The registry had an internal error',
    status: 500,
    detail: 'nothing was changed',
  });
  expect(registry.events).toMatchObject([{ kind: 'failed', error: expect.any(Error) }]);
});

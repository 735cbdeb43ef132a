import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { testRegistry, type TestRegistry } from './support/registry.ts';

async function publish(registry: TestRegistry, id: string, version: string): Promise<void> {
  const address = `/v1/modules/${id.replace(':', '/')}/releases`;
  await registry.ask('POST', address, { body: { version } });
}

async function changed(registry: TestRegistry, query: string): Promise<unknown> {
  const { status, json } = await registry.ask('GET', `/v1/changes${query}`);
  const { sequence, modules, detail } = Object(json);
  return status === 200 ? [sequence, modules] : [status, detail];
}

describe('a request for a change that the client knows', () => {
  it.each([
    [{ 'modreg-at-least': '1' }, 200],
    [{ 'modreg-at-least': '2', 'modreg-history': 'another' }, 200],
    [{ 'modreg-at-least': 'x' }, 400],
    [{ 'modreg-at-least': '9007199254740992' }, 400],
  ])('%j: %d (T159)', async (headers, status) => {
    const registry = testRegistry();
    await publish(registry, 'acme:lidar', '1.0.0');
    expect((await registry.ask('GET', '/v1/modules/acme/lidar', { headers })).status).toBe(status);
  });

  it('is refused after two seconds by a registry that does not have it (T159)', async () => {
    const clock = virtualClock();
    const registry = testRegistry({ clock });
    await publish(registry, 'acme:lidar', '1.0.0');
    const headers = { 'modreg-at-least': '2' };
    let answered = 0;
    const addresses = ['/v1/modules/acme/lidar', '/v1/modules', '/v1/changes?wait=60'];
    const asked = addresses.map(async (address) => {
      const answer = await registry.ask('GET', address, { headers });
      answered++;
      return answer;
    });
    await clock.pass(1999);
    expect(answered).toBe(0);
    await clock.pass(1);
    for (const answer of await Promise.all(asked)) {
      const { status, json } = answer;
      expect([status, Object(json).detail, answer.headers.get('retry-after')]).toEqual([
        503,
        'this registry is at sequence 1, and 2 is asked for',
        '1',
      ]);
    }
  });

  it('is answered as soon as the registry has it (T159)', async () => {
    const registry = testRegistry();
    await publish(registry, 'acme:lidar', '1.0.0');
    const history = registry.catalogue.history();
    const headers = { 'modreg-at-least': '2', 'modreg-history': history };
    const waiting = registry.ask('GET', '/v1/modules/acme/lidar', { headers });
    await publish(registry, 'acme:lidar', '1.0.1');
    expect((await waiting).json).toMatchObject({ generation: 2 });
  });
});

describe('the change feed of some modules', () => {
  it('names no others', async () => {
    const registry = testRegistry();
    for (const id of ['acme:lidar', 'acme:arm', 'acme:cam']) await publish(registry, id, '1.0.0');
    expect(await changed(registry, '?modules=acme:cam,acme:lidar,acme:none')).toEqual([
      3,
      ['acme:lidar', 'acme:cam'],
    ]);
    expect(await changed(registry, '?after=1&modules=acme:lidar')).toEqual([3, []]);
  });

  it('wakes nobody for a change of another module', async () => {
    const registry = testRegistry();
    const waiting = [
      changed(registry, '?wait=60&modules=acme:lidar,acme:cam'),
      changed(registry, '?wait=60'),
      changed(registry, '?wait=60&modules=acme:arm'),
    ];
    await publish(registry, 'acme:arm', '1.0.0');
    expect(await waiting[1]).toEqual([1, ['acme:arm']]);
    expect(await waiting[2]).toEqual([1, ['acme:arm']]);
    await publish(registry, 'acme:cam', '1.0.0');
    expect(await waiting[0]).toEqual([2, ['acme:cam']]);
  });

  it.each([
    ['acme', 'modules: "acme" is not a module id'],
    ['', 'modules: "" is not a module id'],
    [
      Array.from({ length: 101 }, (_none, place) => `acme:m${place}`).join(),
      'modules has 101 ids, expected at most 100',
    ],
  ])('refuses %.20s', async (modules, detail) => {
    expect(await changed(testRegistry(), `?modules=${modules}`)).toEqual([400, detail]);
  });
});

import { describe, expect, it } from 'vitest';
import { moduleId } from '../support/ask.ts';
import { testRegistry, type TestRequest } from './support/registry.ts';

const RELEASES = '/v1/modules/acme/lidar/releases';
const LIDAR = '/v1/modules/acme/lidar';

describe('yanking', () => {
  it('stores the reason, can be reverted, and changes nothing when repeated', async () => {
    const registry = testRegistry();
    await registry.ask('POST', RELEASES, { body: { version: '1.0.0-rc.1+b' } });
    const yank = `${RELEASES}/1.0.0-rc.1+b/yank`;
    const seen: unknown[] = [];
    const steps: readonly [string, TestRequest][] = [
      ['PUT', { body: { reason: 'stops' } }],
      ['PUT', { body: { reason: 'stops' } }],
      ['PUT', {}],
      ['DELETE', {}],
      ['DELETE', {}],
    ];
    for (const [method, request] of steps) {
      expect((await registry.ask(method, yank, request)).status).toBe(200);
      const { generation, releases } = Object((await registry.ask('GET', LIDAR)).json);
      seen.push([generation, releases[0].yanked]);
    }
    expect(seen).toEqual([
      [2, 'stops'],
      [2, 'stops'],
      [3, ''],
      [4, null],
      [4, null],
    ]);
    expect(registry.events.map(({ kind }) => kind)).toEqual([
      'published',
      'yanked',
      'yanked',
      'unyanked',
    ]);
  });

  it.each([
    [`${RELEASES}/9.9.9/yank`, 404, 'acme:lidar has no version 9.9.9'],
    ['/v1/modules/acme/arm/releases/1.0.0/yank', 404, 'nothing was ever published for acme:arm'],
    [`${RELEASES}/latest/yank`, 400, '"latest" is not a version'],
    ['/v1/modules/a..b/arm/releases/1.0.0/yank', 400, '"a..b:arm" is not a module id'],
  ])('refuses %s', async (address, status, detail) => {
    const registry = testRegistry();
    await registry.ask('POST', RELEASES, { body: { version: '1.0.0' } });
    for (const method of ['PUT', 'DELETE']) {
      const answer = await registry.ask(method, address);
      expect([answer.status, Object(answer.json).detail]).toEqual([status, detail]);
      expect((await registry.ask(method, address, { headers: { authorization: '' } })).status).toBe(
        401,
      );
    }
    for (const [body, error] of [
      [{ reason: 'x'.repeat(1001) }, '/reason: longer than 1000 characters'],
      [{ reason: null }, '/reason: expected text'],
      [{ why: 'x' }, '/why: unknown field; a yank has reason and signatures'],
      [[], 'expected an object: a yank has reason and signatures'],
      ['"x"', 'expected an object: a yank has reason and signatures'],
    ]) {
      const answer = await registry.ask('PUT', `${RELEASES}/1.0.0/yank`, { body });
      expect([answer.status, Object(answer.json).detail]).toEqual([422, error]);
    }
    expect(registry.catalogue.isYanked(moduleId('acme:lidar'), '1.0.0')).toBe(false);
  });
});

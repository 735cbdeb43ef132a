import { describe, expect, it } from 'vitest';
import { tokenFor } from '../support/token.ts';
import { testRegistry, type TestRequest } from './support/registry.ts';

const RELEASES = '/v1/modules/acme/lidar/releases';
const LIDAR = '/v1/modules/acme/lidar';

describe('[D96] deprecating a published release', () => {
  it('stores the reason, can be reverted, and changes nothing when repeated', async () => {
    const registry = testRegistry();
    await registry.ask('POST', RELEASES, { body: { version: '1.0.0-rc.1+b' } });
    const address = `${RELEASES}/1.0.0-rc.1+b/deprecation`;
    const seen: unknown[] = [];
    const steps: readonly [string, TestRequest][] = [
      ['PUT', { body: { reason: 'use "2"' } }],
      ['PUT', { body: { reason: 'use "2"' } }],
      ['PUT', {}],
      ['DELETE', {}],
      ['DELETE', {}],
    ];
    for (const [method, request] of steps) {
      const answer = await registry.ask(method, address, request);
      const { generation, releases } = Object((await registry.ask('GET', LIDAR)).json);
      seen.push([
        answer.status,
        Object(answer.json).deprecated,
        generation,
        releases[0].deprecated,
      ]);
    }
    expect(seen).toEqual([
      [200, 'use "2"', 2, 'use "2"'],
      [200, 'use "2"', 2, 'use "2"'],
      [200, '', 3, ''],
      [200, null, 4, null],
      [200, null, 4, null],
    ]);
    expect(registry.events.map(({ kind }) => kind)).toEqual([
      'published',
      'deprecated',
      'deprecated',
      'undeprecated',
    ]);
  });

  it('needs the scope yank', async () => {
    const registry = testRegistry();
    await registry.ask('POST', RELEASES, { body: { version: '1.0.0' } });
    const token = tokenFor(registry.catalogue, ['publish'], 'other');
    const headers = { authorization: `Bearer ${token}` };
    for (const method of ['PUT', 'DELETE']) {
      const answer = await registry.ask(method, `${RELEASES}/1.0.0/deprecation`, { headers });
      expect([answer.status, Object(answer.json).detail]).toEqual([
        403,
        'the token t2 (other) does not have the scope yank:acme',
      ]);
    }
  });
});

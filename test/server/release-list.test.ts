import { describe, expect, it } from 'vitest';
import { sql } from '../support/backups.ts';
import { testRegistry } from './support/registry.ts';

const RELEASES = '/v1/modules/acme/lidar/releases';
const LIDAR = '/v1/modules/acme/lidar';

describe('a release list', () => {
  it('is not sent to a client that already has it', async () => {
    const registry = testRegistry();
    await registry.ask('POST', RELEASES, { body: { version: '1.0.0' } });
    const { headers } = await registry.ask('GET', LIDAR);
    const etag = headers.get('etag') ?? '';
    const statuses = await Promise.all(
      [etag, `W/${etag}`, `"x", ${etag}`, '*', '"x"', etag.slice(1, -1), ''].map(
        async (tag) =>
          (await registry.ask('GET', LIDAR, { headers: { 'if-none-match': tag } })).status,
      ),
    );
    expect(statuses).toEqual([304, 304, 304, 304, 200, 200, 200]);
    await registry.ask('PUT', `${RELEASES}/1.0.0/yank`);
    const after = await registry.ask('GET', LIDAR, { headers: { 'if-none-match': etag } });
    expect(after.status).toBe(200);
  });

  it('has a different entity tag for each generation', async () => {
    const registry = testRegistry();
    await registry.ask('POST', RELEASES, { body: { version: '1.0.0' } });
    const tags = new Map<string, string>();
    for (const method of ['PUT', 'DELETE', 'PUT', 'DELETE']) {
      await registry.ask(method, `${RELEASES}/1.0.0/yank`);
      const { headers, text } = await registry.ask('GET', LIDAR);
      tags.set(headers.get('etag') ?? '', text);
    }
    expect(new Set(tags.values()).size).toBe(4);
  });

  it('has a different entity tag for other content of the same generation, as after a new start', async () => {
    const tags = ['1.0.0', '1.0.1'].map(async (version) => {
      const registry = testRegistry();
      await registry.ask('POST', RELEASES, { body: { version } });
      return (await registry.ask('GET', LIDAR)).headers.get('etag');
    });
    expect(new Set(await Promise.all(tags)).size).toBe(2);
  });

  it.each(['xx', '{"deprecated":nul', '[1]', '{}', ''])(
    '[T225] is not sent if the content of a release is %j, which the log names',
    async (content) => {
      const registry = testRegistry();
      for (const version of ['1.0.0', '1.0.1']) {
        await registry.ask('POST', RELEASES, { body: { version } });
      }
      sql(registry.path, `UPDATE releases SET content = '${content}' WHERE id = 2`);
      // The list of the last generation is still in memory.
      await registry.ask('PUT', `${RELEASES}/1.0.0/yank`);
      const { status, json } = await registry.ask('GET', LIDAR);
      expect([status, Object(json).type]).toEqual([500, 'urn:modreg:internal']);
      const log = registry.events.map((event) => String(Object(event).error));
      const found =
        'row 2 of releases, column content: the content of acme:lidar 1.0.1 is not that of a release';
      expect(log).toContain(`DatabaseError: "${registry.path}": ${found}`);
    },
  );

  it('is kept by caches only together with a question, and says how long it is', async () => {
    const registry = testRegistry();
    await registry.ask('POST', RELEASES, { body: { version: '1.0.0', deprecated: '\u00fc' } });
    const { headers, text } = await registry.ask('GET', LIDAR);
    expect(
      ['cache-control', 'content-type', 'content-length'].map((name) => headers.get(name)),
    ).toEqual(['no-cache', 'application/json', `${Buffer.byteLength(text)}`]);
    const etag = headers.get('etag') ?? '';
    const known = await registry.ask('GET', LIDAR, { headers: { 'if-none-match': etag } });
    expect([known.text, known.headers.get('cache-control'), known.headers.get('etag')]).toEqual([
      '',
      'no-cache',
      etag,
    ]);
  });
});

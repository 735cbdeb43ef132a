import { describe, expect, it } from 'vitest';
import { moduleId } from '../support/ask.ts';
import { tokenFor } from '../support/token.ts';
import { testRegistry, type TestRegistry } from './support/registry.ts';

const RELEASES = '/v1/modules/acme/lidar/releases';
const LIST = '/v1/modules/acme/lidar';
const NOTES = `${RELEASES}/1.0.0-rc.1+b/notes`;
const LIDAR = moduleId('acme:lidar');
const RELEASE = { moduleId: LIDAR, version: '1.0.0-rc.1+b' };

async function withRelease(): Promise<TestRegistry> {
  const registry = testRegistry();
  await registry.ask('POST', RELEASES, { body: { version: '1.0.0-rc.1+b' } });
  return registry;
}

describe('[D379] the notes of a release', () => {
  it('are added once, and its list says only that there are some', async () => {
    const registry = await withRelease();
    const list = async (): Promise<unknown> => {
      const { generation, releases } = Object((await registry.ask('GET', LIST)).json);
      return [generation, Object(releases[0]).notes];
    };
    const before = await list();
    const seen: unknown[] = [(await registry.ask('GET', NOTES)).json];
    for (const notes of ['# Faster\n', '# Faster\n', '# Other\n']) {
      const { status, json } = await registry.ask('PUT', NOTES, { body: { notes } });
      seen.push([status, Object(json).result ?? Object(json).detail]);
    }
    seen.push((await registry.ask('GET', NOTES)).json);
    const release = { module_id: 'acme:lidar', version: '1.0.0-rc.1+b' };
    expect(seen).toEqual([
      { ...release, notes: null },
      [201, 'done'],
      [200, 'unchanged'],
      [409, 'acme:lidar 1.0.0-rc.1+b has other release notes, which stay'],
      { ...release, notes: '# Faster\n' },
    ]);
    expect([before, await list()]).toEqual([
      [1, undefined],
      [2, true],
    ]);
    expect(registry.events.map(({ kind }) => kind)).toEqual(['published', 'noted', 'refused']);
  });

  it.each<[what: string, body: object, status: number, detail: string | undefined]>([
    ['without text', { notes: '' }, 422, '/notes: expected text that is not empty'],
    ['of spaces', { notes: ' \n' }, 422, '/notes: expected text that is not empty'],
    ['that are a number', { notes: 5 }, 422, '/notes: expected text'],
    [
      'of 64 KiB and a character',
      { notes: 'é'.repeat(32_769) },
      422,
      '/notes: has 65538 bytes, expected at most 65536',
    ],
    ['of 64 KiB', { notes: 'é'.repeat(32_768) }, 201, undefined],
    [
      'with an escape character',
      { notes: 'stop\u001b[2J' },
      422,
      '/notes: expected no control characters but tabs and line breaks',
    ],
    [
      'with half a character',
      { notes: '\ud800' },
      422,
      '/notes: expected text that UTF-8 can write',
    ],
    ['with tabs and line breaks', { notes: 'tab\t, line\r\n' }, 201, undefined],
    ['under another name', { text: 'x' }, 422, '/notes: required'],
  ])('[T779] %s are answered as their text allows', async (_what, body, status, detail) => {
    const registry = await withRelease();
    const answer = await registry.ask('PUT', NOTES, { body });
    expect([answer.status, Object(answer.json).detail]).toEqual([status, detail]);
  });

  it.each([
    ['PUT', `${RELEASES}/2.0.0/notes`, 404, 'acme:lidar has no version 2.0.0'],
    ['GET', `${RELEASES}/2.0.0/notes`, 404, 'acme:lidar has no version 2.0.0'],
    [
      'PUT',
      '/v1/modules/acme/arm/releases/1.0.0/notes',
      404,
      'nothing was ever published for acme:arm',
    ],
    ['GET', '/v1/modules/acme/arm/releases/1.0.0/notes', 404, 'acme:arm has no version 1.0.0'],
    ['GET', `${RELEASES}/1.x/notes`, 400, '"1.x" is not a version'],
    ['DELETE', NOTES, 405, 'allowed: GET, PUT'],
  ])('%s %s is answered with %i', async (method, path, status, detail) => {
    const registry = await withRelease();
    const answer = await registry.ask(
      method,
      path,
      method === 'PUT' ? { body: { notes: 'x' } } : {},
    );
    expect([answer.status, Object(answer.json).detail]).toEqual([status, detail]);
  });

  it('need the scope publish of the namespace, and are read by all who read lists', async () => {
    const registry = await withRelease();
    const token = tokenFor(registry.catalogue, ['publish:other', 'yank'], 'other');
    const headers = { authorization: `Bearer ${token}` };
    const answer = await registry.ask('PUT', NOTES, { headers, body: { notes: 'x' } });
    expect([answer.status, Object(answer.json).detail]).toEqual([
      403,
      'the token t2 (other) does not have the scope publish:acme',
    ]);
    expect((await registry.ask('GET', NOTES, { headers: { authorization: '' } })).status).toBe(200);
  });

  it('move to a cluster with their releases', async () => {
    const from = await withRelease();
    from.catalogue.apply({ kind: 'notes', ...RELEASE, notes: '# Faster\n' });
    const to = testRegistry().catalogue;
    const rows = [...from.catalogue.log.rows()].filter(([table]) => table !== 'tokens');
    to.log.load({ sequence: 1, subject: 's', id: 'i', body: '{}' }, rows);
    expect(to.notes.of(LIDAR, RELEASE.version)).toBe('# Faster\n');
  });
});

import { describe, expect, it } from 'vitest';
import { APPROVER, AUTHOR, signed, trustOf } from '../support/signed.ts';
import { testRegistry } from './support/registry.ts';

const RELEASES = '/v1/modules/acme/lidar/releases';
const PLAIN = { version: '1.2.0', published_at: '2026-11-21T01:02:03Z' };
const ONE = signed('acme:lidar', PLAIN, AUTHOR);
const TWO = signed('acme:lidar', PLAIN, AUTHOR, APPROVER);

async function listed(registry: ReturnType<typeof testRegistry>): Promise<unknown> {
  const { json } = await registry.ask('GET', '/v1/modules/acme/lidar');
  const { generation, releases } = json as {
    readonly generation: number;
    readonly releases: readonly { readonly signatures?: object }[];
  };
  return [generation, releases[0]?.signatures];
}

describe('[D135] a registry', () => {
  it('stores signatures with a release, and adds those of a later publication', async () => {
    const registry = testRegistry();
    const steps: [object, number, string, number, object | undefined][] = [
      [PLAIN, 201, 'published', 1, undefined],
      [ONE, 200, 'signed', 2, ONE.signatures],
      [ONE, 200, 'unchanged', 2, ONE.signatures],
      [signed('acme:lidar', PLAIN, APPROVER), 200, 'signed', 3, TWO.signatures],
      [PLAIN, 200, 'unchanged', 3, TWO.signatures],
    ];
    for (const [body, status, result, generation, signatures] of steps) {
      const answer = await registry.ask('POST', RELEASES, { body });
      expect([answer.status, Object(answer.json).result]).toEqual([status, result]);
      expect(await listed(registry)).toEqual([generation, signatures]);
    }
    expect(registry.events.map(({ kind }) => kind)).toEqual(['published', 'signed', 'signed']);
  });

  it('refuses other content beside the same signatures, and a deprecation that was not stored', async () => {
    const registry = testRegistry();
    await registry.ask('POST', RELEASES, { body: ONE });
    for (const more of [{ artifacts: [] }, { deprecated: 'use 1.3' }, { floor: true }]) {
      const answer = await registry.ask('POST', RELEASES, { body: { ...TWO, ...more } });
      expect(answer.status).toBe(409);
    }
    expect(await listed(registry)).toEqual([1, ONE.signatures]);
  });

  it('adds signatures to a release that was deprecated since', async () => {
    const registry = testRegistry();
    await registry.ask('POST', RELEASES, { body: ONE });
    await registry.ask('PUT', `${RELEASES}/1.2.0/deprecation`, { body: { reason: 'old' } });
    const answer = await registry.ask('POST', RELEASES, { body: TWO });
    expect([answer.status, Object(answer.json).result]).toEqual([200, 'signed']);
    expect(await listed(registry)).toEqual([3, TWO.signatures]);
  });

  it.each<[unknown, string]>([
    ['x', '/signatures: expected signatures by the ids of their keys'],
    [['x'], '/signatures/0: expected the id of a key, 16 hexadecimal digits'],
    [{ ABC: 'x' }, '/signatures/ABC: expected the id of a key, 16 hexadecimal digits'],
    [
      { [AUTHOR.id]: 'x' },
      `/signatures/${AUTHOR.id}: expected the 64 bytes of a signature in base64`,
    ],
    [{ [AUTHOR.id]: 5 }, `/signatures/${AUTHOR.id}: expected text`],
    [
      Object.fromEntries(
        Array.from({ length: 17 }, (_, place) => [
          String(place).padStart(16, '0'),
          ONE.signatures[AUTHOR.id],
        ]),
      ),
      '/signatures: expected at most 16 signatures',
    ],
  ])('does not publish a release with the signatures %j', async (signatures, detail) => {
    const registry = testRegistry();
    const answer = await registry.ask('POST', RELEASES, { body: { ...PLAIN, signatures } });
    expect([answer.status, Object(answer.json).detail]).toEqual([422, detail]);
  });

  it('serves its trust documents, and takes a second first one from nobody', async () => {
    const registry = testRegistry();
    const { text } = trustOf();
    expect((await registry.ask('GET', '/v1/trust')).json).toEqual({ documents: [] });
    expect(registry.catalogue.trust.store(text)).toEqual({ ok: true, value: 'done' });
    expect(registry.catalogue.trust.store(trustOf([]).text).ok).toBe(false);
    expect((await registry.ask('GET', '/v1/trust')).json).toEqual({ documents: [text] });
  });
});

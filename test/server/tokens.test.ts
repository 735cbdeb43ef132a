import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { moduleId } from '../support/ask.ts';
import { testRegistry, type TestRegistry } from './support/registry.ts';
import { tokenFor } from '../support/token.ts';

const RELEASES = '/v1/modules/acme/lidar/releases';
const YANK = `${RELEASES}/1.0.0/yank`;
const ROLLOUT = '/v1/modules/acme/lidar/releases/1.0.0/rollout';
const MINUTE = 60_000;

/** The status, the detail and the challenge of the response to a request with `token`. */
async function asked(
  registry: TestRegistry,
  token: string,
  [method, path, body]: readonly [string, string, unknown?],
): Promise<unknown[]> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await registry.ask(method, path, { headers, body });
  return [
    answer.status,
    ...(answer.status < 400 ? [] : [Object(answer.json).detail]),
    ...(answer.headers.has('www-authenticate') ? [answer.headers.get('www-authenticate')] : []),
  ];
}

const PUBLISH = ['POST', RELEASES, { version: '1.1.0' }] as const;

function lacks(scope: string): unknown[] {
  return [
    403,
    `the token t2 (bot) does not have the scope ${scope}`,
    `Bearer realm="modreg", error="insufficient_scope", scope="${scope}"`,
  ];
}

describe('a request is answered by the scopes of its token', () => {
  it.each<[readonly string[], readonly [string, string, unknown?], unknown[]]>([
    [['publish'], PUBLISH, [201]],
    [['publish:acme'], PUBLISH, [201]],
    [['import:acme'], PUBLISH, [201]],
    [['publish:nimbus', 'yank'], PUBLISH, lacks('publish:acme')],
    [['trust', 'logs:read'], PUBLISH, lacks('publish:acme')],
    [['yank:acme'], ['PUT', YANK], [200]],
    [['yank'], ['DELETE', YANK], [200]],
    [['publish', 'import'], ['PUT', YANK], lacks('yank:acme')],
    [['yank:nimbus', 'trust'], ['DELETE', YANK], lacks('yank:acme')],
    [['publish', 'yank:acme'], ['POST', RELEASES, { version: '1.0.0', yanked: 'x' }], [200]],
    [['publish'], ['POST', RELEASES, { version: '1.1.0', yanked: 'x' }], [201]],
    [['publish'], ['POST', RELEASES, { version: '1.0.0' }], [200]],
    [['machine:rover', 'fleet:read', 'rollout'], PUBLISH, lacks('publish:acme')],
    [['machine:rover', 'fleet:read', 'rollout'], ['PUT', YANK], lacks('yank:acme')],
    [['wall'], PUBLISH, lacks('publish:acme')],
    [['wall'], ['GET', '/v1/fleet/machines'], lacks('fleet:read')],
    [
      ['machine:rover', 'fleet:read', 'yank', 'rollout:nimbus'],
      ['POST', ROLLOUT, { event: 'halt', after: 0 }],
      lacks('rollout:acme'),
    ],
    [['rollout'], ['POST', ROLLOUT, { event: 'start', soak_ms: 1 }], lacks('yank:acme')],
    [
      ['fleet:read', 'rollout', 'machine:rover-7'],
      ['POST', '/v1/machines/rover/reports', {}],
      lacks('machine:rover'),
    ],
    // The body of a refused request is not read.
    [['yank'], ['POST', RELEASES, '{'], lacks('publish:acme')],
    [
      ['publish:acme'],
      ['POST', '/v1/modules/a..b/lidar/releases', { version: '1.0.0' }],
      [400, '"a..b:lidar" is not a module id'],
    ],
  ])('%j: %j', async (scopes, request, expected) => {
    const registry = testRegistry();
    await registry.ask('POST', RELEASES, { body: { version: '1.0.0' } });
    const token = tokenFor(registry.catalogue, scopes, 'bot');
    expect(await asked(registry, token, request)).toEqual(expected);
  });
});

it('[T98] a token without the scope to yank cannot yank a release by publishing it again', async () => {
  const registry = testRegistry();
  await registry.ask('POST', RELEASES, { body: { version: '1.0.0' } });
  const [list, events] = [
    await registry.ask('GET', '/v1/modules/acme/lidar'),
    [...registry.events],
  ];
  for (const scope of ['publish', 'import']) {
    const token = tokenFor(registry.catalogue, [`${scope}:acme`, 'yank:nimbus'], scope);
    const headers = { authorization: `Bearer ${token}` };
    const body = { version: '1.0.0', yanked: 'x' };
    const { status, json } = await registry.ask('POST', RELEASES, { headers, body });
    expect([status, Object(json).detail]).toEqual([
      403,
      expect.stringMatching(/^the token t\d \(\w+\) does not have the scope yank:acme$/),
    ]);
  }
  const after = await registry.ask('GET', '/v1/modules/acme/lidar');
  expect(after.text).toBe(list.text);
  expect(registry.events.slice(events.length)).toMatchObject([
    { kind: 'refused', reason: 'missing-scope', tokenId: 't2' },
    { kind: 'refused', reason: 'missing-scope', tokenId: 't3' },
  ]);
  // A release that is yanked already stays as it is, so a mirror can publish its list again.
  registry.catalogue.yank(moduleId('acme:lidar'), '1.0.0', 'why');
  const token = tokenFor(registry.catalogue, ['publish'], 'mirror');
  const again = ['POST', RELEASES, { version: '1.0.0', yanked: 'x' }] as const;
  expect(await asked(registry, token, again)).toEqual([200]);
});

describe('a token that is no longer accepted', () => {
  it('has expired', async () => {
    const registry = testRegistry();
    const expiresAt = registry.now + MINUTE;
    const request = { name: 'bot', scopes: ['publish'], expiresAt };
    const created = registry.catalogue.createToken(request, registry.now);
    const token = created.ok ? created.value.token : '';
    registry.now = expiresAt - 1;
    expect(await asked(registry, token, PUBLISH)).toEqual([201]);
    registry.now = expiresAt;
    const lastUse = (): unknown => registry.catalogue.tokens()[1]?.lastUsedAt;
    expect(lastUse()).toBe(expiresAt - 1);
    const detail = 'the token t2 (bot) expired at 2026-11-21T01:03:03Z';
    expect(await asked(registry, token, PUBLISH)).toEqual([
      401,
      detail,
      `Bearer realm="modreg", error="invalid_token", error_description="${detail}"`,
    ]);
    // A refused token was not used.
    registry.now = expiresAt + MINUTE;
    await asked(registry, token, PUBLISH);
    expect(lastUse()).toBe(expiresAt - 1);
    // Its revocation is what counts then, since an operator wanted it.
    registry.catalogue.revokeToken('bot', registry.now);
    expect((await asked(registry, token, PUBLISH))[1]).toBe(
      'the token t2 (bot) was revoked at 2026-11-21T01:04:03Z',
    );
  });

  it('was revoked, by its id or its name', async () => {
    const registry = testRegistry();
    const { catalogue, now } = registry;
    const token = tokenFor(catalogue, ['publish'], 'bot');
    expect(catalogue.revokeToken('bot', now)).toBe('done');
    expect(catalogue.revokeToken('bot', now + 1)).toBe('unchanged');
    expect(catalogue.revokeToken('t2', now + 1)).toBe('unchanged');
    expect(catalogue.revokeToken('t9', now)).toBe('unknown-token');
    const detail = 'the token t2 (bot) was revoked at 2026-11-21T01:02:03Z';
    expect(await asked(registry, token, PUBLISH)).toEqual([
      401,
      detail,
      `Bearer realm="modreg", error="invalid_token", error_description="${detail}"`,
    ]);
    expect(await asked(registry, registry.token, PUBLISH)).toEqual([201]);
    expect(catalogue.revokeToken('t1', now)).toBe('done');
  });

  it('was revoked by its text, and never again at another time', () => {
    const { catalogue } = testRegistry();
    const token = tokenFor(catalogue, ['publish'], 'bot');
    expect(catalogue.revokeToken(`${token}x`, 1)).toBe('unknown-token');
    expect(catalogue.revokeToken(token, 2)).toBe('done');
    expect(catalogue.revokeToken(token, 3)).toBe('unchanged');
    expect(catalogue.tokens().map(({ revokedAt }) => revokedAt)).toEqual([undefined, 2]);
  });

  it('is named without its text, and so is a missing or unknown one', async () => {
    const registry = testRegistry();
    expect(await asked(registry, 'modreg_x', PUBLISH)).toEqual([
      401,
      'this registry did not create the token',
      'Bearer realm="modreg", error="invalid_token", error_description="this registry did not create the token"',
    ]);
    expect(await asked(registry, '', PUBLISH)).toEqual([
      401,
      'the request has no bearer token',
      'Bearer realm="modreg"',
    ]);
  });
});

it('logs each refused request for a change, without the text of a token', async () => {
  const registry = testRegistry();
  const token = tokenFor(registry.catalogue, ['yank'], 'bot');
  const path = `/v1/modules/acme/${token}/releases/${token}-and_more/yank`;
  await asked(registry, token, PUBLISH);
  await asked(registry, token, ['PUT', path]);
  await asked(registry, 'modreg_x', PUBLISH);
  await asked(registry, registry.token, ['POST', RELEASES, { version: 1 }]);
  registry.catalogue.revokeToken('bot', registry.now);
  await asked(registry, token, PUBLISH);
  await registry.ask('GET', '/v1/modules/acme/arm');
  const post = { kind: 'refused', method: 'POST', path: RELEASES, peer: undefined };
  expect(registry.events).toEqual([
    { ...post, reason: 'missing-scope', status: 403, tokenId: 't2' },
    {
      ...post,
      method: 'PUT',
      path: '/v1/modules/acme/[token]/releases/[token]/yank',
      status: 400,
      tokenId: 't2',
    },
    { ...post, reason: 'unknown-token', status: 401 },
    { ...post, status: 422, tokenId: 't1' },
    { ...post, reason: 'revoked-token', status: 401, tokenId: 't2' },
  ]);
});

describe('creating a token', () => {
  it.each<[object, string]>([
    [
      { name: '' },
      `"" is not a token's name, expected up to 63 letters, digits, ".", "_" and "-", beginning with a letter or a digit`,
    ],
    [
      { name: 'a b' },
      `"a b" is not a token's name, expected up to 63 letters, digits, ".", "_" and "-", beginning with a letter or a digit`,
    ],
    [
      { name: 'x'.repeat(64) },
      `"${'x'.repeat(64)}" is not a token's name, expected up to 63 letters, digits, ".", "_" and "-", beginning with a letter or a digit`,
    ],
    [{ name: 't7' }, `the name "t7" has the form of a token's id`],
    [{ name: 't999999999' }, `the name "t999999999" has the form of a token's id`],
    [{ name: 'ci' }, 'the token t1 is called "ci": choose another name, or revoke it first'],
    [
      { scopes: [] },
      'no scope is named, expected publish, yank, rollout or import, each with or without :<namespace>, outcomes:<namespace>, machine:<id>, group:<group>, fleet:read, wall, config, commands, trust, or logs:read',
    ],
    [
      { scopes: ['publish', 'admin'] },
      '"admin" is not a scope, expected publish, yank, rollout or import, each with or without :<namespace>, outcomes:<namespace>, machine:<id>, group:<group>, fleet:read, wall, config, commands, trust, or logs:read',
    ],
    [{ expiresAt: 1000 }, 'the token would have expired already'],
    [{ expiresAt: 1e20 }, 'the token would have expired already'],
    [{ expiresAt: Number.NaN }, 'the token would have expired already'],
  ])('is refused with %j', (fields, error) => {
    const { catalogue } = testRegistry();
    const request = { name: 'bot', scopes: ['publish'], ...fields };
    expect(catalogue.createToken(request, 1000)).toEqual({ ok: false, error });
    expect(catalogue.tokens()).toHaveLength(1);
  });

  it.each(['x'.repeat(63), 't0', 't07', 't1234567890', 'T7', '7', 'ci.build_2-a'])(
    'may have the name %s, by which it is revoked',
    (name) => {
      const { catalogue } = testRegistry();
      tokenFor(catalogue, ['publish'], name);
      expect(catalogue.revokeToken(name, 5)).toBe('done');
      expect(catalogue.tokens().map(({ revokedAt }) => revokedAt)).toEqual([undefined, 5]);
    },
  );

  it('gives each token another id, and the name of a revoked one may be used again', () => {
    const { catalogue } = testRegistry();
    catalogue.revokeToken('ci', 5);
    tokenFor(catalogue, ['publish', 'publish', 'machine:rover'], 'ci');
    const times = { createdAt: 0, expiresAt: undefined, lastUsedAt: undefined };
    expect(catalogue.tokens()).toEqual([
      { id: 't1', name: 'ci', scopes: ['publish', 'yank'], ...times, revokedAt: 5 },
      { id: 't2', name: 'ci', scopes: ['publish', 'machine:rover'], ...times },
    ]);
    expect(catalogue.revokeToken('ci', 6)).toBe('done');
    expect(catalogue.tokens().map(({ revokedAt }) => revokedAt)).toEqual([5, 6]);
  });
});

it('a scope that this modreg does not know allows nothing', async () => {
  const registry = testRegistry();
  const token = tokenFor(registry.catalogue, ['yank'], 'bot');
  const database = new DatabaseSync(registry.path);
  database.exec("UPDATE tokens SET scopes = 'publish:acme:lidar yank audit' WHERE id = 2");
  database.close();
  expect(registry.catalogue.tokens()[1]?.scopes).toEqual(['yank']);
  expect(await asked(registry, token, PUBLISH)).toEqual(lacks('publish:acme'));
});

it('a release that is yanked by publishing it again is logged as yanked', async () => {
  const registry = testRegistry();
  for (const yanked of [null, 'x', 'x']) {
    await registry.ask('POST', RELEASES, { body: { version: '1.0.0', yanked } });
  }
  expect(registry.events.map(({ kind }) => kind)).toEqual(['published', 'yanked']);
});

import { describe, expect, it } from 'vitest';
import { secret } from '../../src/core/index.ts';
import type { Answer } from '../../mocks/network.ts';
import { answers, document, HOST, json, status, text } from '../../mocks/scripted-registry.ts';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';

const asked = answers();
const PATH = '/v1/modules/acme/lidar';
const WHERE = `the registry ${HOST}`;
const UNLIKE_A_REGISTRY = `${WHERE} does not respond like a registry`;
const NOT_A_REGISTRY = `not-a-registry: ${UNLIKE_A_REGISTRY}`;
const DENIED = `registry-refused: ${WHERE} denies access without a token`;

/** The outcome of responses that arrive when a list is known, and the requests. */
async function afterKnown(
  ...next: readonly [Answer, ...Answer[]]
): Promise<{ outcome: string; requests: string[]; sleeps: readonly number[] }> {
  const machine = remembered(HOST);
  asked.next(document(['1.2.3', '1.2.4']));
  await machine.registry.read(LIDAR);
  const before = machine.saved();
  asked.requests.length = 0;
  asked.next(...next);
  const outcome = await outcomeOf(machine.registry.read(LIDAR));
  expect(machine.saved()).toBe(before);
  return { outcome, requests: [...asked.requests], sleeps: machine.clock.sleeps };
}

it('[D21] reads a list, then sends its entity tag with the next request', async () => {
  const machine = remembered(HOST);
  asked.next(document(['1.2.3']), status(304), document(['1.2.3', '1.2.4'], { generation: 58 }));
  expect(await outcomeOf(machine.registry.read(LIDAR))).toBe('1.2.3');
  machine.clock.advance(1000);
  const again = await machine.restarted().read(LIDAR);
  expect(again).toMatchObject({ source: 'network', from: HOST, fetchedAt: machine.clock.now() });
  expect(await outcomeOf(machine.registry.read(LIDAR))).toBe('1.2.3 1.2.4');
  expect(asked.requests).toEqual([PATH, `${PATH} known "57"`, `${PATH} known "57"`]);
});

describe('uses the saved list if the response is not a list', () => {
  const once = [`${PATH} known "57"`];
  const thrice = [...once, ...once, ...once];
  it.each<[string, Answer, string, readonly string[]]>([
    ['[T20] 401', status(401), `${DENIED} (401)`, once],
    ['[T20] 403', status(403), `${DENIED} (403)`, once],
    ['[T21] 404', status(404), `unknown-module: ${WHERE} has no module acme:lidar`, once],
    ['410', status(410), `${NOT_A_REGISTRY}: got 410`, once],
    ['[T22] 429', status(429), `registry-busy: ${WHERE} is busy or failing (429)`, thrice],
    ['[T22] 503', status(503), `registry-busy: ${WHERE} is busy or failing (503)`, thrice],
    ['500', status(500), `registry-busy: ${WHERE} is busy or failing (500)`, thrice],
    [
      '[T23] the sign-in page of a captive portal',
      text('<!doctype html>', 'text/html'),
      `${NOT_A_REGISTRY}: got text/html`,
      once,
    ],
    [
      '[T23] an empty body',
      text('', 'application/json'),
      `${NOT_A_REGISTRY}: it is not JSON: it ends too early`,
      once,
    ],
    [
      '[T23] no body and no content type',
      () => new Response(null),
      `${NOT_A_REGISTRY}: got no content-type`,
      once,
    ],
    ['[T23] 204', status(204), `${NOT_A_REGISTRY}: got 204`, once],
    ['[T23] text/plain', text('{}', 'text/plain'), `${NOT_A_REGISTRY}: got text/plain`, once],
    ['[T23] null', json(null), `${NOT_A_REGISTRY}: found null, expected an object`, once],
    ['[T23] []', json([]), `${NOT_A_REGISTRY}: found a list, expected an object`, once],
    ['[T23] "x"', json('x'), `${NOT_A_REGISTRY}: found "x", expected an object`, once],
    ['[T23] {}', json({}), `${NOT_A_REGISTRY}: /module_id is missing`, once],
    [
      'a list without a generation',
      document([], { generation: undefined }),
      `${NOT_A_REGISTRY}: /generation is missing`,
      once,
    ],
    [
      'a list without a count',
      document([], { count: undefined }),
      `${NOT_A_REGISTRY}: /count is missing`,
      once,
    ],
    [
      'a negative generation',
      document([], { generation: -1 }),
      `${NOT_A_REGISTRY}: /generation is the number -1, expected a whole number`,
      once,
    ],
    [
      'the list of another module',
      document(['9.9.9'], { module_id: 'acme:arm' }),
      `${NOT_A_REGISTRY}: /module_id is "acme:arm", expected "acme:lidar"`,
      once,
    ],
    [
      'a terminal control sequence in the content type',
      text('', 'text/\u009b2J'),
      String.raw`${NOT_A_REGISTRY}: got text/\u{9b}2J`,
      once,
    ],
    [
      'no network',
      () => Response.error(),
      `registry-unreachable: ${WHERE} cannot be reached (the connection broke)`,
      thrice,
    ],
    [
      '[T41] a redirect without a location',
      status(302),
      `bad-redirect: ${WHERE} redirects without a usable location`,
      once,
    ],
    [
      '[T41] a redirect to another origin',
      status(302, { location: 'https://evil.example/' }),
      `bad-redirect: ${WHERE} redirects to https://evil.example, which is another origin`,
      once,
    ],
    [
      '[T41] a redirect to http',
      status(307, { location: 'http://registry.example/' }),
      `bad-redirect: ${WHERE} redirects to http://registry.example, which is another origin`,
      once,
    ],
    [
      '[T41] a redirect to a metadata address',
      status(302, { location: 'http://169.254.169.254/latest/' }),
      `bad-redirect: ${WHERE} redirects to http://169.254.169.254, which is another origin`,
      once,
    ],
    [
      '[T41] a redirect to a script',
      status(302, { location: 'data:application/json,{}' }),
      `bad-redirect: ${WHERE} redirects to data:, which is another origin`,
      once,
    ],
    [
      '[T41] a redirect to a blob of its own origin',
      status(302, { location: `blob:${HOST}/x` }),
      `bad-redirect: ${WHERE} redirects to blob:, which is another origin`,
      once,
    ],
    [
      '[T41] a redirect with a password alone',
      status(302, { location: 'https://:secret@registry.example/' }),
      `bad-redirect: ${WHERE} redirects to an address with user info`,
      once,
    ],
    ['425', status(425), `registry-busy: ${WHERE} is busy or failing (425)`, thrice],
    ['408', status(408), `registry-busy: ${WHERE} is busy or failing (408)`, thrice],
    [
      '[T41] a redirect with user info',
      status(302, { location: `https://me:secret@registry.example/` }),
      `bad-redirect: ${WHERE} redirects to an address with user info`,
      once,
    ],
    [
      '[T41] a redirect to itself',
      status(302, { location: PATH }),
      `bad-redirect: ${WHERE} redirects more than 3 times`,
      [...once, ...thrice],
    ],
  ])('%s', async (_, answer, error, requests) => {
    const found = await afterKnown(answer);
    expect([found.outcome, found.requests]).toEqual([`stale, ${error}`, requests]);
  });
});

describe('[D22] refuses a list that went backwards, and keeps the saved one', () => {
  const what = `the list of acme:lidar at ${HOST} went backwards`;
  it.each<[string, Answer, string]>([
    [
      '[T24] fewer releases than its count',
      document(['1.2.3'], { count: 40 }),
      `registry-regressed: ${WHERE} sent a list that is cut short: /count is 40, but /releases has a length of 1`,
    ],
    [
      '[T25] a lower generation',
      document(['1.2.3', '1.2.4', '1.2.5'], { generation: 41 }),
      `registry-regressed: ${what}: generation 41, after 57`,
    ],
    [
      '[T26] the same generation with different content',
      json(
        { module_id: 'acme:lidar', generation: 57, count: 1, releases: [{ version: '1.2.5' }] },
        { etag: '"other"' },
      ),
      `registry-regressed: ${what}: generation 57 again, with different content`,
    ],
  ])('%s', async (_, answer, error) => {
    const { outcome, requests } = await afterKnown(answer);
    expect([outcome, requests]).toEqual([error, [`${PATH} known "57"`]]);
  });
});

describe('[T44] entity tags', () => {
  it('refuses a 304 to a request without an entity tag, after one more request', async () => {
    const { registry, saved } = remembered(HOST);
    asked.next(status(304));
    const outcome = await outcomeOf(registry.read(LIDAR));
    expect(outcome).toBe(`${NOT_A_REGISTRY}: got 304 to a request without an entity tag`);
    expect([saved(), asked.requests]).toEqual(['[]', [PATH, PATH]]);
  });

  it('discards one that two different lists have', async () => {
    const { registry } = remembered(HOST);
    const etag = { etag: '"same"' };
    const next = { module_id: 'acme:lidar', generation: 2, count: 0, releases: [] };
    asked.next(json({ ...next, generation: 1 }, etag), json(next, etag));
    await registry.read(LIDAR);
    await registry.read(LIDAR);
    await registry.read(LIDAR);
    expect(asked.requests).toEqual([PATH, `${PATH} known "same"`, PATH, PATH]);
  });

  it.each([
    ['sends a weak one', 'W/"7"', [PATH, `${PATH} known W/"7"`]],
    ['does not send a very long one', `"${'x'.repeat(300)}"`, [PATH, PATH]],
    ['does not send one without quotation marks', 'x', [PATH, PATH]],
    [
      'sends one of 200 characters',
      `"${'x'.repeat(200)}"`,
      [PATH, `${PATH} known "${'x'.repeat(200)}"`],
    ],
    ['does not send one of 201 characters', `"${'x'.repeat(201)}"`, [PATH, PATH]],
    ['does not send one with a space', '"a b"', [PATH, PATH]],
  ])('%s', async (_, etag, requests) => {
    const { registry } = remembered(HOST);
    asked.next(json({ module_id: 'acme:lidar', generation: 1, count: 0, releases: [] }, { etag }));
    await registry.read(LIDAR);
    await registry.read(LIDAR);
    expect(asked.requests).toEqual(requests);
  });
});

const LOOK = `look at what answers there: curl -i ${HOST}${PATH}`;

describe('a token', () => {
  it('is sent to the registry, and after a redirect to the same origin', async () => {
    const { registry } = remembered(HOST, { token: () => secret('s3cret') });
    asked.next(status(308, { location: '/elsewhere' }), document([]));
    expect(await outcomeOf(registry.read(LIDAR))).toBe('');
    expect(asked.requests).toEqual([`${PATH} Bearer s3cret`, '/elsewhere Bearer s3cret']);
  });

  it.each([
    ['a content type', text('', 'text/s3cret'), `${UNLIKE_A_REGISTRY}: got text/[token]`, LOOK],
    [
      'the list',
      json({ module_id: 's3cret', generation: 1, count: 0, releases: [] }),
      `${UNLIKE_A_REGISTRY}: /module_id is "[token]", expected "acme:lidar"`,
      LOOK,
    ],
    [
      'the content type of a 404',
      status(404, { 'content-type': 'text/s3cret' }),
      `${WHERE} has no module acme:lidar`,
      `the response of ${HOST}${PATH} is "text/[token]", not JSON: is there a registry at this address?`,
    ],
  ])(
    '[T64] is hidden in errors if the registry repeats it in %s',
    async (_, answer, message, hint) => {
      const { registry } = remembered(HOST, { token: () => secret('s3cret') });
      asked.next(answer);
      await expect(registry.read(LIDAR)).rejects.toMatchObject({ message, hint });
    },
  );

  it.each(['two words', 'é', 'one\nline', ''])(
    '[T64] is not sent if a header cannot contain it: %j',
    async (token) => {
      const { registry } = remembered(HOST, { token: () => secret(token) });
      expect(await outcomeOf(registry.read(LIDAR))).toBe(
        `registry-refused: ${WHERE} was not contacted: its token is not printable ASCII without spaces`,
      );
      expect(asked.requests).toEqual([]);
    },
  );

  it('[T64] does not appear in an error', async () => {
    const { registry } = remembered(HOST, { token: () => secret('s3cret') });
    asked.next(status(401));
    const error: unknown = await registry.read(LIDAR).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      message: `${WHERE} denies access with the token that was sent (401)`,
    });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('s3cret');
  });
});

import { describe, expect, it } from 'vitest';
import type { Answer } from '../../mocks/network.ts';
import { ociRegistry, withTokenServer } from '../../mocks/oci-registry.ts';
import { answers, HOST } from '../../mocks/scripted-registry.ts';
import { secret, type Secret } from '../../src/core/index.ts';
import { RegistryError } from '../../src/registries/index.ts';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';

const asked = answers();
const WHERE = `the registry oci:${HOST}`;
const PAGES = ['/v2/acme/lidar/tags/list?n=1000', '/v2/acme/lidar/tags/list?n=1000&last=1.999.0'];
const TAGS = ociRegistry({
  'acme/lidar': Array.from({ length: 1000 }, (_, minor) => `1.${minor}.0`),
});
const PAIR = 'bob:pass-word';

function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function given(text: string): { readonly token: () => Secret } {
  return { token: () => secret(text) };
}

/** A registry that takes `PAIR`, and asks everybody else for it. */
const locked: Answer = async (request) =>
  request.headers.get('authorization') === basic(PAIR)
    ? await TAGS(request)
    : new Response(null, { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } });

describe('[T503] a registry that asked for a user and a password', () => {
  it('gets them unasked from then on: 1,000 unchanged tags take two requests', async () => {
    asked.next(locked);
    const { registry } = remembered(`oci:${HOST}`, given(PAIR));
    const [first = '', second = ''] = PAGES;
    await registry.read(LIDAR);
    expect(asked.requests).toEqual([first, `${first} ${basic(PAIR)}`, `${second} ${basic(PAIR)}`]);
    asked.requests.length = 0;
    await registry.read(LIDAR);
    expect(asked.requests).toEqual(PAGES.map((page) => `${page} ${basic(PAIR)}`));
  });

  it('gets others only after it has asked again', async () => {
    let pair = PAIR;
    asked.next(locked);
    const { registry } = remembered(`oci:${HOST}`, { token: () => secret(pair) });
    await registry.read(LIDAR);
    asked.requests.length = 0;
    pair = 'eve:pass-word';
    await registry.read(LIDAR);
    expect(asked.requests).toEqual([PAGES[0], `${PAGES[0]} ${basic(pair)}`]);
  });

  it('is asked once if it no longer takes them', async () => {
    asked.next(locked);
    const { registry } = remembered(`oci:${HOST}`, given(PAIR));
    await registry.read(LIDAR);
    asked.requests.length = 0;
    asked.next(
      () => new Response(null, { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } }),
    );
    await registry.read(LIDAR);
    expect(asked.requests).toEqual([`${PAGES[0]} ${basic(PAIR)}`]);
  });
});

/** The error of a read, and its hint. */
async function refusal(answer: Answer, token?: string): Promise<readonly (string | undefined)[]> {
  asked.next(answer);
  const options = token === undefined ? {} : given(token);
  const { registry } = remembered(`oci:${HOST}`, options);
  try {
    return [await outcomeOf(Promise.resolve(await registry.read(LIDAR)))];
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return [`${error.kind}: ${error.message}`, error.hint];
  }
}

function refuses(status: number, challenge?: string): Answer {
  const headers = challenge === undefined ? undefined : { 'www-authenticate': challenge };
  return () => new Response(null, { status, ...(headers && { headers }) });
}

const ASKS_PAIR = 'takes a user and a password: write <user>:<password> in place of the token';

describe('[T502] the error of a registry that denies access says what was sent, and what it asks for', () => {
  it.each<readonly [string, string | undefined, Answer, string, string | undefined]>([
    ['nothing', undefined, refuses(401), 'without a token (401)', undefined],
    [
      'nothing, and Basic',
      undefined,
      refuses(401, 'Basic realm="x"'),
      'without a token (401)',
      undefined,
    ],
    [
      'a password that it did not ask for',
      PAIR,
      refuses(401),
      'without the user and the password, which it did not ask for (401)',
      undefined,
    ],
    [
      'a password that does not matter',
      PAIR,
      refuses(403),
      'without the user and the password, which it did not ask for (403)',
      undefined,
    ],
    [
      'another password',
      'eve:pass-word',
      locked,
      'with the user and the password that were sent (401)',
      undefined,
    ],
    [
      'a token, and Basic',
      'plain',
      refuses(401, 'Basic realm="x"'),
      'with the token that was sent (401)',
      `it ${ASKS_PAIR}`,
    ],
    [
      'a token, and a token server',
      'plain',
      refuses(401, 'Bearer realm="https://registry.example/token",service="x"'),
      'with the token that was sent (401)',
      `its token server ${ASKS_PAIR}`,
    ],
    [
      'a token, and no server',
      'plain',
      refuses(401, 'Bearer realm="x"'),
      'with the token that was sent (401)',
      undefined,
    ],
    [
      'a token of its token server',
      undefined,
      withTokenServer(refuses(403)),
      'with the token that its token server gave (403)',
      undefined,
    ],
  ])('%s', async (...[, token, answer, sent, hint]) => {
    const message = `registry-refused: ${WHERE} denies access ${sent}`;
    expect(await refusal(answer, token)).toEqual([message, hint]);
  });

  it('a hint for what the token server sends names its address', async () => {
    const page = new Response('<html>', { headers: { 'content-type': 'text/html' } });
    const answer: Answer = async (request) =>
      request.url.includes('/token?') ? page : await withTokenServer(TAGS)(request);
    expect(await refusal(answer)).toEqual([
      `not-a-registry: the token server ${HOST}/token of ${WHERE} does not respond like a registry: got text/html`,
      `look at what answers there: curl -i ${HOST}/token`,
    ]);
  });
});

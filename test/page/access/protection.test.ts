import { describe, expect, it } from 'vitest';
import { PAGE_LAYOUT } from '../../../src/page/access/page-layout.ts';
import { openDatabase } from '../../../src/sqlite/database.ts';
import { NOW, protectedPage, type ProtectedPage } from '../support/protected-page.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };
const HOUR = 3_600_000;
/** What needs no session. */
const OPEN = ['GET /sign-in', 'POST /sign-in', 'POST /v1/sign-in', 'GET /assets/page.js'];
const OWN = { 'sec-fetch-site': 'same-origin' };

function own(host: string): string {
  return `http://${host}`;
}

/** The status and the problem type of a response. */
async function outcomeOf(response: Response): Promise<string> {
  const isProblem = response.headers.get('content-type') === 'application/problem+json';
  const { type } = (isProblem ? await response.json() : {}) as { readonly type?: string };
  return `${response.status} ${type ?? response.headers.get('location') ?? 'ok'}`;
}

function cookie(token: string): { readonly cookie: string } {
  return { cookie: `__Host-modreg-page=${token}` };
}

function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

describe('a host name (T124)', () => {
  it.for([
    ['the own one', (name: string) => name, '200 ok'],
    ['without a port', (name: string) => name.replace(':4890', ''), '200 ok'],
    ['another port, as of a tunnel', (name: string) => name.replace('4890', '9'), '200 ok'],
    ['in upper case', (name: string) => name.toUpperCase(), '200 ok'],
    ['localhost', () => 'localhost:4890', '421 urn:modreg:unknown-host'],
    ['the address', () => '127.0.0.1:4890', '421 urn:modreg:unknown-host'],
    ['a foreign one', () => 'evil.example', '421 urn:modreg:unknown-host'],
    ['a name below it', (name: string) => `a.${name}`, '421 urn:modreg:unknown-host'],
    ['it in a longer one', (name: string) => `${name}.evil.example`, '421 urn:modreg:unknown-host'],
    ['two ports', (name: string) => `${name}:1`, '421 urn:modreg:unknown-host'],
    ['a user before it', (name: string) => `x@${name}`, '421 urn:modreg:unknown-host'],
    ['none', () => '', '421 urn:modreg:unknown-host'],
  ] as const)('that is %s', async ([, hostOf, expected]) => {
    const page = protectedPage();
    const headers = { host: hostOf(page.host), ...cookie(page.signIn()) };
    expect(await outcomeOf(await page.ask('GET /', headers))).toBe(expected);
  });

  it('that is foreign does not reach the sign-in or the assets', async () => {
    const page = protectedPage();
    const code = page.file.newCode(NOW);
    for (const request of OPEN) {
      const answer = await page.ask(
        request,
        { host: 'evil.example', ...OWN },
        request.startsWith('POST') ? `code=${code}` : undefined,
      );
      expect(await outcomeOf(answer)).toBe('421 urn:modreg:unknown-host');
    }
    expect(page.events).toEqual([]);
  });
});

describe('a request without a session (T126)', () => {
  it.for([
    ['GET /', { accept: 'text/html,*/*' }, '303 /sign-in'],
    ['GET /unknown', { accept: 'text/html' }, '303 /sign-in?to=%2Funknown'],
    ['POST /v1/changes', { accept: 'text/html', ...OWN }, '303 /sign-in'],
    ['GET /', {}, '401 urn:modreg:no-session'],
    ['GET /v1/changes', { accept: 'application/json' }, '401 urn:modreg:no-session'],
    ['OPTIONS /v1/changes', {}, '401 urn:modreg:no-session'],
    ['PUT /v1/changes', OWN, '401 urn:modreg:no-session'],
    ['GET /v1/changes', cookie('x'), '401 urn:modreg:unknown-session'],
    ['GET /', { accept: 'text/html', ...cookie('x') }, '303 /sign-in'],
    ['GET /v1/changes', bearer('x'), '401 urn:modreg:unknown-session'],
    ['GET /', { accept: 'text/html', ...bearer('x') }, '401 urn:modreg:unknown-session'],
    ['GET /assets/page.js', {}, '200 ok'],
    ['POST /assets/page.js', {}, '403 urn:modreg:foreign-origin'],
    ['GET /sign-in', {}, '200 ok'],
  ] as const)('%s %o: %s', async ([request, headers, expected]) => {
    expect(await outcomeOf(await protectedPage().ask(request, headers))).toBe(expected);
  });

  it('is told how to sign in', async () => {
    const answer = await protectedPage().ask('GET /v1/changes');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="modreg page"');
    expect(await answer.json()).toEqual({
      type: 'urn:modreg:no-session',
      title: 'You are not signed in',
      status: 401,
      detail: 'sign in at /sign-in, or send the token of a session: Authorization: Bearer <token>',
    });
  });

  it('is one whose token is wrong, even if its cookie is right', async () => {
    const page = protectedPage();
    const headers = { ...bearer('x'), ...cookie(page.signIn()) };
    expect((await page.ask('GET /', headers)).status).toBe(401);
  });
});

it('a request with a session makes it last for twelve hours more (T126)', async () => {
  const { file, ask } = protectedPage();
  const signedInAt = NOW - 11 * HOUR;
  const token = file.signIn(file.newCode(signedInAt), signedInAt) ?? '';
  expect((await ask('GET /', cookie(token))).status).toBe(200);
  expect(file.session(token, NOW + 12 * HOUR)).toStrictEqual({ account: undefined });
});

describe('a change by a session (T125)', () => {
  it.for([
    ['POST', () => ({ 'sec-fetch-site': 'same-origin' }), '200 ok'],
    ['POST', (host: string) => ({ origin: own(host) }), '200 ok'],
    ['POST', () => ({}), '403 urn:modreg:foreign-origin'],
    ['PUT', () => ({}), '403 urn:modreg:foreign-origin'],
    ['DELETE', () => ({}), '403 urn:modreg:foreign-origin'],
    ['PATCH', () => ({}), '403 urn:modreg:foreign-origin'],
    ['POST', () => ({ 'sec-fetch-site': 'cross-site' }), '403 urn:modreg:foreign-origin'],
    ['POST', () => ({ 'sec-fetch-site': 'same-site' }), '403 urn:modreg:foreign-origin'],
    ['POST', () => ({ 'sec-fetch-site': 'none' }), '403 urn:modreg:foreign-origin'],
    [
      'POST',
      (host: string) => ({ 'sec-fetch-site': 'cross-site', origin: own(host) }),
      '403 urn:modreg:foreign-origin',
    ],
    ['POST', () => ({ origin: 'null' }), '403 urn:modreg:foreign-origin'],
    ['POST', () => ({ origin: 'http://evil.example' }), '403 urn:modreg:foreign-origin'],
    ['POST', (host: string) => ({ origin: `https://${host}` }), '403 urn:modreg:foreign-origin'],
    ['POST', (host: string) => ({ origin: `${own(host)}1` }), '403 urn:modreg:foreign-origin'],
    ['GET', () => ({ 'sec-fetch-site': 'cross-site' }), '200 ok'],
  ] as const)('%s with %o', async ([method, headersOf, expected]) => {
    const page = protectedPage();
    const headers = { ...cookie(page.signIn()), ...JSON_TYPE, ...headersOf(page.host) };
    expect(await outcomeOf(await page.ask(`${method} /v1/changes`, headers))).toBe(expected);
  });

  it('needs no origin if it has the token as a bearer', async () => {
    const page = protectedPage();
    const answer = await page.ask('POST /v1/changes', bearer(page.signIn()));
    expect(await answer.json()).toEqual({ method: 'POST' });
  });

  it('needs an origin with https: over TLS', async () => {
    const page = protectedPage({ isTls: true });
    const statuses = ['http', 'https'].map(async (scheme) => {
      const headers = { ...cookie(page.signIn()), origin: `${scheme}://${page.host}` };
      return (await page.ask('POST /v1/changes', headers)).status;
    });
    expect(await Promise.all(statuses)).toEqual([403, 200]);
  });
});

describe('signing in', () => {
  async function post(page: ProtectedPage, code: string, headers: object = OWN): Promise<Response> {
    return await page.ask('POST /sign-in', { ...FORM, ...headers }, `code=${code}`);
  }

  it('with the form gives a cookie that only this host gets, and no script reads', async () => {
    const page = protectedPage();
    const answer = await post(page, page.file.newCode(NOW));
    expect(await outcomeOf(answer)).toBe('303 /');
    const set = answer.headers.get('set-cookie') ?? '';
    expect(set).toMatch(
      /^__Host-modreg-page=[\w-]{43}; Max-Age=604800; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
    );
    const home = await page.ask('GET /', { cookie: set.split(';')[0] ?? '' });
    expect(await home.text()).toBe('the machine');
    expect(page.events).toEqual(['signed-in']);
  });

  it('with a wrong, a used or no code shows the form again, with the same problem (T127)', async () => {
    const page = protectedPage();
    const used = page.file.newCode(NOW);
    await post(page, used);
    for (const code of [used, 'x', '', 'x'.repeat(5000)]) {
      const answer = await post(page, code);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('set-cookie')).toBe(null);
      expect(await answer.text()).toBe(
        'sign-in to /: the code is wrong, was used, or has expired: modreg page sign-in makes another one',
      );
    }
    expect(page.events).toEqual(['signed-in', ...Array.from({ length: 4 }, () => 'code-refused')]);
  });

  it.for([
    ['POST /sign-in', FORM, {}],
    ['POST /sign-in', FORM, { 'sec-fetch-site': 'cross-site' }],
    ['POST /v1/sign-in', JSON_TYPE, { 'sec-fetch-site': 'cross-site' }],
    ['POST /v1/sign-in', JSON_TYPE, { origin: 'http://evil.example' }],
    ['POST /sign-out', FORM, { 'sec-fetch-site': 'cross-site' }],
    ['POST /v1/sign-out', FORM, {}],
  ] as const)(
    'or out by another site is refused, and is no failure: %s %o %o (T125)',
    async ([request, type, from]) => {
      const page = protectedPage();
      const token = page.signIn();
      const answer = await page.ask(request, { ...type, ...from, ...cookie(token) }, 'code=x');
      expect(await outcomeOf(answer)).toBe('403 urn:modreg:foreign-origin');
      expect(page.events).toEqual([]);
      expect(page.file.session(token, NOW)).toStrictEqual({ account: undefined });
    },
  );

  it('as a program gives the token of a session', async () => {
    const page = protectedPage();
    const body = JSON.stringify({ code: page.file.newCode(NOW) });
    const answer = await page.ask('POST /v1/sign-in', JSON_TYPE, body);
    const document = (await answer.json()) as { readonly token: string };
    expect(document).toEqual({
      token: expect.stringMatching(/^[\w-]{43}$/) as string,
      expires_at: '2025-12-01T16:00:00Z',
    });
    expect(answer.headers.get('set-cookie')).toBe(null);
    expect((await page.ask('PUT /v1/changes', bearer(document.token))).status).toBe(200);
    expect((await page.ask('POST /v1/sign-out', bearer(document.token))).status).toBe(204);
    expect((await page.ask('PUT /v1/changes', bearer(document.token))).status).toBe(401);
    expect(page.events).toEqual(['signed-in', 'signed-out']);
  });

  it.each([
    ['{"code":"x"}', '401 urn:modreg:bad-code'],
    ['{"code":1}', '400 urn:modreg:bad-request'],
    ['{}', '400 urn:modreg:bad-request'],
    ['null', '400 urn:modreg:bad-request'],
    ['{', '400 urn:modreg:bad-request'],
    [`{"code":"${'x'.repeat(4096)}"}`, '400 urn:modreg:bad-request'],
  ])('as a program with %s', async (body, expected) => {
    const answer = await protectedPage().ask('POST /v1/sign-in', JSON_TYPE, body);
    expect(await outcomeOf(answer)).toBe(expected);
  });

  it('as a program needs application/json, which no form sends', async () => {
    const answer = await protectedPage().ask('POST /v1/sign-in', FORM, '{"code":"x"}');
    expect(await outcomeOf(answer)).toBe('400 urn:modreg:bad-request');
  });

  it('out ends the session and removes the cookie', async () => {
    const page = protectedPage();
    const token = page.signIn();
    const answer = await page.ask('POST /sign-out', { ...OWN, ...cookie(token) });
    expect(await outcomeOf(answer)).toBe('303 /sign-in');
    expect(answer.headers.get('set-cookie')).toBe(
      '__Host-modreg-page=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Strict',
    );
    expect((await page.ask('GET /', cookie(token))).status).toBe(401);
  });

  it('while another process has the file locked is answered with 503 (T129)', async () => {
    const page = protectedPage();
    const code = page.file.newCode(NOW);
    const other = openDatabase(page.path, PAGE_LAYOUT, { mode: 'write', busyTimeoutMs: 0 });
    other.exec('BEGIN IMMEDIATE');
    const answer = await post(page, code);
    other.close();
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await outcomeOf(answer)).toBe('503 urn:modreg:locked');
  });
});

describe('the headers of each response', () => {
  const ALWAYS = {
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };

  it.for([
    ['GET /', {}, 'no-store'],
    ['GET /sign-in', {}, 'no-store'],
    ['GET /', { accept: 'text/html' }, 'no-store'],
    ['GET /', { host: 'evil.example' }, 'no-store'],
    ['POST /', {}, 'no-store'],
    ['GET /assets/page.js', {}, 'public'],
  ] as const)('%s %o', async ([request, headers, caches]) => {
    const answer = await protectedPage().ask(request, headers);
    const all = Object.fromEntries(answer.headers);
    expect(all).toMatchObject({ ...ALWAYS, 'cache-control': caches });
    expect(all['strict-transport-security']).toBe(undefined);
  });

  it('name HTTPS for a year over TLS', async () => {
    const answer = await protectedPage({ isTls: true }).ask('GET /sign-in');
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000');
  });
});

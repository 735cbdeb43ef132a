import { describe, expect, it } from 'vitest';
import { NOW, protectedPage } from '../support/protected-page.ts';

const HEADERS = {
  'content-type': 'application/x-www-form-urlencoded',
  'sec-fetch-site': 'same-origin',
};

/** Addresses of the page that are kept, and those of another host, which are not. */
const RETURNS = [
  ['/modules/acme:lidar', '/modules/acme:lidar'],
  ['/logs?module=acme_lidar&level=error', '/logs?module=acme_lidar&level=error'],
  ['/modules/a%2Fb?x=%0d%0a', '/modules/a%2Fb?x=%0d%0a'],
  ['/a/../config', '/config'],
  ['/', '/'],
  ['', '/'],
  ['//evil.example', '/'],
  ['//evil.example/config', '/'],
  ['/\\evil.example', '/'],
  ['/./\\evil.example', '/'],
  ['/.//evil.example', '/'],
  ['/x/..//evil.example', '/'],
  ['/%2e%2e//evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['/\r\nset-cookie: x=y', '/'],
  ['https://evil.example/', '/'],
  ['javascript:alert(1)', '/'],
  ['evil.example', '/'],
  ['@evil.example', '/'],
  ['/sign-in?to=/config', '/'],
  ['/sign-in', '/'],
  [`/${'x'.repeat(1024)}`, '/'],
] as const;

describe('the page that is shown after signing in (T214)', () => {
  it('is the one that was opened without a session', async () => {
    const page = protectedPage();
    const path = '/modules/acme:lidar?x=1&y=%26';
    const opened = await page.ask(`GET ${path}`, { accept: 'text/html' });
    const signIn = opened.headers.get('location') ?? '';
    expect(signIn).toBe(`/sign-in?to=${encodeURIComponent(path)}`);
    expect(await (await page.ask(`GET ${signIn}`)).text()).toBe(`sign-in to ${path}: no problem`);
    const to = encodeURIComponent(path);
    const wrong = await page.ask('POST /sign-in', HEADERS, `code=x&to=${to}`);
    expect(await wrong.text()).toContain(`sign-in to ${path}: the code is wrong`);
    const body = `code=${page.file.newCode(NOW)}&to=${to}`;
    const done = await page.ask('POST /sign-in', HEADERS, body);
    expect([done.status, done.headers.get('location')]).toEqual([303, path]);
  });

  it.each(RETURNS)('for %j is %j', async (to, expected) => {
    const page = protectedPage();
    const query = `to=${encodeURIComponent(to)}`;
    const form = await page.ask(`GET /sign-in?${query}`);
    expect(await form.text()).toBe(`sign-in to ${expected}: no problem`);
    const body = `code=${page.file.newCode(NOW)}&${query}`;
    const done = await page.ask('POST /sign-in', HEADERS, body);
    expect([done.status, done.headers.get('location')]).toEqual([303, expected]);
  });

  it('is none of another host, whose address a request has as its path', async () => {
    const answer = await protectedPage().ask('GET http://localhost//evil.example', {
      accept: 'text/html',
    });
    expect(answer.headers.get('location')).toBe('/sign-in');
  });
});

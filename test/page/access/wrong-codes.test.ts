import { describe, expect, it } from 'vitest';
import { wrongCodes } from '../../../src/page/access/wrong-codes.ts';
import { NOW, protectedPage } from '../support/protected-page.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM = {
  'content-type': 'application/x-www-form-urlencoded',
  'sec-fetch-site': 'same-origin',
};

describe('[T282] wrong codes', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '::ffff:192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['2001:db8:1:2::1', '2001:db8:1:2:a:b:c:d', true],
    ['2001:db8::1', '2001:db8:0:0:1::', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['::1', '::2', true],
    ['::1', '127.0.0.1', false],
    [undefined, undefined, true],
  ])('of %s and %s are of one client: %s', (one, other, isSame) => {
    const wrong = wrongCodes();
    for (let count = 0; count < 10; count++) expect(wrong(one, NOW)).toBe(undefined);
    expect(wrong(other, NOW)).toBe(isSame ? 60_000 : undefined);
  });

  it.each([
    [59_999, 1],
    [60_000, undefined],
    [-30_000, 30_000],
    [-60_000, undefined],
  ])('count again after a minute: %s ms later a client waits %s ms', (later, wait) => {
    const wrong = wrongCodes();
    for (let count = 0; count < 20; count++) wrong('192.0.2.1', NOW);
    expect(wrong('192.0.2.1', NOW + later)).toBe(wait);
  });

  it.each([
    [999, 60_000],
    [1000, undefined],
  ])('of a client are known while %s others are newer: %s', (others, wait) => {
    const wrong = wrongCodes();
    for (let count = 0; count < 20; count++) wrong('192.0.2.1', NOW);
    for (let count = 0; count < others; count++) wrong(`10.0.${count >> 8}.${count & 255}`, NOW);
    expect(wrong('192.0.2.1', NOW)).toBe(wait);
  });
});

it('a client with more than ten wrong codes a minute is told to wait, and no other client is (T282)', async () => {
  const page = protectedPage();
  const wrong = async (from: string): Promise<string> => {
    const answer = await page.ask('POST /v1/sign-in', JSON_TYPE, '{"code":"x"}', from);
    const { type } = (await answer.json()) as { readonly type?: string };
    return `${answer.status} ${type} ${answer.headers.get('retry-after') ?? 'at once'}`;
  };
  const [refused, limited] = [
    '401 urn:modreg:bad-code at once',
    '429 urn:modreg:too-many-codes 60',
  ];
  for (let count = 0; count < 10; count++) expect(await wrong('192.0.2.1')).toBe(refused);
  for (let count = 0; count < 10; count++) expect(await wrong('192.0.2.1')).toBe(limited);
  expect(page.events.length).toBe(10);
  expect(await wrong('::ffff:192.0.2.1')).toBe(limited);
  expect(await wrong('192.0.2.2')).toBe(refused);
  const form = await page.ask('POST /sign-in', FORM, 'code=x', '192.0.2.1');
  expect([form.status, form.headers.get('retry-after'), await form.text()]).toEqual([
    429,
    '60',
    'sign-in to /: too many wrong codes came from this address: wait a minute, or enter a right one, which is accepted all the same; modreg page sign-in makes one',
  ]);
  // A tunnel or a proxy is one address for those behind it.
  const body = JSON.stringify({ code: page.file.newCode(NOW) });
  expect((await page.ask('POST /v1/sign-in', JSON_TYPE, body, '192.0.2.1')).status).toBe(200);
});

it('a person signs in after any number of wrong codes, by either route (T128)', async () => {
  const { ask, file } = protectedPage();
  const code = file.newCode(NOW);
  for (let count = 0; count < 20; count++) {
    await ask('POST /sign-in', FORM, 'code=x');
    await ask('POST /v1/sign-in', JSON_TYPE, '{"code":"x"}');
  }
  expect((await ask('POST /sign-in', FORM, `code=${code}`)).status).toBe(303);
});

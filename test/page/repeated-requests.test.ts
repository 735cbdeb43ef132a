import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { repeatedRequests } from '../../src/page/repeated-requests.ts';

/** Makes each request with the same key, and returns the answers. The first one is answered with `status`. */
async function answersTo(status: number, ...paths: readonly string[]): Promise<string[]> {
  const requests = repeatedRequests();
  let made = 0;
  const app = new Hono().post('*', async (c) =>
    requests.once(c, '{}', async () => {
      made++;
      const init = { status: made === 1 ? status : 200 };
      return await Promise.resolve(new Response(`made ${made}`, init));
    }),
  );
  const answers: string[] = [];
  for (const path of paths) {
    const answer = await app.request(path, { method: 'POST', headers: { 'idempotency-key': 'k' } });
    const text = await answer.text();
    const { detail } = text.startsWith('{') ? (JSON.parse(text) as { detail: string }) : {};
    answers.push(`${answer.status} ${detail ?? text}`);
  }
  return answers;
}

it.each<[string, number, readonly string[], readonly string[]]>([
  ['made once', 200, ['/v1/a', '/v1/a'], ['200 made 1', '200 made 1']],
  ['refused once', 409, ['/v1/a', '/v1/a'], ['409 made 1', '409 made 1']],
  [
    'made again after the files of the machine could not be used',
    503,
    ['/v1/a', '/v1/a', '/v1/a'],
    ['503 made 1', '200 made 2', '200 made 2'],
  ],
  [
    'not made at another path',
    200,
    ['/v1/a', '/v1/b'],
    ['200 made 1', '422 another request had this Idempotency-Key; nothing was changed'],
  ],
])('[T141] a request with an Idempotency-Key is %s', async (_, status, paths, expected) => {
  expect(await answersTo(status, ...paths)).toEqual(expected);
});

import { expect, it } from 'vitest';
import { DatabaseError } from '../../src/sqlite/database-error.ts';
import { temporaryFolder } from '../support/folder.ts';
import { guardedSite, HTML } from './support/guarded-site.ts';
import { linesOf, machinePage } from './support/machine-page.ts';

const FOREIGN = { 'sec-fetch-site': 'cross-site' };

interface Problem {
  readonly request: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

/** What an answer of the page has besides its content. */
function others({ headers }: Response): (string | null)[] {
  const names = ['retry-after', 'cache-control', 'content-security-policy'];
  return names.map((name) => headers.get(name));
}

it.each<[string, Problem]>([
  [
    'an error in modreg',
    {
      request: 'GET /broken',
      status: 500,
      title: 'The page had an internal error',
      detail: 'the output of modreg registry page says more',
    },
  ],
  [
    'a file that another process uses',
    {
      request: 'GET /locked',
      status: 503,
      title: 'A file is locked',
      detail: 'another process uses registry.db: try again',
    },
  ],
  [
    'a form of another site',
    {
      request: 'POST /machines/rover-7/commands/hold',
      headers: FOREIGN,
      status: 403,
      title: 'The request comes from another site',
      detail:
        'only the page itself changes something (Sec-Fetch-Site: same-origin, or its own Origin); programs send Authorization: Bearer <token>',
    },
  ],
  [
    'another host name',
    {
      request: 'GET /',
      headers: { host: 'evil.example' },
      status: 421,
      title: 'The page has another host name',
      detail: 'open the address that modreg registry page or modreg registry page sign-in shows',
    },
  ],
])(
  '[T801] the page of a site answers %s with a page for a browser, and a problem for programs',
  async (_what, { request, headers = {}, status, title, detail }) => {
    const { app, ask, session } = guardedSite();
    app.get('/broken', () => {
      throw new Error('secret');
    });
    app.get('/locked', () => {
      throw new DatabaseError('locked', 'secret', { file: '/home/ann/registry.db' });
    });
    const sent = { cookie: session(), ...headers };
    const [page, document] = [await ask(request, { ...sent, ...HTML }), await ask(request, sent)];
    expect([page.status, page.headers.get('content-type'), linesOf(await page.text())]).toEqual([
      status,
      'text/html; charset=UTF-8',
      [title, detail],
    ]);
    expect([document.status, await document.json()]).toEqual([
      status,
      expect.objectContaining({ title, status, detail }),
    ]);
    expect(others(page)).toEqual(others(document));
  },
);

it('[T801] an address of the API answers with a problem, also to a browser', async () => {
  const { app, ask, session } = guardedSite();
  app.get('/v1/broken', () => {
    throw new Error('secret');
  });
  const answer = await ask('GET /v1/broken', { cookie: session(), ...HTML });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
});

it('[T801] the page of a machine answers an error with a page', async () => {
  const app = machinePage({ home: temporaryFolder(), now: 0, machine: {} });
  app.get('/broken', () => {
    throw new Error('secret');
  });
  expect(linesOf(await (await app.request('/broken', { headers: HTML })).text())).toEqual([
    'The page had an internal error',
    'the output of modreg page says more',
  ]);
});

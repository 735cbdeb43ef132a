import { describe, expect, it } from 'vitest';
import { guardedSite, HTML, OWN, type GuardedSite } from '../support/guarded-site.ts';
import { NOW } from '../support/site-page.ts';

const REFUSED =
  'this opens no wall: the token is wrong, was revoked, has expired, or is for something else. modreg registry page wall prints another link';

const OPEN = 'POST /wall/open';

describe('[D216] the link of the wall', () => {
  it('opens it once its token was sent by the form of the page', async () => {
    const { ask, token, events } = guardedSite();
    const text = token('lobby', 'wall');
    const nobody = await ask('GET /wall', HTML);
    expect([nobody.status, nobody.headers.get('location')]).toEqual([303, '/wall/open']);
    const form = await (await ask('GET /wall/open', HTML)).text();
    expect(form).toContain('<form method="post" action="/wall/open" id="open-wall">');
    const opened = await ask(OPEN, OWN, `token=${text}`);
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/wall']);
    const cookie = `__Secure-modreg-wall=${text}`;
    expect(opened.headers.get('set-cookie')).toBe(
      `${cookie}; Max-Age=34560000; Path=/wall; Secure; HttpOnly; SameSite=Strict`,
    );
    const wall = await ask('GET /wall', { ...HTML, cookie });
    expect([wall.status, (await wall.text()).includes(text)]).toEqual([200, false]);
    expect(wall.headers.get('cache-control')).toBe('no-store');
    expect(wall.headers.get('referrer-policy')).toBe('same-origin');
    expect(events).toEqual(['wall-opened']);
  });

  it('is not needed by who has signed in', async () => {
    const { ask, session } = guardedSite();
    expect((await ask('GET /wall', { ...HTML, cookie: session() })).status).toBe(200);
  });

  it('opens it until its token is revoked or expires', async () => {
    const { site, ask, token } = guardedSite();
    const cookie = `__Secure-modreg-wall=${token('lobby', 'wall')}`;
    const program = async (): Promise<number> => (await ask('GET /wall', { cookie })).status;
    expect(await program()).toBe(200);
    site.catalogue.revokeToken('lobby', NOW);
    expect(await program()).toBe(401);
    const other = `__Secure-modreg-wall=${token('hall', 'wall')}`;
    expect((await ask('GET /wall', { cookie: other })).status).toBe(200);
    site.now = NOW + 60_000;
    expect((await ask('GET /wall', { cookie: other })).status).toBe(401);
  });

  it('is noted as used, at most once an hour', async () => {
    const { site, ask, token } = guardedSite();
    const cookie = `__Secure-modreg-wall=${token('lobby', 'wall')}`;
    const usedAt = (): number | undefined => site.catalogue.tokens()[0]?.lastUsedAt;
    expect(usedAt()).toBeUndefined();
    await ask('GET /wall', { cookie });
    site.now = NOW + 30_000;
    await ask('GET /wall', { cookie });
    expect(usedAt()).toBe(NOW);
  });
});

describe('[T618] with the link of the wall, nothing else can be seen or done', () => {
  it.each([
    ['GET /', 401],
    ['GET /machines/rover-1', 401],
    ['GET /rollouts', 401],
    ['GET /modules', 401],
    ['GET /wall/', 401],
    ['GET /wall/x', 401],
    ['GET //wall', 401],
    ['POST /wall', 401],
    ['POST /rollouts/acme%3Alidar/1.3.0/halt', 401],
  ])('%s: %i', async (request, status) => {
    const { ask, token } = guardedSite();
    const text = token('lobby', 'wall');
    const cookie = `__Secure-modreg-wall=${text}; __Host-modreg-page=${text}`;
    expect((await ask(request, { ...OWN, cookie })).status).toBe(status);
    expect((await ask(request, { ...OWN, authorization: `Bearer ${text}` })).status).toBe(401);
  });

  it('but its host name has to be that of the page', async () => {
    const { ask, token } = guardedSite();
    const cookie = `__Secure-modreg-wall=${token('lobby', 'wall')}`;
    expect((await ask('GET /wall', { host: 'evil.example', cookie })).status).toBe(421);
    const foreign = { ...OWN, 'sec-fetch-site': 'cross-site' };
    expect((await ask(OPEN, foreign, `token=${token('hall', 'wall')}`)).status).toBe(403);
  });
});

describe('[T619] a token that opens no wall', () => {
  it.each<[string, (page: GuardedSite) => string]>([
    ['that is unknown', () => `modreg_${'x'.repeat(43)}`],
    ['that is empty', () => ''],
    ['that is too long', () => 'x'.repeat(2000)],
    ['that is for something else', ({ token }) => token('ci', 'fleet:read', 'rollout')],
    [
      'that was revoked',
      ({ token, site }) => {
        const text = token('lobby', 'wall');
        site.catalogue.revokeToken('lobby', NOW);
        return text;
      },
    ],
    [
      'that has expired',
      ({ token, site }) => {
        const text = token('lobby', 'wall');
        site.now = NOW + 60_001;
        return text;
      },
    ],
  ])(
    '%s gets the same answer, which does not repeat it, and no line of the log',
    async (_what, of) => {
      const page = guardedSite();
      const text = of(page);
      const answer = await page.ask(OPEN, OWN, `token=${text}`);
      const html = await answer.text();
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null]);
      expect(html).toContain(`<p class="problem" role="alert" id="problem">${REFUSED}</p>`);
      expect(text !== '' && html.includes(text)).toBe(false);
      expect(page.events).toEqual([]);
    },
  );
});

import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { isPassword } from '../../../src/server/accounts/password.ts';
import { guardedSite, HTML, OWN, PASSWORD, type GuardedSite } from '../support/guarded-site.ts';

const REFUSED = 'the name or the password is wrong, or the account is not active';
const HOUR = 3_600_000;

function form(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString();
}

const ADA = { name: 'ada', password: PASSWORD };

async function signIn(
  page: GuardedSite,
  fields: Readonly<Record<string, string>> = ADA,
  from = '192.0.2.1',
): Promise<Response> {
  return await page.ask('POST /sign-in', OWN, form(fields), from);
}

function cookieIn(answer: Response): string {
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** The text of the problem that the sign-in shows. */
async function problemIn(answer: Response): Promise<string | undefined> {
  return /id="problem">([^<]*)/.exec(await answer.text())?.[1];
}

describe('[D371] signing in with an account', () => {
  it('leads to the page that was wanted, which says who is signed in', async () => {
    const page = guardedSite();
    page.account('ada', 'operator');
    const shown = await (await page.ask('GET /sign-in?to=%2Flogs', HTML)).text();
    expect(shown).toContain('type="password" required="" autocomplete="current-password"');
    const answer = await signIn(page, { ...ADA, name: ' Ada ', to: '/logs' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/logs']);
    const logs = await page.ask('GET /logs', { ...HTML, cookie: cookieIn(answer) });
    expect([logs.status, (await logs.text()).includes('ada (operator) <button>')]).toEqual([
      200,
      true,
    ]);
    expect(page.events).toEqual(['signed-in ada']);
  });

  it('ends with the session, as it was used last 12 hours ago, or by signing out', async () => {
    const page = guardedSite();
    page.account('ada', 'viewer');
    const cookie = cookieIn(await signIn(page));
    const status = async (): Promise<number> => (await page.ask('GET /logs', { cookie })).status;
    page.site.now += 12 * HOUR;
    expect(await status()).toBe(200);
    page.site.now += 12 * HOUR;
    expect(await status()).toBe(200);
    await page.ask('POST /sign-out', { ...OWN, cookie });
    expect(await status()).toBe(401);
    const other = page.sessionOf('ada');
    page.site.now += 12 * HOUR + 1;
    expect((await page.ask('GET /logs', { cookie: other })).status).toBe(401);
    expect(page.events).toEqual(['signed-in ada', 'signed-out ada']);
  });

  it('is not offered where there is no account', async () => {
    const page = guardedSite();
    expect(await (await page.ask('GET /sign-in', HTML)).text()).not.toContain('password');
  });

  it('takes the longest password with the longest path', async () => {
    const page = guardedSite();
    page.account('ada', 'viewer');
    const password = '\u{20ac}'.repeat(256);
    const answer = await signIn(page, { ...ADA, password, to: `/${'"'.repeat(1000)}` });
    expect([answer.status, await problemIn(answer)]).toEqual([401, REFUSED]);
  });
});

describe('[T775] a password', () => {
  it.each([
    ['that is wrong', { ...ADA, password: `${PASSWORD}.` }],
    ['that is empty', { ...ADA, password: '' }],
    ['of an unknown name', { ...ADA, name: 'eve' }],
    ['without a name', { password: PASSWORD }],
  ])('%s gets the same answer, and the log has no name', async (_what, fields) => {
    const page = guardedSite();
    page.account('ada', 'admin');
    const answer = await signIn(page, fields);
    expect([answer.status, await problemIn(answer)]).toEqual([401, REFUSED]);
    expect(answer.headers.get('set-cookie')).toBe(null);
    expect(page.events).toEqual(['password-refused']);
  });

  it('of an account that was restored and is not confirmed gets that answer, too', async () => {
    const page = guardedSite();
    page.account('ada', 'admin');
    const database = new DatabaseSync(page.site.path);
    database.exec('UPDATE accounts SET is_confirmed = 0');
    database.close();
    const answer = await signIn(page);
    expect([answer.status, await problemIn(answer)]).toEqual([401, REFUSED]);
    expect(page.events).toEqual(['password-refused']);
  });

  it('is not looked at after ten of the same address in a minute, also if it is right, and a code is', async () => {
    const page = guardedSite();
    page.account('ada', 'admin');
    for (let count = 0; count < 10; count++) await signIn(page, { ...ADA, password: 'x' });
    const late = await signIn(page);
    expect([late.status, late.headers.get('retry-after'), await problemIn(late)]).toEqual([
      429,
      '60',
      'too many passwords were sent: wait a minute, or use a code; modreg registry page sign-in makes one',
    ]);
    expect((await signIn(page, ADA, '192.0.2.2')).status).toBe(303);
    const code = page.file.newCode(page.site.now);
    expect((await signIn(page, { code })).status).toBe(303);
    page.site.now += 60_000;
    expect((await signIn(page)).status).toBe(303);
  });

  it('counts before it is compared: of many at once, ten are', async () => {
    const page = guardedSite();
    page.account('ada', 'admin');
    const all = Array.from({ length: 15 }, async () => (await signIn(page, ADA)).status);
    expect((await Promise.all(all)).filter((status) => status === 303).length).toBe(10);
  });

  it('waits behind twenty others at most', async () => {
    const page = guardedSite();
    page.account('ada', 'admin');
    const all = Array.from({ length: 30 }, async (_, place) => {
      const answer = await signIn(page, ADA, `192.0.2.${place}`);
      return `${answer.status} ${answer.headers.get('retry-after') ?? ''}`;
    });
    const refused = (await Promise.all(all)).filter((one) => one === '429 5');
    expect(refused.length).toBe(9);
  });

  it('takes as long where nothing is stored', async () => {
    const began = performance.now();
    expect(await isPassword(PASSWORD, undefined)).toBe(false);
    // Deriving takes 145 ms of a core, and comparing nothing less than 1 ms.
    expect(performance.now() - began).toBeGreaterThan(20);
  });

  it('of another site is refused', async () => {
    const page = guardedSite();
    page.account('ada', 'admin');
    const foreign = { ...OWN, 'sec-fetch-site': 'cross-site' };
    expect((await page.ask('POST /sign-in', foreign, form(ADA))).status).toBe(403);
    expect(page.events).toEqual([]);
  });
});

describe('[T774] the sessions of an account', () => {
  it.each<[string, (page: GuardedSite) => void]>([
    ['gets another role', ({ account }) => account('ada', 'viewer')],
    ['gets the same role again', ({ account }) => account('ada', 'admin')],
    ['is removed', ({ site }) => site.catalogue.accounts.remove('ada')],
    [
      'is removed and added again',
      ({ site, account }) => {
        site.catalogue.accounts.remove('ada');
        account('ada', 'admin');
      },
    ],
  ])('end at once if it %s', async (_what, change) => {
    const page = guardedSite();
    page.account('ada', 'admin');
    const cookie = cookieIn(await signIn(page));
    expect((await page.ask('GET /logs', { cookie })).status).toBe(200);
    change(page);
    expect((await page.ask('GET /logs', { cookie })).status).toBe(401);
    const html = await page.ask('GET /logs', { ...HTML, cookie });
    expect(html.headers.get('location')).toBe('/sign-in?to=%2Flogs');
    const post = await page.ask(
      'POST /machines/rover-7/commands/hold',
      { ...OWN, cookie },
      'key=x',
    );
    expect(post.status).toBe(401);
  });
});

import { copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { answered } from '../../src/page/site/site-answer.ts';
import { keptCounts } from '../../src/site/kept-counts.ts';
import { fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { excerpt } from '../../src/core/text/quote.ts';
import { DatabaseError } from '../../src/sqlite/database-error.ts';
import { textOf } from './support/machine-page.ts';
import { moduleId, NOW, testSite, type TestSite } from './support/site-page.ts';

const LIDAR = moduleId('acme:lidar');
const PATHS = [
  '/',
  '/machines/rover-1',
  '/rollouts',
  '/rollouts/acme%3Alidar/1.3.0',
  '/modules',
  '/modules/acme%3Alidar',
];

async function site(): Promise<TestSite> {
  const one = testSite();
  one.publish('acme:lidar', '1.2.9', '1.3.0');
  one.catalogue.yank(LIDAR, '1.3.0', '');
  const started = { kind: 'started', after: 0, at: NOW, salt: 's', percent: 5, share: 1 } as const;
  const release = { moduleId: LIDAR, version: '1.3.0' };
  one.catalogue.apply({ kind: 'rollout', ...release, event: started, soakMs: 60_000 });
  return one;
}

const TEXTS = [
  '<script>window.hasRun = 1</script>',
  '"><img src=x onerror="window.hasRun = 1">',
  "'><svg onload=window.hasRun=1>",
  '\u202Egnp.exe\u2066 \u200Bcopy',
  'two\nlines\r\nand\tmore\u0000',
];

describe('a method that an address of the site does not have (T213)', () => {
  it.each([
    ['POST', '/', 'GET'],
    ['DELETE', '/rollouts/acme:lidar/1.3.0', 'GET'],
    ['PUT', '/rollouts/acme:lidar/1.3.0/halt', 'GET, POST'],
  ])('%s %s: 405', async (method, path, allow) => {
    const answer = await testSite().app.request(path, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
  });
});

describe('[T174] a text of a machine, a release or an address', () => {
  it.each(TEXTS)('stays a text on each page: %j', async (text) => {
    const one = await site();
    const module = { name: text, constraint: text, deployed: text, target: text, reason: text };
    const stuck = { ...module, stops: [text], decision: 'stuck' };
    const failed = {
      to: '1.3.0',
      from: text,
      direction: text,
      result: 'failed',
      reason: text,
    } as const;
    await one.report('rover-1', [stuck], failed, { ...failed, name: text });
    await one.report('rover-2', [{ constraint: '1.*' }], failed);
    one.catalogue.yank(LIDAR, '1.2.9', text);
    const query = encodeURIComponent(text);
    const paths = [
      ...PATHS,
      '/wall',
      `/?id=${query}&module=${query}&version=${query}&after=${query}`,
      `/machines/${query}`,
      `/modules/${query}`,
      `/rollouts/acme%3Alidar/${query}`,
      `/modules/acme%3Alidar/what-if?version=${query}`,
      '/modules/acme%3Alidar/what-if?version=1.3.0',
      '/modules/acme%3Alidar/outcomes',
      `/rollouts/acme%3Alidar/1.3.0/raise?percent=${query}`,
    ];
    for (const path of paths) {
      const html = await (await one.app.request(path)).text();
      // A field of a form has what was typed, and the wall has bars.
      const shown = html
        .replaceAll(/ value="[^"]*"/g, '')
        .replaceAll('<svg viewBox="0 0 1000 1" ', '');
      expect(`${path}: ${shown}`).not.toMatch(/<script>window|<img|<svg|\p{Cf}|\0|\r/u);
    }
    expect(await textOf(one.app, '/machines/rover-1')).toContain(
      `12:00 UTC acme_lidar ${excerpt(text)} ${excerpt(text)} → 1.3.0 failed ${excerpt(text)}`,
    );
    const [, message] = await one.post('/rollouts/acme%3Alidar/1.3.0/halt', { after: text });
    expect(message).not.toMatch(/<script>window|<img|<svg/);
  });
});

describe('[T176] counts of machines', () => {
  it('are made once in five seconds, whoever asks', () => {
    const time = { elapsed: 0 };
    let made = 0;
    const kept = keptCounts<number>({ monotonic: () => time.elapsed });
    const counts = [0, 4999, 5000, 5001].map((elapsed) => {
      time.elapsed = elapsed;
      return kept('a', () => ++made);
    });
    expect(counts).toEqual([1, 1, 2, 2]);
    expect(kept('b', () => ++made)).toBe(3);
  });

  it('that were made last are kept, and not more than 16', () => {
    let made = 0;
    const kept = keptCounts<number>({ monotonic: () => 0 });
    for (let key = 0; key < 17; key++) kept(`${key}`, () => ++made);
    expect(kept('16', () => ++made)).toBe(17);
    expect(kept('0', () => ++made)).toBe(18);
  });
});

describe('[T177] a site whose files cannot tell everything', () => {
  it('says how machines begin to report', async () => {
    const one = await site();
    expect((await textOf(one.app, '/')).slice(-2)).toEqual([
      'NO_REPORTS no machine has reported to this registry yet',
      'Start the agents with --reports and the address of the registry, or set MODREG_REPORTS. Each needs a token with the scope machine:<id>.',
    ]);
    const others = PATHS.filter((path) => !path.includes('rover'));
    const answers = await Promise.all(others.map(async (path) => await one.app.request(path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await one.report('rover-1', [{}]);
    expect((await textOf(one.app, '/machines/rover-1'))[0]).toBe('rover-1');
  });

  it('shows pages without reports while the file of the reports is damaged', async () => {
    const one = await site();
    writeFileSync(fleetPath(one.path), 'x'.repeat(8192));
    const answers = [];
    for (const path of PATHS) answers.push((await one.app.request(path)).status);
    expect(answers).toEqual([500, 500, 500, 500, 500, 500]);
    const [title, message] = await textOf(one.app, '/');
    expect([title, message]).toEqual([
      'This cannot be shown',
      expect.stringMatching(/^STATE_UNREADABLE ".*registry-fleet\.db": /),
    ]);
    rmSync(fleetPath(one.path));
    expect((await one.app.request('/')).status).toBe(200);
  });

  it('changes nothing while another process writes, and says so', async () => {
    const one = await site();
    const other = new DatabaseSync(one.path);
    other.exec('BEGIN IMMEDIATE');
    const path = '/rollouts/acme%3Alidar/1.3.0';
    const [status, text] = await one.post(`${path}/halt`, { after: '5' });
    other.exec('ROLLBACK');
    other.close();
    expect(status).toBe(503);
    expect(text).toContain('<strong>LOCKED</strong>');
    expect(text).toContain('another process uses the file: try again');
    expect((await textOf(one.app, path))[0]).toBe('acme:lidar 1.3.0 running');
    expect(one.changes).toEqual([]);
  });

  it('[T311] changes nothing when another file is at the path of the registry', async () => {
    const one = await site();
    renameSync(one.path, `${one.path}-moved`);
    const [path, form] = ['/rollouts/acme%3Alidar/1.3.0', { after: '5' }] as const;
    const [, moved] = await one.post(`${path}/halt`, form);
    expect(moved).toContain('the registry was moved or removed: start it again');
    copyFileSync(`${one.path}-moved`, one.path);
    const [status, text] = await one.post(`${path}/halt`, form);
    expect(status).toBe(500);
    expect(text).toContain('<strong>UNREADABLE_FILE</strong>');
    expect(text).toContain('the registry was moved or removed: start it again');
    expect(one.changes).toEqual([]);
  });

  it.each([
    [
      'unwritable',
      'STATE_WRITE',
      'nothing was changed: make the file and its folder writable for the registry',
    ],
    ['missing', 'UNREADABLE_FILE', 'the registry was moved or removed: start it again'],
    ['later-schema', 'STATE_UNREADABLE', 'a later modreg wrote the file: update this one'],
    ['locked', 'LOCKED', 'another process uses the file: try again'],
    ['damaged', 'STATE_UNREADABLE', undefined],
  ] as const)('%s is %s, with what to do', async (kind, code, hint) => {
    const failing = (): never => {
      throw new DatabaseError(kind, 'the file is as it is');
    };
    expect(await answered(failing)).toEqual({
      ok: false,
      error: [{ code, message: 'the file is as it is', because: [], hint }],
    });
  });
});

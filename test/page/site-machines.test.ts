import { describe, expect, it } from 'vitest';
import type { ReportedModule } from '../../src/registry/machine-report.ts';
import { textOf } from './support/machine-page.ts';
import { NOW, testSite, type TestSite } from './support/site-page.ts';

const LIDAR = { constraint: '1.*', deployed: '1.2.9', target: '1.2.9' };
const ARM: Partial<ReportedModule> = { name: 'acme_arm', module_id: 'acme:arm', deployed: '2.4.0' };
const STUCK: Partial<ReportedModule> = {
  ...ARM,
  target: null,
  decision: 'stuck',
  reason: 'no release satisfies 3.*',
};

/** Four machines: one is restarted, one waits for an upgrade, one is stuck, and one is both. */
async function fourMachines(): Promise<TestSite> {
  const site = testSite();
  const waiting = { ...LIDAR, target: '1.3.0', decision: 'hold' };
  // A restart is no other version.
  await site.report('crane-1', [{ ...LIDAR, decision: 'restart' }]);
  await site.report('rover-1', [waiting, ARM]);
  await site.report('rover-2', [LIDAR, STUCK]);
  site.now = NOW + 90_000;
  await site.report('rover-3', [{ ...waiting, deployed: '1.2.8' }, STUCK]);
  return site;
}

/** The ids in the list at an address. */
async function idsAt({ app }: TestSite, path: string): Promise<string[]> {
  const html = await (await app.request(path)).text();
  const [, list = ''] = html.split('<table class="machines">');
  return Array.from(
    list.matchAll(/<th scope="row"><a href="\/machines\/([^"]+)"/g),
    ([, id = '']) => id,
  );
}

describe('the machines of a site', () => {
  it('[D354] are counted, and listed with what needs attention, which is first', async () => {
    const site = await fourMachines();
    const lines = await textOf(site.app, '/');
    expect(lines.filter((line) => !/^(any|stuck|acme:.{3,5})$/.test(line))).toEqual([
      'Machines',
      '4 in total',
      '4 seen in 24 h',
      '2 stuck',
      '2 behind',
      '4 without a pin',
      'UNSIGNED_RELEASES this registry has no keys, so what machines run needs no signature',
      'modreg keys init makes them: docs/signing.md',
      'Needs attention',
      'state machines why',
      'stuck rover-2, rover-3 acme:arm: no release satisfies 3.* id contains module',
      'deployed version condition',
      'failing',
      'refusing',
      'behind',
      'silent',
      'quiet',
      'wrong clock',
      'retiredSearch',
      '4 machines, by id',
      'machine seen modules needs attention',
      'crane-1 1 min 30 s ago 1',
      'rover-1 1 min 30 s ago 2',
      'acme:lidar 1.2.9 → 1.3.0 waiting',
      'rover-2 1 min 30 s ago 2',
      'acme:arm 2.4.0 stuck no release satisfies 3.*',
      'rover-3 0 s ago 2',
      'acme:arm 2.4.0 stuck no release satisfies 3.*',
      'acme:lidar 1.2.8 → 1.3.0 waiting',
    ]);
  });

  it('[D354] five of one kind are named as three, with a link to all', async () => {
    const site = testSite();
    const stuck = { ...LIDAR, decision: 'stuck', reason: 'no list' };
    for (const id of ['a', 'b', 'c', 'd', 'e']) await site.report(id, [stuck]);
    await site.report('f', [LIDAR]);
    const html = await (await site.app.request('/')).text();
    const [, attention = ''] =
      /<section aria-labelledby="attention">(.*?)<\/section>/s.exec(html) ?? [];
    expect(
      attention
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/ +/g, ' ')
        .trim(),
    ).toBe('Needs attention state machines why stuck a , b , c and 2 more acme:lidar: no list');
    expect(attention).toContain('and <a href="/?condition=stuck">2 more</a>');
    expect((await textOf(site.app, '/?after=a')).includes('Needs attention')).toBe(false);
  });

  it('[D354] nothing needs attention', async () => {
    const site = testSite();
    await site.report('a', [LIDAR]);
    const lines = await textOf(site.app, '/');
    const place = lines.indexOf('Needs attention');
    expect(lines[place + 1]).toMatch(/^Nothing\./);
  });

  it('are those of the last day, and the earlier ones', async () => {
    const site = await fourMachines();
    site.now = NOW + 86_400_000 + 60_000;
    expect((await textOf(site.app, '/')).slice(1, 3)).toEqual(['4 in total', '1 seen in 24 h']);
  });

  it.each([
    ['', ['crane-1', 'rover-1', 'rover-2', 'rover-3']],
    ['?id=OVER', ['rover-1', 'rover-2', 'rover-3']],
    ['?id=%25', []],
    ['?module=acme%3Aarm', ['rover-1', 'rover-2', 'rover-3']],
    ['?version=1.2.8', ['rover-3']],
    ['?module=acme%3Aarm&version=1.2.9', []],
    ['?condition=stuck', ['rover-2', 'rover-3']],
    ['?condition=behind', ['rover-1', 'rover-3']],
    ['?condition=behind&module=acme%3Alidar&version=1.2.9&id=1', ['rover-1']],
    ['?condition=stuck&module=acme%3Alidar', []],
    ['?condition=nonsense', ['crane-1', 'rover-1', 'rover-2', 'rover-3']],
    ['?after=rover-1', ['rover-2', 'rover-3']],
    ['?condition=stuck&after=rover-2', ['rover-3']],
  ])('%s lists %j', async (query, ids) => {
    const site = await fourMachines();
    expect(await idsAt(site, `/${query}`)).toEqual(ids);
    const lines = await textOf(site.app, `/${query}`);
    expect(lines.includes('No machine matches.')).toBe(ids.length === 0);
  });

  it('are on pages of 50, each machine on one of them, and the filter stays', async () => {
    const site = testSite();
    const ids = Array.from({ length: 120 }, (_, place) => `m-${`${place}`.padStart(3, '0')}`);
    for (const id of ids) await site.report(id, [LIDAR]);
    const seen: string[][] = [];
    let path: string | undefined = '/?module=acme%3Alidar';
    while (path !== undefined) {
      seen.push(await idsAt(site, path));
      const html: string = await (await site.app.request(path)).text();
      expect(html).toContain('120 machines match');
      path = /<a href="([^"]+)" rel="next">/.exec(html)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(seen.map(({ length }) => length)).toEqual([50, 50, 20]);
    expect(seen.flat()).toEqual(ids);
  });
});

describe('a machine of a site', () => {
  it('shows its modules with decisions and reasons, and its last outcomes', async () => {
    const site = testSite();
    await site.report('rover-2', [LIDAR, STUCK], {}, { result: 'failed', reason: 'motor stalled' });
    expect(await textOf(site.app, '/machines/rover-2')).toEqual([
      'rover-2',
      'seen 0 s ago',
      'clock agrees with the site',
      'platform linux/arm64',
      'modreg 0.2.0',
      'LogsCommandsDocumentsChanges',
      'Modules',
      'acme:arm needs attention',
      'no release satisfies 3.*',
      'deployed 2.4.0',
      'constraint 1.*',
      'Restart…Roll back…Hold…Logs',
      'acme:lidar up to date',
      '1.2.9 is up to date',
      'deployed 1.2.9',
      'constraint 1.*',
      'Restart…Roll back…Hold…Logs',
      'Last outcomes',
      '12:00 UTC acme_lidar upgrade 1.2.8 → 1.2.9 failed motor stalled',
      '12:00 UTC acme_lidar upgrade 1.2.8 → 1.2.9 done',
    ]);
  });

  it('[D79] [D391] says what has been held for longer than a week, as the list of machines does', async () => {
    const site = testSite();
    const held = { ...LIDAR, target: '1.3.0', decision: 'hold', held_over_a_week: true };
    await site.report('rover-2', [held]);
    expect(await textOf(site.app, '/')).toContain(
      'acme:lidar 1.2.9 → 1.3.0 waiting for over a week',
    );
    const lines = await textOf(site.app, '/machines/rover-2');
    expect(lines).toContain('acme:lidar waiting');
    expect(lines).toContain('It has waited for over a week.');
  });

  it('[D83] that is retired is shown apart, with who retired it', async () => {
    const site = await fourMachines();
    await site.retire('rover-3', 'alice');
    expect((await textOf(site.app, '/')).slice(1, 7)).toEqual([
      '3 in total',
      '3 seen in 24 h',
      '1 stuck',
      '1 behind',
      '1 retired',
      '3 without a pin',
    ]);
    expect(await idsAt(site, '/')).toEqual(['crane-1', 'rover-1', 'rover-2']);
    expect(await idsAt(site, '/?condition=stuck')).toEqual(['rover-2']);
    expect(await idsAt(site, '/?condition=retired')).toEqual(['rover-3']);
    expect((await textOf(site.app, '/?condition=retired')).slice(-5)).toEqual([
      'machine seen modules needs attention',
      'rover-3 0 s ago 2',
      'retired 12:01 UTC by alice',
      'acme:arm 2.4.0 stuck no release satisfies 3.*',
      'acme:lidar 1.2.8 → 1.3.0 waiting',
    ]);
    expect(await textOf(site.app, '/machines/rover-3')).toContain(
      'It is retired 12:01 UTC by alice: no count has it, and no rollout that cannot have reached it, until it reports again.',
    );
  });

  it('that never reported is not there', async () => {
    const site = await fourMachines();
    expect((await site.app.request('/machines/rover-9')).status).toBe(404);
    expect(await textOf(site.app, '/machines/rover-9')).toEqual([
      'This cannot be shown',
      'UNKNOWN_REFERENCE no machine has reported as "rover-9"',
    ]);
  });
});

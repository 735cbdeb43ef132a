import { describe, expect, it } from 'vitest';
import { textOf } from './support/machine-page.ts';
import { lidarReport } from '../support/reported-facts.ts';
import { moduleId, NOW, testSite, type TestSite } from './support/site-page.ts';

const LIDAR = moduleId('acme:lidar');

async function threeMachines(): Promise<TestSite> {
  const site = testSite();
  site.publish('acme:lidar', '1.2.8', '1.2.9', '2.0.0-rc.1', '1.10.0');
  site.catalogue.yank(LIDAR, '1.10.0', 'loses points in rain');
  site.publish('acme:arm', '2.5.0');
  await site.report('rover-1', [{}]);
  await site.report('rover-2', [{ deployed: '1.2.8', target: '1.2.9', decision: 'hold' }]);
  await site.report('rover-3', [{}, { name: 'gps', module_id: 'nimbus:gps', deployed: '0.9.1' }]);
  return site;
}

describe('the modules of a site', () => {
  it('have their deployed versions with counts, and the latest release', async () => {
    const { app } = await threeMachines();
    expect(await textOf(app, '/modules')).toEqual([
      'Modules',
      'module latest deployed rollout',
      'acme:arm 2.5.0 on no machine',
      'acme:lidar 1.2.9 1.2.9 2, 1.2.8 1',
      'nimbus:gps no release 0.9.1 1',
    ]);
  });

  it('are on pages of 50', async () => {
    const site = testSite();
    for (let place = 10; place < 70; place++) site.publish(`acme:m${place}`, '1.0.0');
    const first = await textOf(site.app, '/modules');
    expect([first.length, first[2], first.at(-1)]).toEqual([
      52,
      'acme:m10 1.0.0 on no machine',
      'acme:m59 1.0.0 on no machine  Next page',
    ]);
    const second = await textOf(site.app, '/modules?after=acme%3Am59');
    expect([second.length, second[2]]).toEqual([12, 'acme:m60 1.0.0 on no machine']);
  });

  it('are none before the first release and report', async () => {
    const { app } = testSite();
    expect(await textOf(app, '/modules')).toEqual([
      'Modules',
      'This registry has no module, and no machine reports one. modreg registry publish publishes a release.',
    ]);
  });

  it('have a page each, with releases and rollouts', async () => {
    const site = await threeMachines();
    site.publish('acme:lidar', '1.3.0');
    site.catalogue.yank(LIDAR, '1.3.0', '');
    const started = {
      kind: 'started',
      after: 0,
      at: NOW,
      salt: 's',
      percent: 5,
      share: 0.5,
    } as const;
    const release = { moduleId: LIDAR, version: '1.3.0' };
    site.catalogue.apply({ kind: 'rollout', ...release, event: started, soakMs: 60_000 });
    expect(await textOf(site.app, '/modules/acme%3Alidar')).toEqual([
      'acme:lidar',
      'latest release: 1.3.0',
      '1.3.0 5 % running',
      'Deployed',
      'version machines stuck behind',
      '1.2.9 2 0 0',
      '1.2.8 1 0 1',
      'Where it failed or was rolled back',
      'What ifversion, which need not be published Show which machines would get it',
      'Releases',
      'version published state',
      '2.0.0-rc.1 2026-11-24 12:00 UTC',
      '1.10.0 2026-11-24 12:00 UTC yanked: loses points in rain',
      '1.3.0 2026-11-24 12:00 UTC rollout 5 % running',
      '1.2.9 2026-11-24 12:00 UTC',
      '1.2.8 2026-11-24 12:00 UTC',
    ]);
  });

  it('[D379] show the notes of a release as text, whatever is in them', async () => {
    const site = testSite();
    site.publish('acme:lidar', '1.2.8', '1.2.9');
    const notes = '# Faster\r\n\n<script>alert(1)</script> **bold**\n\tsafe \u202eelif\n';
    const release = { moduleId: LIDAR, version: '1.2.9' };
    site.catalogue.apply({ kind: 'notes', ...release, notes });
    const page = await (await site.app.request('/modules/acme%3Alidar')).text();
    expect(page.match(/href="[^"]*notes[^"]*"/g)).toEqual([
      'href="/modules/acme%3Alidar/notes?version=1.2.9"',
    ]);
    const shown = await (
      await site.app.request('/modules/acme%3Alidar/notes?version=1.2.9')
    ).text();
    expect(/<pre[^>]*>(.*)<\/pre>/s.exec(shown)?.[1]).toBe(
      '# Faster\n\n&lt;script&gt;alert(1)&lt;/script&gt; **bold**\n    safe \\u{202e}elif',
    );
    expect(await textOf(site.app, '/modules/acme%3Alidar/notes?version=1.2.8')).toEqual([
      'acme:lidar 1.2.8',
      'This release has no notes.',
      'acme:lidar',
    ]);
  });

  it.each([
    ['/modules/acme%3Alidar/notes?version=9.0.0', 'acme:lidar has no version 9.0.0'],
    [
      '/modules/acme%3Anothing',
      'nothing was ever published for acme:nothing, and no machine reports it',
    ],
    ['/modules/nothing', '"nothing" is not a module id'],
  ])('%s is not there', async (path, message) => {
    const { app } = await threeMachines();
    expect((await app.request(path)).status).toBe(404);
    expect((await textOf(app, path))[1]).toContain(`UNKNOWN_REFERENCE ${message}`);
  });
});

describe('what a release would do', () => {
  it('is shown for machines that report the same, as modreg fleet what-if shows it', async () => {
    const site = testSite();
    site.publish('acme:lidar', '1.2.8', '1.2.9');
    await site.report('rover-1', [lidarReport({}, NOW)]);
    await site.report('rover-2', [lidarReport({}, NOW)]);
    await site.report('rover-3', [lidarReport({ constraint: '1.2.*' }, NOW)]);
    await site.report('rover-4', [{}]);
    const path = '/modules/acme%3Alidar/what-if?version=1.4.0';
    expect((await textOf(site.app, path)).slice(0, 6)).toEqual([
      'What if: acme:lidar 1.4.0',
      '2 of 4 machines would get it. It is not published: this is what would happen if it were published now, for all platforms.',
      'when machines deployed constraint what',
      'now 2: rover-1, rover-2 1.2.9 1.* upgrade, stops lidar0, nav',
      'never 1: rover-3 1.2.9 1.2.* minor 4 is not 2',
      'never 1: rover-4 1.2.9 1.* the machine does not report its policy version, which need not be published Show which machines would get it',
    ]);
    expect((await textOf(site.app, path.replace('1.4.0', '1.2.9')))[1]).toBe(
      '0 of 4 machines would get it.',
    );
  });

  it('needs a version', async () => {
    const { app } = await threeMachines();
    const path = '/modules/acme%3Alidar/what-if?version=1.4';
    expect((await app.request(path)).status).toBe(422);
    expect((await textOf(app, path))[1]).toContain('BAD_VERSION "1.4" is not a version');
  });

  it('is decided in slices, so that other pages are shown meanwhile (T268)', async () => {
    const site = testSite();
    await site.report('rover-1', [lidarReport({}, NOW)]);
    // Each is looked for through 60 years, and none opens.
    const windows = Array.from({ length: 100 }, (_, place) => ({
      start: `0,${(place % 59) + 1} 2 25-31 3 +SUN`,
      durationMs: 1000 + place,
      timeZone: 'Europe/Berlin',
    }));
    await site.report('rover-2', [lidarReport({ windows }, NOW)]);
    const shown: string[] = [];
    const ask = async (path: string): Promise<void> => {
      expect((await site.app.request(path)).status).toBe(200);
      shown.push(path);
    };
    const whatIf = '/modules/acme%3Alidar/what-if?version=1.4.0';
    const others = ['/', '/machines/rover-1', '/modules'];
    await Promise.all([whatIf, ...others].map(ask));
    expect([shown.at(-1), shown.slice(0, 3).toSorted()]).toEqual([whatIf, others.toSorted()]);
  });
});

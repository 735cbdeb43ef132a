import { describe, expect, it } from 'vitest';
import type { Role } from '../../src/server/accounts/role.ts';
import { lidarReport } from '../support/reported-facts.ts';
import { guardedSite, HTML, OWN, type GuardedSite } from './support/guarded-site.ts';
import { linesOf } from './support/machine-page.ts';
import { LIDAR, rollingOut } from './support/rolling-site.ts';
import { NOW, testSite } from './support/site-page.ts';

/** A machine config whose lidar has this constraint. */
function config(version: string): string {
  const lidar = { type: 'registry', name: 'acme_lidar', module_id: 'acme:lidar', version };
  return JSON.stringify({ modules: [lidar] });
}

const ALL = ['viewer', 'operator', 'admin'] as const;

/** More modules than there are cards for. */
const MODULES = Array.from({ length: 51 }, (_none, place) => ({ name: `m${place}` }));

/** A site that serves revisions to two machines, and has an account of each role. */
async function servingSite(): Promise<GuardedSite> {
  const page = guardedSite();
  await page.site.report('rover-7', [lidarReport({ constraint: '1.2.*' }, NOW)]);
  for (const [basedOn, version] of ['latest', '1.2.*'].entries()) {
    const by = { policy: undefined, reason: 'first', author: 'ops', at: NOW };
    const saved = { machine: 'rover-7', config: config(version), basedOn, ...by };
    page.site.catalogue.configs.save(saved);
  }
  await page.site.report('rover-8', [lidarReport({ constraint: '1.2.*' }, NOW), ...MODULES]);
  const other = { machine: 'rover-8', config: config('1.*'), basedOn: 0, policy: undefined };
  page.site.catalogue.configs.save({ ...other, reason: 'first', author: 'ops', at: NOW });
  for (const role of ALL) page.account(role, role);
  return page;
}

/** The places of a page that lead to a change: the action of a form, or a link to one. */
async function offered(page: GuardedSite, role: Role, path: string): Promise<readonly string[]> {
  const answer = await page.ask(`GET ${path}`, { ...HTML, cookie: page.sessionOf(role) });
  expect(answer.status).toBe(200);
  const places = Array.from((await answer.text()).matchAll(/(?:action|href)="([^"]*)"/g), (one) =>
    String(one[1]),
  );
  const isChange = /\/(version|restore|hold|unhold|upgrade|restart|rollback|halt|raise|retract)$/;
  return places.flatMap((place) => isChange.exec(place)?.[1] ?? []);
}

describe('[D372] what a page offers', () => {
  it.each([
    ['/machines/rover-7', [], ['version'], ['version']],
    ['/machines/rover-8', [], ['version'], ['version']],
    ['/machines/rover-7/documents/1', [], [], ['restore']],
    [
      '/machines/rover-7/commands',
      [],
      ['hold', 'unhold', 'upgrade', 'restart', 'rollback'],
      ['hold', 'unhold', 'upgrade', 'restart', 'rollback'],
    ],
  ])('%s to a viewer %j, to an operator %j, to an admin %j', async (path, ...expected) => {
    const page = await servingSite();
    const found = ALL.map(async (role) => await offered(page, role, path));
    expect(await Promise.all(found)).toEqual(expected);
  });

  it('of rollouts only admins are offered changes', async () => {
    const site = await rollingOut();
    site.catalogue.yank(LIDAR, '1.3.0', null);
    const page = guardedSite(site);
    for (const role of ALL) page.account(role, role);
    const found = ALL.map(async (role) => await offered(page, role, '/rollouts'));
    expect(await Promise.all(found)).toEqual([[], [], ['halt', 'raise', 'retract']]);
  });

  it('is all to who signed in with a code', async () => {
    const page = await servingSite();
    const headers = { ...HTML, cookie: page.session() };
    const text = await (await page.ask('GET /machines/rover-7/documents/1', headers)).text();
    expect(text).toContain('Restore revision 1');
    expect(text).not.toContain('(admin)');
  });
});

it('[D373] the account that makes a change is its author, on the page and for the machine', async () => {
  const page = await servingSite();
  page.account('ada', 'operator');
  const headers = { ...OWN, cookie: page.sessionOf('ada') };
  const command = 'key=AAAAAAAAAAAAAAAAAAAAAA&module=acme_lidar&reason=loud';
  await page.ask('POST /machines/rover-7/commands/restart', headers, command);
  const version = 'based_on=2&version=1.*&reason=newer';
  await page.ask('POST /machines/rover-7/modules/acme_lidar/version', headers, version);
  const { configs } = page.site.catalogue;
  expect(configs.commands.all('rover-7').map(({ author }) => author)).toEqual(['page (ada)']);
  expect(configs.newest('rover-7')?.author).toBe('page (ada)');
});

it('[D375] the account that changes a rollout is its author in the page of changes and the log', async () => {
  const site = await rollingOut();
  const page = guardedSite(site);
  page.account('ada', 'admin');
  const [rolling] = site.catalogue.rollouts.all().rollouts;
  const headers = { ...OWN, cookie: page.sessionOf('ada') };
  const form = `after=${rolling?.rollout.sequence}&reason=loud`;
  await page.ask('POST /rollouts/acme%3Alidar/1.3.0/halt', headers, form);
  const shown = await page.ask('GET /changes', { ...HTML, cookie: page.sessionOf('ada') });
  expect(linesOf(await shown.text())[1]).toBe(
    '12:00 UTC acme:lidar 1.3.0: rollout halted by page (ada): loud',
  );
  expect(page.logged).toEqual(['rollout-halted by page (ada)']);
});

it('[D373] a change of who signed in with a code has the session', async () => {
  const page = guardedSite(testSite());
  await page.site.report('rover-7', [{}]);
  const headers = { ...OWN, cookie: page.session() };
  const command = 'key=AAAAAAAAAAAAAAAAAAAAAA&module=acme_lidar&reason=loud';
  await page.ask('POST /machines/rover-7/commands/restart', headers, command);
  const [given] = page.site.catalogue.configs.commands.all('rover-7');
  expect(given?.author).toMatch(/^page \(session [\da-f]{8}\)$/);
});

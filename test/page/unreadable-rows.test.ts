import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { serveRegistry } from '../../src/server/index.ts';
import { printed } from '../support/command.ts';
import { lidarReport } from '../support/reported-facts.ts';
import { tokenFor } from '../support/token.ts';
import { textOf } from './support/machine-page.ts';
import { moduleId, NOW, testSite, type TestSite } from './support/site-page.ts';

/** A rollout whose share has `rover-1`, and the machine `bad`, of which another modreg stored `content`. */
async function siteWith(content: string): Promise<TestSite> {
  const site = testSite();
  site.publish('acme:lidar', '1.2.8', '1.2.9', '1.3.0');
  const release = { moduleId: moduleId('acme:lidar'), version: '1.3.0' };
  site.catalogue.yank(release.moduleId, '1.3.0', '');
  const started = { kind: 'started', after: 0, at: NOW, salt: 's', percent: 5, share: 1 } as const;
  site.catalogue.apply({ kind: 'rollout', ...release, event: started, soakMs: 60_000 });
  await site.report('rover-1', [lidarReport({}, NOW)]);
  const waiting = { ...lidarReport({ deployed: '1.2.8' }, NOW), decision: 'hold', target: '1.2.9' };
  const failed = { to: '1.3.0', result: 'failed', reason: 'motor stalled' } as const;
  await site.report('bad', [waiting], failed);
  stored(site, `UPDATE states SET content = ? WHERE deployed = '1.2.8'`, content);
  return site;
}

function stored({ path }: TestSite, sql: string, text: string): void {
  const database = new DatabaseSync(fleetPath(path));
  database.prepare(sql).run(text);
  database.close();
}

/** What a machine reports without facts that are too deep, and the facts. */
function withFacts(facts: string): string {
  const texts = { constraint: '1.*', target: '1.2.9', reason: null, platform: 'linux/arm64' };
  return `${JSON.stringify({ ...texts, stops: [] }).slice(0, -1)},"facts":${facts}}`;
}

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
}

const rule = { start: '0 0 30 2 *', durationMs: 3_600_000, timeZone: 'UTC' };
const windows = { timing: { window: { $windows: Array.from({ length: 474 }, () => rule) } } };
const DEEP = 'facts: nested more than 64 levels deep';
const MANY = 'facts: found 474 maintenance windows, expected at most 100';
const DAMAGED = 'its row is damaged';

const ROWS: readonly (readonly [string, string, string])[] = [
  ['1,001 levels of facts', withFacts(nested(1001)), DEEP],
  ['257 levels of facts', withFacts(nested(257)), DEEP],
  ['474 windows', withFacts(JSON.stringify(windows)), MANY],
  ['text that is no JSON', '{"platform":', DAMAGED],
  ['no text', '', DAMAGED],
  ['null', 'null', DAMAGED],
  ['a list', '[]', DAMAGED],
  ['fields of other types', '{"platform":1,"stops":{},"target":[],"facts":"x"}', DAMAGED],
];

const PAGES = [
  '/',
  '/?condition=stuck',
  '/?condition=behind',
  '/?module=acme%3Alidar&version=1.2.8',
  '/machines/bad',
  '/machines/rover-1',
  '/rollouts',
  '/rollouts/acme%3Alidar/1.3.0',
  '/rollouts/acme%3Alidar/1.3.0/raise',
  '/modules',
  '/modules/acme%3Alidar',
];

describe('[T266] a machine of which the file has what nobody can read', () => {
  it.each(ROWS)('%s: is shown so on each page, with the others', async (_, content, reason) => {
    const site = await siteWith(content);
    const answers = await Promise.all(PAGES.map(async (path) => await site.app.request(path)));
    expect(answers.map(({ status }) => status)).toEqual(PAGES.map(() => 200));
    expect((await textOf(site.app, '/machines/bad')).join('\n')).toContain(
      `what it reported cannot be read: ${reason}`,
    );
    const list = (await textOf(site.app, '/?module=acme%3Alidar')).join('\n');
    expect(list).toMatch(
      /bad 0 s ago 1\nacme:lidar 1\.2\.8.*\nrover-1 0 s ago 1\nacme:lidar 1\.2\.9/,
    );
    const whatIf = await textOf(site.app, '/modules/acme%3Alidar/what-if?version=1.4.0');
    expect(whatIf[1]).toContain('1 of 2 machines would get it. Not computed for 1.');
    expect(whatIf.slice(3, 5).map((line) => line.replace(/ version, which.*/, ''))).toEqual([
      'now 1: rover-1 1.2.9 1.* upgrade, stops lidar0, nav',
      expect.stringContaining(`its report cannot be read: ${reason}`),
    ]);
  });

  it.each(ROWS)('%s: is listed so by each command, with the others', async (_, content, reason) => {
    const { catalogue } = await siteWith(content);
    const server = await serveRegistry(catalogue, { host: '127.0.0.1', port: 0 });
    onTestFinished(async () => await server.close());
    const environment = { MODREG_TOKEN: tokenFor(catalogue, ['fleet:read'], 'reader') };
    const answerOf = async (...args: readonly string[]): Promise<unknown> => {
      const all = ['fleet', ...args, '--registry', server.address, '--json'];
      const { stdout, exit } = await printed(all, { environment, clock: () => NOW });
      expect(exit).toBe(0);
      return JSON.parse(stdout[0] ?? '');
    };
    expect(await answerOf('machines')).toMatchObject({
      machines: [
        { id: 'bad', modules: [{ deployed: '1.2.8', decision: 'hold', unreadable: reason }] },
        { id: 'rover-1', modules: [{ deployed: '1.2.9', constraint: '1.*' }] },
      ],
    });
    expect(await answerOf('what-if', 'acme:lidar', '1.4.0')).toMatchObject({
      groups: [
        { when: 'now', machines: ['rover-1'] },
        {
          when: 'not-computed',
          machines: ['bad'],
          because: `its report cannot be read: ${reason}`,
        },
      ],
    });
    expect(await answerOf('status')).toMatchObject({ machines: 2 });
  });

  it('an outcome that is damaged is shown as far as it is known', async () => {
    const site = await siteWith(withFacts('null'));
    stored(site, `UPDATE outcomes SET content = ?`, '{"reason":');
    expect((await textOf(site.app, '/machines/bad')).at(-1)).toContain(
      'unreadable unreadable → 1.3.0 failed',
    );
    expect((await site.app.request('/rollouts/acme%3Alidar/1.3.0')).status).toBe(200);
  });
});

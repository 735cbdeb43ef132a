import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { homeAfterNight } from '../support/history.ts';
import { machinePage, textOf } from './support/machine-page.ts';
import { entry } from '../support/planned.ts';

interface Night {
  readonly app: Hono;
  readonly home: string;
}

async function pageAfterNight(machine: object | string): Promise<Night> {
  const { home, now } = await homeAfterNight();
  return { app: machinePage({ home, now, machine }), home };
}

const MACHINE = { modules: [entry('acme:lidar', '1.*')] };

describe('an address that the page does not have (T172)', () => {
  it.each([
    ['/nothing', 'there is no "GET /nothing"'],
    ['/modules/', 'there is no "GET /modules/"'],
    ['/modules/%3Cb%3E', 'machine.json has no module entry "<b>"'],
    ['/modules/nothing/change', 'machine.json has no module entry "nothing"'],
    [
      '/history?module=nothing',
      '"nothing" names no module or subsystem that this machine decides on',
    ],
  ])('%s is a page that says so', async (path, message) => {
    const { app } = await pageAfterNight(MACHINE);
    expect((await app.request(path)).status).toBe(404);
    const lines = await textOf(app, path);
    expect(lines.slice(0, 2)).toEqual(['This cannot be shown', `UNKNOWN_REFERENCE ${message}`]);
  });

  it.each([
    ['GET', '/v1/nothing'],
    ['DELETE', '/v1/nothing'],
  ])('%s %s is a problem for programs', async (method, path) => {
    const { app } = await pageAfterNight(MACHINE);
    const answer = await app.request(path, { method });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { type: 'urn:modreg:unknown-reference', detail: `there is no "${method} ${path}"` },
    ]);
  });

  it.each([
    ['DELETE', '/v1/machine', 'GET'],
    ['OPTIONS', '/v1/config', 'GET, PUT'],
    ['PUT', '/v1/modules/acme_lidar/restart', 'POST, DELETE'],
    ['GET', '/v1/quarantine/acme:lidar/1.2.3', 'DELETE'],
  ])('[T213] %s %s is a problem that names the methods', async (method, path, allow) => {
    const { app } = await pageAfterNight(MACHINE);
    const answer = await app.request(path, { method });
    expect([answer.status, answer.headers.get('allow'), await answer.json()]).toMatchObject([
      405,
      allow,
      {
        type: 'urn:modreg:method-not-allowed',
        title: 'The address does not support this method',
        detail: `"${path}" has no "${method}", only ${allow}; nothing was changed`,
      },
    ]);
  });

  it.each([
    ['GET', '/look', 'POST'],
    ['GET', '/config/check', 'POST'],
    ['DELETE', '/modules/acme_lidar', 'GET'],
    ['PUT', '/quarantine', 'GET, POST'],
  ])('[T213] %s %s is a page that names the methods', async (method, path, allow) => {
    const { app } = await pageAfterNight(MACHINE);
    const answer = await app.request(path, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expect(await answer.text()).toContain(`${path}&quot; has no &quot;${method}&quot;, only`);
  });

  it('[T213] HEAD is answered wherever GET is', async () => {
    const { app } = await pageAfterNight(MACHINE);
    expect((await app.request('/v1/machine', { method: 'HEAD' })).status).toBe(200);
  });

  it('is also a module before the first round, when nothing is recorded', async () => {
    const app = machinePage({ home: temporaryFolder(), now: 0, machine: MACHINE });
    expect((await app.request('/modules/nothing')).status).toBe(404);
  });

  it('leads to the history of a module that was removed from the config', async () => {
    const { app } = await pageAfterNight({ modules: [] });
    const answer = await app.request('/modules/acme_lidar');
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      '/history?module=acme_lidar',
    ]);
  });
});

describe('a machine for which nothing can be planned (T173)', () => {
  it.each(['/history', '/logs'])('%s is shown with the reason', async (path) => {
    const { app } = await pageAfterNight('{"modules":[');
    expect((await app.request(path)).status).toBe(200);
    const lines = (await textOf(app, path)).join('\n');
    expect(lines).toContain('BAD_JSON');
    expect(lines).toContain(
      path === '/history' ? '04:24:33 acme:lidar stuck' : 'No agent has written a log',
    );
  });

  const BROKEN = '{"modules":[\n  {"name":"lidar"';
  const KEPT = 'an agent that runs keeps the last one without errors';

  it.each(['/', '/config', '/modules/acme_lidar', '/modules/acme_lidar/change'])(
    '[T215] %s says which line of the machine config is wrong, and what is kept',
    async (path) => {
      const { app, home } = await pageAfterNight(BROKEN);
      expect((await app.request(path)).status).toBe(409);
      const file = join(home, 'machine.json');
      const lines = [
        'This cannot be shown',
        `BAD_VALUE the machine config ${file} has 1 error; ${KEPT}`,
        '2:18 BAD_JSON: expected "}"',
      ];
      const why = 'its secrets cannot be told apart, so it is not shown: correct it on the machine';
      const hint = `modreg check ${file} --as machine shows them all`;
      const more = path === '/config' ? [why, hint] : [hint];
      expect(await textOf(app, path)).toEqual([...lines, ...more]);
    },
  );

  it.each([
    ['GET', '/v1/machine'],
    ['GET', '/v1/config'],
    ['GET', '/v1/modules/acme_lidar/explain'],
    ['GET', '/v1/modules/acme_lidar/compare'],
    ['POST', '/v1/look'],
  ])('[T215] %s %s is the same problem', async (method, path) => {
    const { app, home } = await pageAfterNight(BROKEN);
    const answer = await app.request(path, { method });
    expect([answer.status, await answer.json()]).toMatchObject([
      409,
      {
        type: 'urn:modreg:bad-value',
        detail: `the machine config ${join(home, 'machine.json')} has 1 error; ${KEPT}`,
      },
    ]);
  });

  it('GET /v1/history says that machine.db is damaged, not that it has no such module', async () => {
    const { app, home } = await pageAfterNight(MACHINE);
    rmSync(join(home, 'machine.db-wal'), { force: true });
    writeFileSync(join(home, 'machine.db'), 'x'.repeat(8192));
    const answer = await app.request('/v1/history');
    expect([answer.status, await answer.json()]).toMatchObject([
      500,
      { type: 'urn:modreg:state-unreadable' },
    ]);
  });
});

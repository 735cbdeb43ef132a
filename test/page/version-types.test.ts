import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask } from '../support/history.ts';
import { changedPage, mainText, refusal, ROVER, type ChangedPage } from './support/changed-page.ts';
import { textOf } from './support/machine-page.ts';
import { NIGHTLY } from '../support/restarts.ts';

const CHANGE = '/modules/acme_lidar/change';
const VERSION = '/v1/modules/acme_lidar/version';

async function put(page: ChangedPage, version: string, headers: Readonly<Record<string, string>>) {
  return await page.ask('PUT', VERSION, { body: { version }, headers });
}

/** Writes another version into the file, as a second editor does. */
function edit({ machine }: ChangedPage, version: string): string {
  const text = ROVER.replace('"1.2.*"', `"${version}"`);
  writeFileSync(join(machine.home, 'machine.json'), text);
  return text;
}

describe('[T139] the page of the version types', () => {
  it('says what each would do before one is saved', async () => {
    const { app } = await changedPage();
    expect(await textOf(app, CHANGE)).toEqual([
      'Change the version of acme:lidar',
      '1.2.3 is deployed, and the constraint is 1.2.*.',
      'version type selects what happens edit',
      'patch 1.2.3 1.2.3 pinned to 1.2.3',
      'Why',
      'pinned machine.json:8 "1.2.*" -> "1.2.3"',
      'minor 1.2.* (now) 1.2.3 1.2.3 is the newest patch of 1.2',
      'Why',
      'already the newest patch of 1.2',
      'major 1.* 1.10.0 upgrade to 1.10.0 is due',
      'Why',
      'newest release of 1',
      'stops base (needs front-lidar), front-lidar machine.json:8 "1.2.*" -> "1.*"',
      'latest  2.0.1 upgrade to 2.0.1 is due · a new major',
      'Why',
      'newest release; new major: read its release notes',
      'stops base (needs front-lidar), front-lidar machine.json:8 "1.2.*" -> "latest"',
      'latest-with-prerelease  2.1.0-rc.1 upgrade to 2.1.0-rc.1 is due · a new major',
      'Why',
      'newest release or prerelease; new major: read its release notes',
      'stops base (needs front-lidar), front-lidar machine.json:8 "1.2.*" -> "latest-with-prerelease" Saveanother version Show what it does',
      'Do nothing',
    ]);
  });

  it('[D416] shows what a version does that a person types, before it is saved', async () => {
    const page = await changedPage();
    const lines = await textOf(page.app, `${CHANGE}?version=1.10.0`);
    expect(lines[3]).toBe('patch 1.10.0 1.10.0 upgrade to 1.10.0 is due');
    const html = await (await page.app.request(`${CHANGE}?version=1.10.0`)).text();
    expect(/value="([^"]*)" required="" checked=""/.exec(html)?.[1]).toBe('1.10.0');
    expect((await textOf(page.app, `${CHANGE}?version=1.x`))[1]).toBe(
      'BAD_CONSTRAINT "1.x" is not a version constraint',
    );
    expect(page.file()).toBe(ROVER);
  });

  it('agrees with modreg plan on each type', async () => {
    const page = await changedPage(NIGHTLY);
    const { json } = await page.ask('GET', '/v1/modules/acme_lidar/compare');
    const { choices } = json as {
      choices: { constraint: string; outcome: Record<string, unknown> }[];
    };
    expect(choices).toHaveLength(5);
    for (const { constraint, outcome } of choices) {
      edit(page, constraint);
      const args = ['plan', `${page.machine.home}/machine.json`, '--json', '--offline'];
      const { answer } = await ask(page.machine, ...args, '--registry', 'https://registry.example');
      const [row] = (JSON.parse(answer[0] ?? '') as { modules: Record<string, unknown>[] }).modules;
      const { decision, direction, target, reason, stops } = outcome;
      expect(row).toMatchObject({ constraint, decision, direction, target, reason, stops });
    }
  });

  it.each([
    ['own', 409, 'acme:own (own) is a local module: it has no version that could be changed'],
    [
      'platform-agent',
      409,
      'platform-agent is a subsystem: the agent configuration sets its version with pin_url, pin_version or release_channel',
    ],
    ['<b>', 404, 'machine.json has no module entry "<b>"'],
  ])('%s has none: %i', async (name, status, message) => {
    const page = await changedPage();
    const path = `/v1/modules/${encodeURIComponent(name)}/compare`;
    expect(refusal(await page.ask('GET', path))).toEqual([
      status,
      status === 404 ? 'urn:modreg:unknown-reference' : 'urn:modreg:usage',
      message,
    ]);
    const response = await page.app.request(`/modules/${encodeURIComponent(name)}/change`);
    const html = await response.text();
    expect([response.status, html.includes('<b>'), mainText(html).includes(message)]).toEqual([
      status,
      false,
      true,
    ]);
  });
});

describe('[T138] a version is saved', () => {
  it('by a form, and nothing else in the file changes', async () => {
    const page = await changedPage();
    const form = { etag: await page.etag(), deployed: '1.2.3', version: '1.*' };
    expect(await page.post(CHANGE, form)).toEqual([303, '/modules/acme_lidar']);
    expect(page.file()).toBe(ROVER.replace('"1.2.*"', '"1.*"'));
  });

  it('by a program, and the new ETag is that of the file', async () => {
    const page = await changedPage();
    const answer = await put(page, 'latest', { 'if-match': await page.etag() });
    expect([answer.status, answer.json, answer.headers.get('etag')]).toEqual([
      200,
      {
        schema: 'modreg/config-saved@1',
        changed: true,
        lines: ['machine.json:8 "1.2.*" -> "latest"'],
      },
      await page.etag(),
    ]);
    const again = await put(page, 'latest', { 'if-match': await page.etag() });
    expect(again.json).toEqual({ schema: 'modreg/config-saved@1', changed: false, lines: [] });
  });

  it('not over the change of another editor: both values are shown', async () => {
    const page = await changedPage();
    const etag = await page.etag();
    const theirs = edit(page, '1.10.*');
    const both =
      'machine.json was changed meanwhile, and that change is kept; acme:lidar: its version is "1.10.*" now, and "1.*" was not saved';
    expect(refusal(await put(page, '1.*', { 'if-match': etag }))).toEqual([
      412,
      'urn:modreg:changed-meanwhile',
      both,
    ]);
    const [status, text] = await page.post(CHANGE, { etag, deployed: '1.2.3', version: '1.*' });
    expect([
      status,
      text.includes(both),
      text.includes('machine.json:8 "1.10.*" -> "1.*"'),
    ]).toEqual([412, true, true]);
    expect(page.file()).toBe(theirs);
  });

  it('only if the person saw what is deployed', async () => {
    const page = await changedPage();
    const form = { etag: await page.etag(), deployed: '1.2.2', version: '1.*' };
    expect(await page.post(CHANGE, form)).toEqual([
      409,
      'This was not done DEPLOYED_CHANGED acme:lidar 1.2.3 is deployed by now, and the page showed 1.2.2; nothing was changed look at what each type does now',
    ]);
    expect(page.file()).toBe(ROVER);
  });

  it.each([
    ['1.x', {}, 422, 'urn:modreg:bad-constraint'],
    ['1.*', { 'if-match': '*' }, 428, 'urn:modreg:no-etag'],
    ['1.*', { 'if-match': 'W/"x"' }, 412, 'urn:modreg:changed-meanwhile'],
    ['1.*', { 'if-match': '' }, 428, 'urn:modreg:no-etag'],
    ['1.*', { 'content-type': 'text/plain' }, 415, 'urn:modreg:not-json'],
  ])('%s with %o is refused: %i', async (version, headers, status, type) => {
    const page = await changedPage();
    const answer = await put(page, version, { 'if-match': await page.etag(), ...headers });
    expect([answer.status, Object(answer.json).type]).toEqual([status, type]);
    expect(page.file()).toBe(ROVER);
  });
});

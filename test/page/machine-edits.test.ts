import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { changedPage, ROVER, type ChangedPage } from './support/changed-page.ts';
import { textOf } from './support/machine-page.ts';

const ARM =
  '    {"type": "registry", "name": "acme_arm", "module_id": "acme:arm", "version": "1.0.0"}';

const WRITTEN = `{
  "maintenance": [
    {
      "start": "0 2 * * MON-FRI",
      "duration": "2h",
      "time_zone": "Europe/Berlin"
    }
  ]
}`;

function policyOf({ machine }: ChangedPage): string {
  return readFileSync(join(machine.home, 'policy.json'), 'utf8');
}

/** The ETag in the form of a page. */
async function etagAt({ app }: ChangedPage, path: string): Promise<string> {
  const html = await (await app.request(path)).text();
  return /name="etag" value="([^"]*)"/.exec(html)?.[1] ?? '';
}

it('[D416] a module is added after its page has shown what changes, and no secret', async () => {
  const page = await changedPage();
  const path = '/edit/add?module_id=acme%3Aarm&version=1.0.0';
  const lines = await textOf(page.app, path);
  expect(lines.filter((line) => !line.startsWith('"modules"'))).toEqual([
    'Add a module',
    'Nothing is changed yet. Saving changes this:machine.json:',
    '…',
    '],',
    '{"type": "registry", "name": "acme_lidar", "module_id": "acme:lidar", "version": "1.2.*" /* until June */ },',
    '-    {"type": "local", "name": "own", "module_id": "acme:own", "version": "0"}',
    '+    {"type": "local", "name": "own", "module_id": "acme:own", "version": "0"},',
    `+${ARM}`,
    '],',
    '"agent": { "agent-provisioning": { "attributes": { "networks": [ { "ssid": "hall", "psk": "•••" } ] } } }',
    '}',
    'acme_arm now not on this machine; then stuck: the deployed version is not knownSave',
    'Do nothing',
  ]);
  expect(page.file()).toBe(ROVER);
  const form = { module_id: 'acme:arm', version: '1.0.0', etag: await etagAt(page, path) };
  expect(await page.post('/edit/add', form)).toEqual([303, '/edit']);
  expect(page.file()).toBe(ROVER.replace('"version": "0"}\n', `"version": "0"},\n${ARM}\n`));
});

it('[D416] a module is removed from its page', async () => {
  const page = await changedPage();
  const html = await (await page.app.request('/modules/own')).text();
  expect(html).toContain('<a href="/edit/remove?name=own">Remove…</a>');
  const used = await textOf(page.app, '/edit/remove?name=own');
  const place = used.indexOf('Modules') + 1;
  const wrong = used.slice(place, place + 2);
  expect(wrong.map((line) => line.replace(/\/.*machine\.json/, 'FILE'))).toEqual([
    'BAD_VALUE after this, the machine config FILE has 1 error',
    '5:68 UNKNOWN_REFERENCE /components/1/model: no module entry has the module_id acme:own; add the module that provides this modelmodule version',
  ]);
  writeFileSync(join(page.machine.home, 'machine.json'), `{ "modules": [\n${ARM}\n] }\n`);
  const etag = await etagAt(page, '/edit/remove?name=acme_arm');
  expect(await page.post('/edit/remove', { name: 'acme_arm', etag })).toEqual([303, '/edit']);
  expect(page.file()).toBe('{ "modules": [\n] }\n');
});

it('[D416] a window is added to a policy, which is created if there is none', async () => {
  const page = await changedPage();
  rmSync(join(page.machine.home, 'policy.json'));
  const form = { at: '02:00', days: 'MON-FRI', duration: '2h', time_zone: 'Europe/Berlin' };
  const path = `/edit/window?${new URLSearchParams(form).toString()}`;
  expect((await textOf(page.app, path)).filter((line) => line.startsWith('+'))).toEqual(
    WRITTEN.split('\n').map((line) => `+${line}`),
  );
  expect(await page.post('/edit/window', { ...form, etag: await etagAt(page, path) })).toEqual([
    303,
    '/edit',
  ]);
  expect(policyOf(page)).toBe(`${WRITTEN}\n`);
  expect((await textOf(page.app, '/edit')).join(' ')).toContain(
    '02:00 Monday to Friday for 2h, Europe/Berlin',
  );
});

it('[T810] documents that another person changed stay, and the page shows the difference now', async () => {
  const page = await changedPage();
  const etag = await etagAt(page, '/edit/age?age=7d');
  writeFileSync(join(page.machine.home, 'policy.json'), '{ "minimum_release_age": "3d" }\n');
  const [status, text] = await page.post('/edit/age', { age: '7d', etag });
  expect([status, text.replace(/ acme_lidar now .*/, '')]).toEqual([
    412,
    'CHANGED_MEANWHILE the machine config or its policy was changed meanwhile, and that change is kept; yours was not saved what it changes now is below Set how old a release must be Nothing is changed yet. Saving changes this: policy.json: -{ "minimum_release_age": "3d" } +{ "minimum_release_age": "7d" }',
  ]);
  expect(policyOf(page)).toBe('{ "minimum_release_age": "3d" }\n');
});

it('[T810] [D453] an edit that the policy does not allow is refused with its place', async () => {
  const page = await changedPage();
  const path = '/edit/window?at=02%3A00&days=*&duration=0s&time_zone=UTC';
  const lines = await textOf(page.app, path);
  const place = lines.indexOf('When modules may restart') + 1;
  expect(
    lines.slice(place, place + 2).map((line) => line.replace(/\/.*policy\.json/, 'FILE')),
  ).toEqual([
    'BAD_VALUE after this, the policy FILE has 1 error',
    '5:19 OUT_OF_RANGE /maintenance/0/duration: found "0s", expected a duration longer than zero',
  ]);
  expect(policyOf(page)).toBe('{}');
});

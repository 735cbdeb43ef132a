import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changedPage, mainText, refusal, ROVER } from './support/changed-page.ts';

const SHOWN = ROVER.replace('correct horse', '•••');

describe('[T140] the machine config on the page', () => {
  it('is shown without its secrets', async () => {
    const { app, ask } = await changedPage();
    const { json } = await ask('GET', '/v1/config');
    expect(json).toEqual({ schema: 'modreg/config@1', file: 'machine.json', text: SHOWN });
    const html = await (await app.request('/config')).text();
    const [, area = ''] = /<textarea[^>]*>\n(.*?)<\/textarea>/s.exec(html) ?? [];
    expect([area.replaceAll('&quot;', '"'), html.includes('correct horse')]).toEqual([
      SHOWN,
      false,
    ]);
  });

  it('is saved with its secrets, and with the line ends of the file', async () => {
    const { post, etag, file } = await changedPage();
    const text = SHOWN.replace('"1.2.*"', '"1.*"').replaceAll('\n', '\r\n');
    expect(await post('/config', { text, etag: await etag() })).toEqual([303, '/config']);
    expect(file()).toBe(ROVER.replace('"1.2.*"', '"1.*"'));
  });

  it('keeps CR LF if the file has it', async () => {
    const { post, etag, file } = await changedPage({}, ROVER.replaceAll('\n', '\r\n'));
    const text = SHOWN.replace('"1.2.*"', '"1.*"').replaceAll('\n', '\r\n');
    expect(await post('/config', { text, etag: await etag() })).toEqual([303, '/config']);
    expect(file()).toBe(ROVER.replace('"1.2.*"', '"1.*"').replaceAll('\n', '\r\n'));
  });

  it('is not shown if it is not JSON, because its secrets cannot be told apart (T215)', async () => {
    const { ask, app, machine } = await changedPage({}, ROVER.replace('"networks"', 'networks'));
    const answer = await ask('GET', '/v1/config');
    expect(refusal(answer)).toEqual([
      409,
      'urn:modreg:bad-value',
      `the machine config ${join(machine.home, 'machine.json')} has 1 error; an agent that runs keeps the last one without errors`,
    ]);
    expect(await (await app.request('/config')).text()).not.toContain('correct horse');
  });
});

describe('[T140] a checked config', () => {
  it('has the findings with their places, and the decisions that would change', async () => {
    const { ask } = await changedPage();
    const check = async (text: string): Promise<unknown> =>
      (await ask('POST', '/v1/config/check', { body: { text } })).json;
    expect(await check(SHOWN)).toMatchObject({ errors: 0, findings: [], changes: [] });
    expect(await check(SHOWN.replace('"1.2.*"', '"latest"'))).toMatchObject({
      errors: 0,
      changes: [
        {
          kind: 'module',
          name: 'acme_lidar',
          before: 'up to date: already the newest patch of 1.2',
          after: 'upgrade to 2.0.1: newest release; new major: read its release notes',
        },
      ],
    });
    expect(await check(SHOWN.replace('"1.2.*"', '"1.x"').replace('"hall"', '"•••"'))).toMatchObject(
      {
        errors: 3,
        changes: null,
        findings: [
          { severity: 'error', code: 'BAD_CONSTRAINT', line: 8, path: '/modules/0/version' },
          {
            code: 'MISPLACED_SECRET',
            line: 11,
            path: '/agent/agent-provisioning/attributes/networks/0/ssid',
          },
          {
            code: 'MISPLACED_SECRET',
            line: 11,
            path: '/agent/agent-provisioning/attributes/networks/0/psk',
          },
        ],
      },
    );
  });

  it('is shown by a form, which keeps the text and the ETag', async () => {
    const { post, etag, file } = await changedPage();
    const seen = await etag();
    const text = SHOWN.replace('"1.2.*"', '"1.x"');
    const [status, page] = await post('/config/check', { text, etag: seen });
    expect([status, page]).toEqual([
      200,
      expect.stringContaining('checked, 1 error 8:86 error[BAD_CONSTRAINT] /modules/0/version:'),
    ]);
    expect(page).toContain('"version": "1.x" /* until June */');
    expect(file()).toBe(ROVER);
  });

  it('marks the line of an error, to which the error leads', async () => {
    const { app, etag } = await changedPage();
    const form = { text: SHOWN.replace('"1.2.*"', '"1.x"'), etag: await etag() };
    const html = await (
      await app.request('/config/check', { method: 'POST', body: new URLSearchParams(form) })
    ).text();
    const [, numbers = ''] = /<pre aria-hidden="true">(.*?)<\/pre>/s.exec(html) ?? [];
    expect(numbers.split('\n').slice(6, 9)).toEqual([
      '7',
      '<mark id="line-8" data-severity="error">8</mark>',
      '9',
    ]);
    expect(html).toContain('<a href="#line-8">8:86</a>');
  });
});

describe('[T6] a config that cannot be read', () => {
  it.each([
    ['nested 20,000 levels', '['.repeat(20_000), 'TOO_LARGE 1:65'],
    ['not JSON', '{"agent": x}', 'BAD_JSON 1:11'],
  ])('is refused: %s', async (_, text, found) => {
    const { ask, file, etag } = await changedPage();
    const checked = await ask('POST', '/v1/config/check', { body: { text } });
    const { errors, findings } = Object(checked.json);
    const [{ code, line, column }] = findings;
    expect([checked.status, errors, `${code} ${line}:${column}`]).toEqual([200, 1, found]);
    const headers = { 'if-match': await etag() };
    const saved = await ask('PUT', '/v1/config', { body: { text }, headers });
    expect(saved.status).toBe(422);
    expect(file()).toBe(ROVER);
  });

  it('is refused although the file is nested 20,000 levels', async () => {
    const { ask } = await changedPage({}, '['.repeat(20_000));
    const { status } = await ask('POST', '/v1/config/check', { body: { text: ROVER } });
    expect(status).toBe(200);
  });
});

describe('[T138] a config is saved', () => {
  it('not over the change of another editor: both texts are shown', async () => {
    const { post, ask, etag, file, machine, app } = await changedPage();
    const seen = await etag();
    const theirs = ROVER.replace('"1.2.*"', '"1.10.*"');
    writeFileSync(join(machine.home, 'machine.json'), theirs);
    const mine = SHOWN.replace('"1.2.*"', '"1.*"');
    const message =
      'machine.json was changed meanwhile, and that change is kept; yours was not saved';
    const answer = await ask('PUT', '/v1/config', {
      body: { text: mine },
      headers: { 'if-match': seen },
    });
    expect(refusal(answer)).toEqual([412, 'urn:modreg:changed-meanwhile', message]);
    const [status, page] = await post('/config', { text: mine, etag: seen });
    expect([
      status,
      page.includes(message),
      page.includes('"1.10.*"'),
      page.includes('"1.*"'),
    ]).toEqual([412, true, true, true]);
    expect(file()).toBe(theirs);
    // The form of the answer saves over the change that it shows.
    const html = await (await app.request('/config')).text();
    expect(mainText(html)).toContain('"1.10.*"');
    expect(await post('/config', { text: mine, etag: await etag() })).toEqual([303, '/config']);
    expect(file()).toBe(ROVER.replace('"1.2.*"', '"1.*"'));
  });

  it('not with errors, nor with a secret at another place', async () => {
    const { ask, etag, file } = await changedPage();
    const headers = { 'if-match': await etag() };
    const broken = { text: SHOWN.replace('"1.2.*"', '"1.x"') };
    expect(refusal(await ask('PUT', '/v1/config', { body: broken, headers }))).toEqual([
      422,
      'urn:modreg:document-has-errors',
      'machine.json would have 1 error; nothing was changed',
    ]);
    const moved = { text: SHOWN.replace('"hall"', '"yard"') };
    const { json } = await ask('PUT', '/v1/config', { body: moved, headers });
    expect(json).toMatchObject({
      problems: [
        {
          because: [
            expect.stringContaining(
              'MISPLACED_SECRET /agent/agent-provisioning/attributes/networks/0/psk: "•••" stands for the secret of the entry that was here',
            ),
          ],
        },
      ],
    });
    expect(file()).toBe(ROVER);
  });

  it('only with If-Match', async () => {
    const { ask } = await changedPage();
    expect(refusal(await ask('PUT', '/v1/config', { body: { text: SHOWN } }))).toEqual([
      428,
      'urn:modreg:no-etag',
      'there is no If-Match, expected the ETag of the document that is changed',
    ]);
  });
});

describe('[T281] a secret of a module on the page', () => {
  const WITH_ENV = ROVER.replace(
    '"module_id": "acme:lidar",',
    '"module_id": "acme:lidar", "env": {"TOKEN": "t0p-secret"},',
  );
  const STOLEN = SHOWN.replace(
    '{"type": "registry", "name": "acme_lidar", "module_id": "acme:lidar",',
    '{"type": "local", "name": "acme_lidar", "module_id": "acme:lidar", "executable_path": "/usr/bin/env", "env": {"TOKEN": "•••"},',
  );
  const MESSAGE =
    '"•••" keeps a secret while all of its entry but "version" stays as it was, and "type" differs: enter the secret again';

  it('is not given to another program, by the form or by the JSON API', async () => {
    const { post, ask, etag, file } = await changedPage({}, WITH_ENV);
    const seen = await etag();
    const headers = { 'if-match': seen };
    const saved = await ask('PUT', '/v1/config', { body: { text: STOLEN }, headers });
    expect([saved.status, JSON.stringify(saved.json)]).toEqual([
      422,
      expect.stringContaining(`/modules/0/env/TOKEN: ${MESSAGE}`.replaceAll('"', '\\"')),
    ]);
    const [status, page] = await post('/config', { text: STOLEN, etag: seen });
    expect([status, page.includes('MISPLACED_SECRET')]).toEqual([422, true]);
    const { json } = await ask('POST', '/v1/config/check', { body: { text: STOLEN } });
    expect(json).toMatchObject({ errors: 1, findings: [{ message: MESSAGE }] });
    expect(file()).toBe(WITH_ENV);
  });

  it('is given to it once a person has typed it', async () => {
    const { post, etag, file } = await changedPage({}, WITH_ENV);
    const text = STOLEN.replace('{"TOKEN": "•••"}', '{"TOKEN": "another"}');
    expect(await post('/config', { text, etag: await etag() })).toEqual([303, '/config']);
    expect(file()).toBe(text.replace('"•••"', '"correct horse"'));
  });
});

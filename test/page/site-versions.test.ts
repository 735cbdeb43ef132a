import { describe, expect, it } from 'vitest';
import { lidarReport } from '../support/reported-facts.ts';
import { linesOf, textOf } from './support/machine-page.ts';
import { NOW, testSite, type TestSite } from './support/site-page.ts';

const ENTRY = '{ "type": "registry", "name": "acme_lidar", "module_id": "acme:lidar", "version": ';
/** A machine config with a comment, whose lidar has this constraint. */
function config(constraint: string): string {
  return `{
  // the rover in the hall
  "modules": [
    ${ENTRY}"${constraint}" },
    { "type": "local", "name": "own", "module_id": "acme:own", "version": "0" }
  ]
}
`;
}

const MACHINE = '/machines/rover-7';
const VERSION = `${MACHINE}/modules/acme_lidar/version`;
const DOCUMENTS = `${MACHINE}/documents`;

/** A site that serves a machine config, on whose machine 1.2.9 is deployed. */
async function servingSite(constraint = '1.2.*'): Promise<TestSite> {
  const site = testSite();
  site.publish('acme:lidar', '1.2.8', '1.2.9', '1.3.0', '2.0.0', '2.1.0-rc.1');
  await site.report('rover-7', [lidarReport({ constraint }, NOW)]);
  save(site, config(constraint), 0);
  return site;
}

function save({ catalogue }: TestSite, text: string, basedOn: number, reason = 'first'): void {
  catalogue.configs.save({
    machine: 'rover-7',
    config: text,
    policy: undefined,
    author: 'token t1 (ops)',
    reason,
    at: NOW,
    basedOn,
  });
}

function newest({ catalogue }: TestSite): unknown[] {
  const found = catalogue.configs.newest('rover-7');
  return [found?.revision, found?.config, found?.reason, found?.author];
}

it('[D322] the page of a module of a machine says what each version type would do', async () => {
  const { app } = await servingSite();
  expect(await textOf(app, VERSION)).toEqual([
    'Change the version of acme_lidar of rover-7',
    'deployed 1.2.9, constraint 1.2.* in revision 1Version type',
    'patch 1.2.9 up to date',
    'minor 1.2.* (now) up to date',
    'major 1.* upgrade to 1.3.0',
    'latest latest upgrade to 2.0.0',
    'latest-with-prerelease latest-with-prerelease upgrade to 2.1.0-rc.1',
    'reason, which the history has Save',
    'Do nothing',
  ]);
});

it('[D322] a machine that did not report what a plan needs has types without outcomes', async () => {
  const site = await servingSite();
  await site.report('rover-7', [{ deployed: '1.2.9' }]);
  expect((await textOf(site.app, VERSION))[2]).toBe(
    'patch 1.2.9 what the machine would do is not known',
  );
});

it('[D322] the page of a machine leads to the version types where the registry serves its documents', async () => {
  const site = await servingSite();
  await site.report('rover-8', [{}]);
  const shown = async (path: string): Promise<boolean> =>
    (await (await site.app.request(path)).text()).includes('/version"');
  expect([await shown(MACHINE), await shown('/machines/rover-8')]).toEqual([true, false]);
});

it.each(['1.2.9', '1.*', 'latest', 'latest-with-prerelease'])(
  '[D322] saving %s changes the version alone, as the next revision',
  async (version) => {
    const site = await servingSite();
    const form = { based_on: '1', version, reason: ' the new filter ' };
    expect(await site.post(VERSION, form)).toEqual([303, MACHINE]);
    expect(newest(site)).toEqual([2, config(version), 'the new filter', 'page']);
    expect(site.changes).toEqual(['config-saved rover-7 2']);
  },
);

it('[D322] saving the version that is served changes nothing', async () => {
  const site = await servingSite();
  const form = { based_on: '1', version: '1.2.*', reason: 'x' };
  expect(await site.post(VERSION, form)).toEqual([303, MACHINE]);
  expect([newest(site)[0], site.changes]).toEqual([1, []]);
});

it('[D323] the history has each revision with what it changed, and an earlier one is restored as the next', async () => {
  const site = await servingSite();
  save(site, config('1.*'), 1, 'wider');
  expect(await textOf(site.app, DOCUMENTS)).toEqual([
    'Documents of rover-7',
    '12:00 UTC revision 2 by token t1 (ops): wider',
    '12:00 UTC revision 1 by token t1 (ops): first',
    'rover-7',
  ]);
  expect(await textOf(site.app, `${DOCUMENTS}/2`)).toEqual([
    'Revision 2 of the documents of rover-7',
    'Saved 12:00 UTC by token t1 (ops): wider',
    'What it changedmachine.json:',
    '{',
    '// the rover in the hall',
    '"modules": [',
    `-    ${ENTRY}"1.2.*" },`,
    `+    ${ENTRY}"1.*" },`,
    '{ "type": "local", "name": "own", "module_id": "acme:own", "version": "0" }',
    ']',
    '}',
    'The whole machine.json{',
    '// the rover in the hall',
    '"modules": [',
    `${ENTRY}"1.*" },`,
    '{ "type": "local", "name": "own", "module_id": "acme:own", "version": "0" }',
    ']',
    '}',
    'All revisions',
  ]);
  const earlier = await textOf(site.app, `${DOCUMENTS}/1`);
  expect(earlier.slice(earlier.indexOf('Restore it'), earlier.indexOf('Restore it') + 7)).toEqual([
    'Restore it',
    'It is saved as the next revision, which changes:machine.json:',
    '{',
    '// the rover in the hall',
    '"modules": [',
    `-    ${ENTRY}"1.*" },`,
    `+    ${ENTRY}"1.2.*" },`,
  ]);
  const form = { based_on: '2', reason: 'too wide' };
  expect(await site.post(`${DOCUMENTS}/1/restore`, form)).toEqual([303, MACHINE]);
  expect(newest(site)).toEqual([3, config('1.2.*'), 'too wide', 'page']);
});

it('[D440] a revision is shown with its documents, up to 1000 lines of each', async () => {
  const site = await servingSite();
  const lines = Array.from({ length: 1100 }, (_none, place) => `// ${place} <b>`);
  site.catalogue.configs.save({
    machine: 'rover-7',
    config: longText(lines),
    policy: '{ "minimum_release_age": "1d" }',
    author: 'page',
    reason: 'long',
    at: NOW,
    basedOn: 1,
  });
  const shown = await textOf(site.app, `${DOCUMENTS}/2`);
  const whole = shown.slice(shown.indexOf('The whole machine.json// 0 <b>'));
  expect([whole.length, whole[999], whole[1000], whole[1001]]).toEqual([
    1003,
    '// 999 <b>',
    '… 101 more lines',
    'The whole policy.json{ "minimum_release_age": "1d" }',
  ]);
});

/** A machine config with these lines before it. */
function longText(lines: readonly string[]): string {
  return `${lines.join('\n')}\n{ "modules": [] }\n`;
}

it('[D323] of a long document, only the lines around a change are shown, and not more than 300', async () => {
  const site = testSite();
  await site.report('rover-7', [{}]);
  const lines = Array.from({ length: 1500 }, (_none, place) => `// line ${place}`);
  save(site, longText(lines), 0);
  save(site, longText(lines.with(700, '// other')), 1);
  const shown = await textOf(site.app, `${DOCUMENTS}/2`);
  expect(shown.slice(2, shown.indexOf('The whole machine.json// line 0'))).toEqual([
    'What it changedmachine.json:',
    '…',
    '// line 697',
    '// line 698',
    '// line 699',
    '-// line 700',
    '+// other',
    '// line 701',
    '// line 702',
    '// line 703',
    '…',
  ]);
  expect(
    (await textOf(site.app, `${DOCUMENTS}/1`)).filter((one) => /more lines/.test(one)),
  ).toEqual(['… 1202 more lines', '… 501 more lines']);
  save(site, longText([...lines, ...lines]), 2);
  expect((await textOf(site.app, `${DOCUMENTS}/3`))[2]).toBe(
    'What it changedmachine.json: the documents are too long to be compared here: modreg fleet config diff does it',
  );
});

describe('[T730] two people change the same revision', () => {
  it.each([
    [VERSION, { version: 'latest' }],
    [`${DOCUMENTS}/1/restore`, {}],
  ])('the second one at %s is refused with the difference', async (path, form) => {
    const site = await servingSite();
    save(site, config('1.*'), 1, 'wider');
    const [status, html] = await site.post(path, { based_on: '1', reason: 'mine', ...form });
    expect([status, linesOf(html).slice(0, 10)]).toEqual([
      409,
      [
        'This was not done',
        'STALE_CONFIG this is based on revision 1 of rover-7, and the newest is 2: nothing was saved',
        'read what changed, then save this on the newest revision or drop it',
        'What changed sincemachine.json:',
        '{',
        '// the rover in the hall',
        '"modules": [',
        `-    ${ENTRY}"1.2.*" },`,
        `+    ${ENTRY}"1.*" },`,
        '{ "type": "local", "name": "own", "module_id": "acme:own", "version": "0" }',
      ],
    ]);
    expect([newest(site)[0], site.changes]).toEqual([2, []]);
    expect(linesOf(html).slice(-2)).toEqual(['Save mine on revision 2', 'Drop it']);
    const [, action = '', fields = ''] = /<form method="post" action="([^"]*)">(.*?)<\/form>/s.exec(
      html.slice(html.indexOf('What changed since')),
    ) ?? ['', '', ''];
    const again = Array.from(
      fields.matchAll(/name="([^"]*)" value="([^"]*)"/g),
      ([, name, value]) => [name, value],
    );
    expect(await site.post(action, Object.fromEntries(again))).toEqual([303, '/machines/rover-7']);
    expect(newest(site)[0]).toBe(3);
  });
});

describe('[T729] a version that cannot be changed on the page', () => {
  it('is that of a machine to which the registry serves no documents', async () => {
    const site = testSite();
    await site.report('rover-7', [{}]);
    expect(await textOf(site.app, VERSION)).toEqual([
      'This cannot be shown',
      'UNKNOWN_CONFIG this registry serves no documents to "rover-7", so its versions are changed on the machine',
      'to change them here, save them with modreg fleet config set machine.json --machine rover-7 --reason first, and start the agent of the machine with --config-from and the address of this registry',
    ]);
    const form = { based_on: '0', version: '1.*', reason: 'x' };
    expect((await site.post(VERSION, form))[0]).toBe(409);
    expect((await textOf(site.app, DOCUMENTS))[1]).toMatch(
      /^This registry serves no documents to it, so its versions are changed on the machine\. To change them here, save/,
    );
    expect(newest(site)[0]).toBe(undefined);
  });

  it.each(['own', 'acme_arm'])('is that of %s', async (name) => {
    const { app } = await servingSite();
    expect((await textOf(app, `${MACHINE}/modules/${name}/version`))[1]).toBe(
      `UNKNOWN_REFERENCE revision 1 of the documents of rover-7 has no registry module "${name}"`,
    );
  });

  it.each([
    [VERSION, { version: '^1', reason: 'x' }, 409, 'BAD_CONSTRAINT'],
    [VERSION, { version: '1.*' }, 422, 'reason has 0 characters, expected 1 to 200'],
    [VERSION, { version: '1.*', reason: 'x'.repeat(201) }, 422, 'reason has 201 characters'],
    [`${DOCUMENTS}/7/restore`, { reason: 'x' }, 404, 'have no revision 7'],
    [`${DOCUMENTS}/x/restore`, { reason: 'x' }, 404, 'have no revision 0'],
  ])('%s with %j is refused', async (path, form, status, message) => {
    const site = await servingSite();
    const [found, html] = await site.post(path, { based_on: '1', ...form });
    expect([found, linesOf(html)[1]]).toEqual([
      status === 409 ? 422 : status,
      expect.stringContaining(message),
    ]);
    expect([newest(site)[0], site.changes]).toEqual([1, []]);
  });

  it('is one whose earlier document the registry no longer takes', async () => {
    const site = await servingSite();
    save(site, '{ "modules": [] ', 1);
    save(site, config('1.*'), 2);
    const [status, html] = await site.post(`${DOCUMENTS}/2/restore`, {
      based_on: '3',
      reason: 'x',
    });
    expect([status, linesOf(html)[1]]).toEqual([
      409,
      expect.stringMatching(
        /^BAD_VALUE malformed: the machine config cannot be used: 1:17 .*; nothing was saved$/,
      ),
    ]);
    expect(newest(site)[0]).toBe(3);
  });
});

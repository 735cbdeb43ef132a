import { describe, expect, it } from 'vitest';
import { lidarReport } from '../support/reported-facts.ts';
import { APPROVER, AUTHOR, role, trustOf } from '../support/signed.ts';
import { EDIT, previewed } from './support/edit-forms.ts';
import { linesOf, textOf } from './support/machine-page.ts';
import { NOW, testSite, type TestSite } from './support/site-page.ts';

const LIDAR =
  '    { "type": "registry", "name": "acme_lidar", "module_id": "acme:lidar", "version": "1.2.*" }';
const CONFIG = `{
  // the rover in the hall
  "modules": [
${LIDAR}
  ]
}
`;
const POLICY = `{
  // at night
  "maintenance": [{ "start": "0 2 * * *", "duration": "2h", "time_zone": "Europe/Berlin" }],
  "minimum_release_age": "1d"
}
`;
const WINDOW = '{"start":"0 2 * * *","duration":"2h","time_zone":"Europe/Berlin"}';
const MAINTENANCE =
  '  "maintenance": [{ "start": "0 2 * * *", "duration": "2h", "time_zone": "Europe/Berlin" }';
const WEEKEND = '{ "start": "30 22 * * SAT,SUN", "duration": "4h", "time_zone": "UTC" }';
const HOLIDAYS = `    {
      "from": "2026-12-24",
      "to": "2026-12-26",
      "time_zone": "UTC",
      "reason": "holidays"
    }`;

/** A site that serves a machine config and a policy to a machine, whose policy names a trust document if it is `pinned`. */
async function editedSite(pinned?: boolean): Promise<TestSite> {
  const site = testSite();
  if (pinned) site.pinned.add('rover-7');
  site.publish('acme:lidar', '1.2.8', '1.2.9');
  site.publish('acme:arm', '1.0.0');
  await site.report('rover-7', [lidarReport({ constraint: '1.2.*' }, NOW)]);
  save(site, POLICY, 0);
  return site;
}

function save({ catalogue }: TestSite, policy: string | undefined, basedOn: number): void {
  const saved = { machine: 'rover-7', author: 'token t1 (ops)', reason: 'first', at: NOW };
  catalogue.configs.save({ ...saved, config: CONFIG, policy, basedOn });
}

function newest({ catalogue }: TestSite): readonly (string | number | undefined)[] {
  const { revision, config, policy } = catalogue.configs.newest('rover-7') ?? {};
  return [revision, config, policy];
}

it('[D416] the page of edits has a form for each, with what is there', async () => {
  const { app } = await editedSite();
  const html = await (await app.request(EDIT)).text();
  const forms = Array.from(html.matchAll(/ action="[^"]*\/edit\/([^"]*)"/g), ([, form]) => form);
  expect(forms).toEqual(['add', 'remove', 'no-window', 'window', 'blackout', 'age']);
  expect(html).toContain('<option value="acme:arm">');
  expect(html).toContain('aria-label="Remove: 02:00 every day for 2h, Europe/Berlin"');
  expect(await (await app.request('/machines/rover-7')).text()).toContain(`href="${EDIT}"`);
});

describe('[D416] an edit says what it changes, and changes nothing else', () => {
  it.each<[string, Readonly<Record<string, string>>, readonly string[], readonly [string, string]]>(
    [
      [
        'add',
        { module_id: 'acme:arm', version: '1.0.0' },
        [
          `-${LIDAR}`,
          `+${LIDAR},`,
          '+    { "type": "registry", "name": "acme_arm", "module_id": "acme:arm", "version": "1.0.0" }',
        ],
        [
          CONFIG.replace(
            LIDAR,
            `${LIDAR},\n${LIDAR.replace('acme_lidar', 'acme_arm').replace('acme:lidar', 'acme:arm').replace('1.2.*', '1.0.0')}`,
          ),
          POLICY,
        ],
      ],
      ['remove', { name: 'acme_lidar' }, [`-${LIDAR}`], [CONFIG.replace(`${LIDAR}\n`, ''), POLICY]],
      [
        'window',
        { at: '22:30', days: 'SAT,SUN', duration: '4h', time_zone: 'UTC' },
        [`-${MAINTENANCE}],`, `+${MAINTENANCE}, ${WEEKEND}],`],
        [CONFIG, POLICY.replace('" }],', `" }, ${WEEKEND}],`)],
      ],
      [
        'no-window',
        { entry: WINDOW },
        ['-  // at night', `-${MAINTENANCE}],`],
        [CONFIG, '{\n  "minimum_release_age": "1d"\n}\n'],
      ],
      [
        'blackout',
        { from: '2026-12-24', to: '2026-12-26', time_zone: 'UTC', why: 'holidays' },
        [
          '-  "minimum_release_age": "1d"',
          '+  "minimum_release_age": "1d",',
          '+  "blackout": [',
          '+    {',
          '+      "from": "2026-12-24",',
          '+      "to": "2026-12-26",',
          '+      "time_zone": "UTC",',
          '+      "reason": "holidays"',
          '+    }',
          '+  ]',
        ],
        [CONFIG, POLICY.replace('"1d"\n', `"1d",\n  "blackout": [\n${HOLIDAYS}\n  ]\n`)],
      ],
      [
        'age',
        { age: '7d' },
        ['-  "minimum_release_age": "1d"', '+  "minimum_release_age": "7d"'],
        [CONFIG, POLICY.replace('"1d"', '"7d"')],
      ],
    ],
  )('%s with %j', async (form, fields, difference, [config, policy]) => {
    const site = await editedSite();
    const lines = await previewed(site, form, fields);
    expect(lines.filter((line) => /^[-+]/.test(line))).toEqual(difference);
    expect(newest(site)[0]).toBe(1);
    expect(await site.post(`${EDIT}/${form}`, { ...fields, based_on: '1', reason: 'x' })).toEqual([
      303,
      '/machines/rover-7',
    ]);
    expect(newest(site)).toEqual([2, config, policy]);
  });
});

it('[D416] no-blackout removes the days that it names', async () => {
  const site = await editedSite();
  const fields = { from: '2026-12-24', to: '2026-12-24', time_zone: 'UTC', why: '' };
  await site.post(`${EDIT}/blackout`, { ...fields, based_on: '1', reason: 'x' });
  const entry = '{"day":"2026-12-24","time_zone":"UTC"}';
  await site.post(`${EDIT}/no-blackout`, { entry, based_on: '2', reason: 'x' });
  expect(newest(site)).toEqual([3, CONFIG, POLICY]);
});

const NOT_PINNED = 'The policy of this machine names no trust document, so it needs no signature.';
const NO_SIGNATURE =
  'The policy of this machine names a trust document. Compared with what is served now, this change needs no signature; the own terms of the machine may be stricter.';
const REFUSES = 'Without the signature of an operator the machine refuses this: loosens: /policy/';
const TIGHTENS = 'allows more than before, and without a signature the site may only tighten it';
const SIGN =
  'After saving, an operator signs it with modreg fleet config sign --machine rover-7 --key operator.key.';
const LATE = { at: '22:30', days: '*', duration: '4h', time_zone: 'UTC' };

describe('[D417] before it is saved, an edit says what signature it needs', () => {
  it.each<[string, Readonly<Record<string, string>>, boolean, string]>([
    ['age', { age: '7d' }, false, NOT_PINNED],
    ['age', { age: '7d' }, true, NO_SIGNATURE],
    [
      'age',
      { age: '0s' },
      true,
      `${REFUSES}minimum_release_age ${TIGHTENS} (it has 0 of 1). ${SIGN}`,
    ],
    ['window', LATE, true, `${REFUSES}maintenance ${TIGHTENS} (it has 0 of 1). ${SIGN}`],
    ['add', { module_id: 'acme:arm', version: '1.0.0' }, true, NO_SIGNATURE],
  ])('%s with %j, pinned: %s', async (form, fields, pinned, words) => {
    const site = await editedSite(pinned);
    site.catalogue.trust.store(
      trustOf([role('namespace *', 1, AUTHOR), role('operator', 1, APPROVER)]).text,
    );
    expect((await previewed(site, form, fields)).at(-3)).toBe(words);
  });

  it('or that no operator can sign it', async () => {
    const site = await editedSite(true);
    site.catalogue.trust.store(trustOf().text);
    expect((await previewed(site, 'age', { age: '0s' })).at(-3)).toBe(
      `${REFUSES}minimum_release_age ${TIGHTENS} (the trust document names no operator). Change it on the machine instead.`,
    );
  });

  it('or that it is not known, without a trust document here', async () => {
    expect((await previewed(await editedSite(true), 'age', { age: '7d' })).at(-3)).toBe(
      'It is not known whether this machine needs the signature of an operator: its page says so after it has read the revision.',
    );
  });
});

describe('[T810] an edit that is not saved', () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'add',
      { module_id: 'arm', version: '1.*' },
      '"arm" is not a module id, expected <namespace>:<name>, such as acme:lidar',
    ],
    [
      'add',
      { module_id: 'acme:arm', version: '^1' },
      '"^1" is not a version constraint, expected 1.2.3, 1.2.*, 1.*, latest or latest-with-prerelease',
    ],
    [
      'add',
      { module_id: 'acme:arm', version: '1.*', name: 'a/b' },
      'name is "a/b": "/" at character 2 is not allowed',
    ],
    [
      'add',
      { module_id: 'acme:lidar', version: '1.*', name: 'second' },
      'acme:lidar has the entry "acme_lidar" already; nothing was saved',
    ],
    [
      'add',
      { module_id: 'acme:arm', version: '1.*', name: 'acme_lidar' },
      'the name "acme_lidar" is that of acme:lidar; nothing was saved',
    ],
    ['remove', { name: 'own' }, 'the machine config has no module entry "own"; nothing was saved'],
    ['window', { ...LATE, at: '25:00' }, 'at is "25:00", expected a time of day such as 02:00'],
    ['window', { ...LATE, days: 'x' }, 'days is "x", expected one of the list'],
    [
      'window',
      { ...LATE, time_zone: 'Mars' },
      'malformed: the policy cannot be used: 3:150 /maintenance/1/time_zone: "Mars" is not a time zone, expected a name such as Europe/Berlin or UTC; nothing was saved',
    ],
    [
      'no-window',
      { entry: '{}' },
      'the policy has no such entry of maintenance any more; nothing was saved',
    ],
    [
      'blackout',
      { from: '2026-12-24', to: '2026-12-20', time_zone: 'UTC' },
      'malformed: the policy cannot be used: 6:5 /blackout/0: found an end at 2026-12-20, expected one after the begin at 2026-12-24; nothing was saved',
    ],
    [
      'age',
      { age: 'old' },
      'age: "old" is not a duration, expected a whole number and one of s, m, h, d, at most ten years, such as 5m',
    ],
  ])('%s with %j', async (form, fields, message) => {
    const site = await editedSite();
    expect((await previewed(site, form, fields)).join('\n')).toContain(`\nBAD_FIELD ${message}`);
    const [found, html] = await site.post(`${EDIT}/${form}`, {
      ...fields,
      based_on: '1',
      reason: 'x',
    });
    expect([found, linesOf(html)[0], newest(site)[0]]).toEqual([
      expect.any(Number),
      'This was not done',
      1,
    ]);
  });

  it('is one of a revision that another person replaced: it shows the difference', async () => {
    const site = await editedSite();
    save(site, POLICY.replace('1d', '3d'), 1);
    const form = { name: 'acme_lidar', based_on: '1', reason: 'mine' };
    const [status, html] = await site.post(`${EDIT}/remove`, form);
    expect([status, linesOf(html).filter((line) => /^[-+]|STALE/.test(line))]).toEqual([
      409,
      [
        'STALE_CONFIG this is based on revision 1 of rover-7, and the newest is 2: nothing was saved',
        '-  "minimum_release_age": "1d"',
        '+  "minimum_release_age": "3d"',
      ],
    ]);
    expect(await site.post(`${EDIT}/remove`, { ...form, based_on: '2' })).toEqual([
      303,
      '/machines/rover-7',
    ]);
    expect(newest(site)).toEqual([3, CONFIG.replace(`${LIDAR}\n`, ''), POLICY.replace('1d', '3d')]);
  });

  it('is one that another person has made: it shows that too', async () => {
    const site = await editedSite();
    const form = { name: 'acme_lidar', based_on: '1', reason: 'mine' };
    expect((await site.post(`${EDIT}/remove`, form))[0]).toBe(303);
    const [status, html] = await site.post(`${EDIT}/remove`, form);
    expect([status, linesOf(html).filter((line) => line.startsWith('-'))]).toEqual([
      409,
      [`-${LIDAR}`],
    ]);
  });

  it('is that of a machine to which the registry serves nothing', async () => {
    const site = testSite();
    await site.report('rover-7', [{}]);
    expect((await textOf(site.app, EDIT)).slice(1)).toEqual([
      'UNKNOWN_CONFIG this registry serves no documents to "rover-7", so they are edited on the machine',
      'to edit them here, save them with modreg fleet config set machine.json --machine rover-7 --reason first',
    ]);
    expect(await (await site.app.request('/machines/rover-7')).text()).not.toContain(EDIT);
  });
});

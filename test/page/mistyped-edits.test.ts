import { describe, expect, it } from 'vitest';
import { lidarReport } from '../support/reported-facts.ts';
import { EDIT, previewed } from './support/edit-forms.ts';
import { NOW, testSite, type TestSite } from './support/site-page.ts';

const POLICY = '{ "minimum_release_age": "1d" }';
const CONFIG = JSON.stringify({
  modules: [{ type: 'registry', name: 'acme_lidar', module_id: 'acme:lidar', version: '1.2.*' }],
});

/** A site that serves a machine config and a policy to a machine. */
async function editedSite(): Promise<TestSite> {
  const site = testSite();
  site.publish('acme:lidar', '1.2.8', '1.2.9');
  site.publish('acme:arm', '1.0.0');
  await site.report('rover-7', [lidarReport({ constraint: '1.2.*' }, NOW)]);
  save(site);
  return site;
}

function save({ catalogue }: TestSite): void {
  const saved = { machine: 'rover-7', author: 'token t1 (ops)', reason: 'first', at: NOW };
  catalogue.configs.save({ ...saved, config: CONFIG, policy: POLICY, basedOn: 0 });
}

describe('[D453] an edit that cannot be made', () => {
  it.each<[string, Readonly<Record<string, string>>, string, readonly string[]]>([
    [
      'add',
      { module_id: 'acme:arm', version: '^1', name: 'arm' },
      'Modules',
      ['value="acme:arm"', 'value="^1"', 'value="arm"'],
    ],
    [
      'window',
      { at: '25:00', days: 'SAT', duration: '4h', time_zone: 'Mars' },
      'When modules may restart',
      [
        'value="25:00"',
        '<option value="SAT" selected="">Saturday</option>',
        '<option selected="">4h</option>',
        'value="Mars"',
      ],
    ],
    [
      'blackout',
      { from: '2026-12-24', to: '2026-12-20', time_zone: 'Asia/Tokyo', why: 'fair' },
      'When nothing restarts',
      ['value="2026-12-24"', 'value="2026-12-20"', 'value="Asia/Tokyo"', 'value="fair"'],
    ],
    ['age', { age: 'old' }, 'How old a release must be', ['<option selected="">old</option>']],
  ])(
    '%s %j: the forms again, with what was typed and why',
    async (form, fields, section, typed) => {
      const site = await editedSite();
      const query = new URLSearchParams(fields).toString();
      const answer = await site.app.request(`${EDIT}/${form}?${query}`);
      const html = await answer.text();
      const place = html.indexOf(`<h2>${section}</h2>`);
      const shown = html.slice(place, html.indexOf('<h2>', place + 1) >>> 0);
      expect(answer.status).toBe(422);
      expect(shown).toContain('<strong>BAD_FIELD</strong>');
      expect(typed.filter((one) => !shown.includes(one))).toEqual([]);
      expect(html.split('BAD_FIELD').length).toBe(2);
    },
  );

  it('of a machine that has never reported leads to its documents once it is saved', async () => {
    const site = testSite();
    save(site);
    const form = { age: '7d', based_on: '1', reason: 'x' };
    expect(await site.post(`${EDIT}/age`, form)).toEqual([303, '/machines/rover-7']);
    const answer = await site.app.request('/machines/rover-7');
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/machines/rover-7/documents',
    ]);
    expect((await site.app.request('/machines/rover-7/documents')).status).toBe(200);
    expect((await site.app.request('/machines/rover-8')).status).toBe(404);
  });
});

it('[D456] the page of an edit warns of a module of which the registry has no release', async () => {
  const site = await editedSite();
  const fields = { module_id: 'acme:arn', version: '1.*' };
  const warning = 'this registry has no release of acme:arn; did you mean acme:arm?';
  expect(await previewed(site, 'add', fields)).toContain(warning);
  expect(await previewed(site, 'add', { ...fields, module_id: 'acme:arm' })).not.toContain(warning);
});

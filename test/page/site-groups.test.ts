import { describe, expect, it } from 'vitest';
import { textOf } from './support/machine-page.ts';
import { LIDAR, ROLLOUT, seenIn, stateOf } from './support/rolling-site.ts';
import { NOW, testSite, type TestSite } from './support/site-page.ts';

/** Four machines: two canaries, one in the laboratory, and one in no group. 1.3.0 is at the canaries, one of which has it. */
async function rollingOut(): Promise<TestSite> {
  const site = testSite();
  site.publish('acme:lidar', '1.2.9', '1.3.0');
  site.catalogue.yank(LIDAR, '1.3.0', '');
  const first = ['canary', 'lab'];
  const started = {
    kind: 'started',
    after: 0,
    at: NOW,
    salt: 'salt',
    percent: 0,
    share: 0,
  } as const;
  const event = { ...started, first };
  const change = { kind: 'rollout', moduleId: LIDAR, version: '1.3.0', event } as const;
  expect(site.catalogue.apply({ ...change, soakMs: 3_600_000 }).ok).toBe(true);
  site.groups.set('rover-1', 'canary').set('rover-2', 'canary').set('rover-3', 'lab');
  for (const id of ['rover-1', 'rover-2', 'rover-3', 'rover-4']) await site.report(id, [{}]);
  await site.report('rover-1', [{ deployed: '1.3.0' }], { to: '1.3.0', from: '1.2.9' });
  return site;
}

const CARD = [
  'group canary, 1 of 2 groups',
  'installed 1',
  'healthy 1',
  'failed 0',
  'silent 0',
  'not known yet 0',
  'waiting 1',
  'next step 13:00 UTC at the earliest, in 1 h',
  "halts when at least 3 machines failed and the failure rate's lower bound exceeds 1 %, or all machines of a step failed",
  'Halt… Raise now… Retract…',
];

describe('[D107] the page of a site with groups', () => {
  it('shows at which group a rollout is', async () => {
    const { app } = await rollingOut();
    const lines = await textOf(app, '/rollouts');
    expect(lines).toEqual(['Rollouts', 'acme:lidar 1.3.0 running', ...CARD]);
    expect(await textOf(app, '/modules')).toContain('1.3.0 group canary running');
  });

  it('raises it to the next group, then to a percentage', async () => {
    const site = await rollingOut();
    expect((await textOf(site.app, `${ROLLOUT}/raise`)).slice(0, 6)).toEqual([
      'Raise acme:lidar 1.3.0',
      'Now: group canary, 1 of 2 groups, running.',
      'From group canary to group lab: 1 machine more may install it at once, 3 in total.',
      'The step is left 1 h early.',
      'Of 2 machines in the step, 1 are healthy, 0 failed, 0 are silent.',
      'A share never falls: this cannot be taken back, but the rollout can be halted.Raise to group lab',
    ]);
    const raise = async (form: Readonly<Record<string, string>>): Promise<number> => {
      const [status] = await site.post(`${ROLLOUT}/raise`, { after: seenIn(site), ...form });
      return status;
    };
    expect(await raise({ group: 'lab' })).toBe(303);
    expect(await textOf(site.app, ROLLOUT)).toContain('group lab, 2 of 2 groups');
    expect((await textOf(site.app, `${ROLLOUT}/raise`))[2]).toBe(
      'From group lab to 100 %: 1 machine more may install it at once, 4 in total.',
    );
    expect(await raise({ percent: '0.1' })).toBe(303);
    expect(stateOf(site)).toMatchObject({ status: 'running', percent: 0.1 });
  });

  it('counts the machines of each group, and lists them', async () => {
    const { app } = await rollingOut();
    expect((await textOf(app, '/')).join('\n')).toContain(
      'groups canary 2 (2 seen in 24 h), lab 1 (1 seen in 24 h)',
    );
    const html = await (await app.request('/?group=canary')).text();
    const ids = Array.from(html.matchAll(/<a href="\/machines\/([^"]+)"/g), ([, id]) => id);
    expect(ids).toEqual(['rover-1', 'rover-2']);
    expect(await textOf(app, '/machines/rover-3')).toContain('group lab');
    expect(await textOf(app, '/machines/rover-4')).not.toContain('group');
  });
});

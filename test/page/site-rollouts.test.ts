import { describe, expect, it } from 'vitest';
import { sql } from '../support/backups.ts';
import { textOf } from './support/machine-page.ts';
import { BY_COHORT, ROLLOUT, rollingOut, seenIn, stateOf } from './support/rolling-site.ts';
import { moduleId, NOW, testSite } from './support/site-page.ts';

const CARD = [
  '5 %, 4 machines',
  'installed 3',
  'healthy 2',
  'failed 1',
  'silent 0',
  'not known yet 0',
  'waiting 1',
  'next step 13:00 UTC at the earliest, in 1 h',
  "halts when at least 3 machines failed and the failure rate's lower bound exceeds 1 %, or all machines of a step failed",
  `failed "motor stalled" on ${BY_COHORT[2]}`,
  'Halt… Raise now… Retract…',
];

/** A reason may have 500 characters. */
const LONGEST = 'x'.repeat(500);

describe('the rollouts of a site', () => {
  it('are shown with their step, counts, next step, halt rule and failures', async () => {
    const { app } = await rollingOut();
    expect(await textOf(app, '/rollouts')).toEqual([
      'Rollouts',
      'acme:lidar 1.3.0 running',
      ...CARD,
    ]);
    expect(await textOf(app, ROLLOUT)).toEqual([
      'acme:lidar 1.3.0 running',
      ...CARD,
      'Began 12:00 UTC. Machines were counted 12:00 UTC. acme:lidar',
    ]);
  });

  it('are shown with the failures of machines that are not in the step', async () => {
    const site = await rollingOut();
    const { 5: last = '' } = BY_COHORT;
    const outcome = { to: '1.3.0', from: '1.2.9', result: 'failed', reason: 'stalled' } as const;
    await site.report(last, [{}], outcome);
    const lines = await textOf(site.app, ROLLOUT);
    expect(lines.filter((line) => line.startsWith('failed'))).toEqual([
      'failed 1',
      `failed "motor stalled" on ${BY_COHORT[2]}`,
      `failed outside of the step "stalled" on ${last}`,
    ]);
  });

  it('[T207] are shown without one that is damaged, which is named', async () => {
    const site = await rollingOut();
    site.publish('acme:arm', '2.0.0');
    const arm = { kind: 'rollout', moduleId: moduleId('acme:arm'), version: '2.0.0' } as const;
    site.catalogue.yank(arm.moduleId, arm.version, '');
    const event = { kind: 'started', after: 0, at: NOW, salt: 's', percent: 5, share: 1 } as const;
    expect(site.catalogue.apply({ ...arm, event, soakMs: 0 }).ok).toBe(true);
    sql(site.catalogue.path, `UPDATE rollout_events SET content = '[]' WHERE module = 2`);
    const shown = (await textOf(site.app, '/rollouts')).map((line) =>
      line.replaceAll(site.catalogue.path, 'PATH'),
    );
    expect(shown).toEqual([
      'Rollouts',
      'DAMAGED acme:arm 2.0.0: a row of its rollout is damaged',
      '"PATH": row 8 of rollout_events, column content: it is not a JSON object',
      'it is neither raised nor halted, and acme:arm has no list; machines keep what they have, and other rollouts go on',
      'find the row with modreg registry verify where the registry runs, then restore a backup with modreg registry restore',
      'acme:lidar 1.3.0 running',
      ...CARD,
    ]);
  });

  it('are none before the first one', async () => {
    const { app } = testSite();
    expect(await textOf(app, '/rollouts')).toEqual([
      'Rollouts',
      'No release is in a rollout. modreg registry publish --rollout begins one.',
    ]);
  });

  it('that have ended are listed without their machines', async () => {
    const site = await rollingOut();
    await site.post(`${ROLLOUT}/retract`, { after: seenIn(site), reason: 'stops the motor' });
    expect((await textOf(site.app, '/rollouts')).slice(2)).toEqual([
      'Ended',
      'release state why',
      'acme:lidar 1.3.0 retracted stops the motor',
    ]);
  });

  it.each([
    ['/rollouts/acme%3Alidar/1.2.9', 'acme:lidar 1.2.9 is not in a rollout'],
    ['/rollouts/acme%3Alidar/9.9.9', 'acme:lidar has no version 9.9.9'],
    ['/rollouts/acme%3Aarm/1.0.0/halt', 'nothing was ever published for acme:arm'],
    ['/rollouts/lidar/1.0.0', '"lidar" is not a module id'],
  ])('%s is not there', async (path, message) => {
    const { app } = await rollingOut();
    expect((await app.request(path)).status).toBe(404);
    expect((await textOf(app, path))[1]).toContain(`UNKNOWN_REFERENCE ${message}`);
  });
});

/** What a person fills in who has seen the failure. */
const SEEN = { failed: '1', silent: '0', failures: '1' };

describe('a change of a rollout', () => {
  it.each([
    [
      'halt',
      [
        'Halt acme:lidar 1.3.0',
        'Now: 5 %, 4 machines, running.',
        'No further machine installs it. 1 machine of this step have not begun.',
        '3 machines of the step began or have it: they finish what they began, and keep it.',
        'It goes on only if a person resumes it and acknowledges the failures.',
        'reason, which machines and people see Halt now',
        'Do nothing',
      ],
    ],
    [
      'raise',
      [
        'Raise acme:lidar 1.3.0',
        'Now: 5 %, 4 machines, running.',
        'From 5 % to 100 %: 2 machines more may install it at once, 6 in total.',
        'The step is left 1 h early.',
        'Of 4 machines in the step, 2 are healthy, 1 failed, 0 are silent.',
        'A share never falls: this cannot be taken back, but the rollout can be halted.',
        'how many machines failed or became silent, in total Raise to 100 %',
        'Do nothing',
      ],
    ],
    [
      'raise?percent=84',
      [
        'Raise acme:lidar 1.3.0',
        'Now: 5 %, 4 machines, running.',
        'From 5 % to 84 %: 2 machines more may install it at once, 6 in total.',
        'The step is left 1 h early.',
        'Of 4 machines in the step, 2 are healthy, 1 failed, 0 are silent.',
        'A share never falls: this cannot be taken back, but the rollout can be halted.',
        'how many machines failed or became silent, in total Raise to 84 %',
        'Do nothing',
      ],
    ],
    [
      'retract',
      [
        'Retract acme:lidar 1.3.0',
        'Now: 5 %, 4 machines, running.',
        'This ends the rollout for good: no further machine upgrades to the release, and it cannot be resumed.',
        '3 machines of the step that began or have it keep it. modreg registry yank makes them leave it, by their policy.',
        'To try again, publish another version.',
        'reason, which machines and people see Retract for good',
        'Do nothing',
      ],
    ],
  ])('%s says first what it does, and changes nothing', async (page, lines) => {
    const site = await rollingOut();
    const before = stateOf(site);
    expect(await textOf(site.app, `${ROLLOUT}/${page}`)).toEqual(lines);
    expect(stateOf(site)).toEqual(before);
  });

  it('names the failures before it resumes, and their number is typed', async () => {
    const site = await rollingOut();
    await site.post(`${ROLLOUT}/halt`, { after: seenIn(site) });
    expect(await textOf(site.app, `${ROLLOUT}/resume`)).toEqual([
      'Resume acme:lidar 1.3.0',
      'Now: 5 %, 4 machines, halted.',
      '1 machine failed, 0 became silent. They do not count again.',
      '1 machine of the step may install it from now on.',
      'The step begins again and lasts 1 h at least. Further failures halt it again.',
      'how many machines failed or became silent, in total Resume',
      'Do nothing',
    ]);
    const form = { after: seenIn(site), failed: '1', silent: '0' };
    const wrong = await site.post(`${ROLLOUT}/resume`, { ...form, failures: '2' });
    expect(wrong[0]).toBe(409);
    expect(wrong[1]).toContain(
      '&quot;2&quot; was typed, but the number of machines that failed or became silent is 1',
    );
    expect(stateOf(site)['status']).toBe('halted');
    expect(await site.post(`${ROLLOUT}/resume`, { ...form, failures: '1' })).toEqual([
      303,
      ROLLOUT,
    ]);
    expect(stateOf(site)).toMatchObject({
      status: 'running',
      acknowledged: { failed: 1, silent: 0 },
    });
  });

  it.each([
    ['halt', { reason: ' loud ' }, { status: 'halted', percent: 5, because: 'loud' }],
    ['halt', {}, { status: 'halted', percent: 5, because: '' }],
    ['halt', { reason: LONGEST }, { status: 'halted', percent: 5, because: LONGEST }],
    ['raise', { percent: '50', ...SEEN }, { status: 'running', percent: 50, because: undefined }],
    ['retract', { reason: 'x' }, { status: 'retracted', percent: 5, because: 'retracted: x' }],
    ['retract', {}, { status: 'retracted', percent: 5, because: 'retracted' }],
  ])('by a form: %s %j', async (event, form, expected) => {
    const site = await rollingOut();
    const after = seenIn(site);
    expect(await site.post(`${ROLLOUT}/${event}`, { after, ...form })).toEqual([303, ROLLOUT]);
    expect(stateOf(site)).toMatchObject(expected);
    const past = { halt: 'halted', raise: 'raised', retract: 'retracted' }[event];
    expect(site.changes).toEqual([`rollout-${past} acme:lidar 1.3.0`]);
  });

  it.each([
    ['halt', {}, 'after is &quot;&quot;, expected a whole number from 0'],
    ['raise', { after: '1' }, 'percent is &quot;&quot;, expected more than 0 and at most 100'],
    ['raise', { after: '1', percent: '101' }, 'percent is &quot;101&quot;, expected more than 0'],
    [
      'halt',
      { after: '1', reason: `${LONGEST}x` },
      'reason has 501 characters, expected at most 500',
    ],
  ])('%s with %j is refused', async (event, form, message) => {
    const site = await rollingOut();
    const before = stateOf(site);
    const [status, text] = await site.post(`${ROLLOUT}/${event}`, form);
    expect([status, text]).toEqual([422, expect.stringContaining(message)]);
    expect(stateOf(site)).toEqual(before);
    expect(site.changes).toEqual([]);
  });
});

describe('[T175] a rollout that changes while a person reads what a change does', () => {
  it.each([
    ['halt', {}],
    ['raise', { percent: '20' }],
    ['retract', {}],
    ['resume', SEEN],
  ])('is not changed by %s, and shown as it is now', async (event, form) => {
    const site = await rollingOut();
    const after = seenIn(site);
    await site.post(`${ROLLOUT}/raise`, { after, percent: '50', ...SEEN });
    const now = stateOf(site);
    const [status, text] = await site.post(`${ROLLOUT}/${event}`, { after, ...form });
    expect(status).toBe(409);
    expect(text).toContain(
      '<strong>ROLLOUT_CONFLICT</strong> acme:lidar 1.3.0: the rollout has changed since it was read: read it again',
    );
    expect(text).toContain('The rollout as it is now:');
    expect(text).toContain('50 %, 4 machines');
    expect(stateOf(site)).toEqual(now);
    expect(site.changes).toEqual(['rollout-raised acme:lidar 1.3.0']);
  });

  it.each([
    ['resume', { failed: '0', silent: '0', failures: '0' }, 'the rollout is not halted'],
    ['raise', { percent: '1', ...SEEN }, 'a share never falls'],
    ['raise', { percent: '50' }, '1 of its machines failed or became silent'],
  ])(
    '[D158] refuses %s of the event that was seen as the command does',
    async (event, form, message) => {
      const site = await rollingOut();
      const after = seenIn(site);
      const [status, text] = await site.post(`${ROLLOUT}/${event}`, { after, ...form });
      expect([status, text]).toEqual([409, expect.stringContaining(message)]);
    },
  );
});

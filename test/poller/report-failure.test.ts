import { describe, expect, it } from 'vitest';
import type { ReleaseFailure } from '../../src/store/release-failure.ts';
import { running } from '../support/claimed.ts';
import { day, MINUTE, targetNamed, type Day, type DayOptions } from '../support/day.ts';
import { entry } from '../support/planned.ts';
import { promptRegistry, racer, TARGETS, track } from '../support/racing.ts';

const DIGESTS = { '1.2.3': 'aa', '1.2.4': 'bb', '1.2.5': 'cc' } as const;
const RELEASES = Object.entries(DIGESTS).map(([version, digest]) => ({
  version,
  artifacts: [
    {
      platform: 'any',
      url: `https://cdn.example/${version}`,
      digest: `sha256:${digest.repeat(32)}`,
    },
  ],
}));

const LIDAR = {
  machine: { modules: [entry('acme:lidar', '1.2.*')] },
  deployed: { acme_lidar: '1.2.3' },
  releases: { 'acme:lidar': RELEASES.slice(0, 2) },
} as const satisfies DayOptions;

const TARGET = targetNamed('acme_lidar');
const CRASHED = { version: '1.2.4', reason: 'it crashed', running: '1.2.4' } as const;

/** A machine that deployed 1.2.4 at 01:03:03. */
async function upgraded(more: Partial<DayOptions> = {}): Promise<Day> {
  const machine = await day({ ...LIDAR, ...more });
  await machine.pass(MINUTE);
  await machine.deliveries.shift()?.done();
  await machine.pass(10 * MINUTE);
  machine.story();
  return machine;
}

/** The deployed version, then the versions in quarantine with their digests. */
function remembered({ state }: Day): string[] {
  const { quarantine } = state.memory();
  return [
    running(state, TARGET),
    ...quarantine.map(({ version, digest }) => `${version} ${digest?.slice(0, 9) ?? 'no digest'}`),
  ];
}

describe('[D38] a release that fails after its action was acknowledged', () => {
  it('is quarantined with its digest, and its rollback is delivered at once', async () => {
    const machine = await upgraded();
    await machine.poller.reportFailure(TARGET, CRASHED);
    await machine.pass(0);
    expect(machine.story()).toEqual([
      '01:13:03 failure reported of acme_lidar 1.2.4',
      '01:13:03 committed rollback acme_lidar 1.2.4 → 1.2.3',
      '01:13:03 delivered rollback acme_lidar 1.2.4 → 1.2.3',
    ]);
    expect(remembered(machine)).toEqual(['1.2.4 after 1.2.3', '1.2.4 sha256:bb']);
    expect(machine.state.memory().quarantine).toMatchObject([{ reason: 'it crashed' }]);
    await machine.deliveries.shift()?.done();
    await machine.pass(60 * MINUTE);
    expect(machine.story()).toEqual(['01:13:03 acknowledged done']);
  });

  it('is quarantined for as long as the policy of its module says', async () => {
    const policy = { quarantine: '1h', modules: { acme_lidar: { quarantine: '2h' } } };
    const machine = await upgraded({ policy });
    const failure = { ...CRASHED, reason: 'x'.repeat(1025) };
    await machine.poller.reportFailure(TARGET, failure);
    await machine.pass(0);
    await machine.poller.reportFailure(targetNamed('platform-server'), CRASHED);
    await machine.pass(0);
    expect(machine.begun()).toEqual([
      `01:13:03 quarantined acme:lidar 1.2.4 until 03:13:03: ${'x'.repeat(1024)}…`,
      '01:13:03 quarantined platform:server 1.2.4 until 02:13:03: it crashed',
    ]);
  });

  it('is quarantined for so long, also if it is reported before the policy was read once', async () => {
    const machine = await upgraded({ policy: { quarantine: '1h' } });
    await machine.restart();
    await machine.poller.reportFailure(TARGET, CRASHED);
    await machine.pass(0);
    expect(machine.state.memory().quarantine).toMatchObject([
      { version: '1.2.4', until: machine.clock.now() + 60 * MINUTE },
    ]);
  });

  it('is reported to another process than the one that deployed it', async () => {
    const machine = await upgraded();
    await machine.restart();
    await machine.pass(MINUTE);
    await machine.poller.reportFailure(TARGET, CRASHED);
    await machine.pass(0);
    expect(machine.story().slice(1)).toEqual([
      '01:14:03 committed rollback acme_lidar 1.2.4 → 1.2.3',
      '01:14:03 delivered rollback acme_lidar 1.2.4 → 1.2.3',
    ]);
  });

  it.each<[string, Partial<ReleaseFailure>, string[]]>([
    ['which version is deployed is not known', { running: undefined }, ['unknown after 1.2.3']],
    ['nothing is deployed', { running: null }, ['none after 1.2.3']],
    ['the agent went back', { running: '1.2.3' }, ['1.2.3 after nothing']],
  ])('is quarantined if %s', async (_, failure, [deployed]) => {
    const machine = await upgraded();
    await machine.poller.reportFailure(TARGET, { ...CRASHED, ...failure });
    expect(remembered(machine)).toEqual([deployed, '1.2.4 sha256:bb']);
  });

  it.each<[string, Partial<ReleaseFailure>, string[]]>([
    ['1.2.5', {}, ['1.2.4 after 1.2.5']],
    ['1.2.5, and the agent does not know', { running: undefined }, ['1.2.5 after 1.2.4']],
    ['1.2.5, as the agent knows', { running: '1.2.5' }, ['1.2.5 after 1.2.4']],
    ['1.2.5, and the agent says that nothing is', { running: null }, ['none after 1.2.5']],
  ])('says nothing about the deployed %s', async (_, failure, [deployed]) => {
    const machine = await upgraded();
    machine.state.report(TARGET, '1.2.5', machine.clock.now());
    await machine.poller.reportFailure(TARGET, { ...CRASHED, ...failure });
    expect(remembered(machine)).toEqual([deployed, '1.2.4 sha256:bb']);
  });

  it('leaves another module under the same name as it is', async () => {
    const machine = await upgraded();
    const other = { ...TARGET, moduleId: 'acme:other' } as never;
    await machine.poller.reportFailure(other, CRASHED);
    expect(remembered(machine)).toEqual(['1.2.4 after 1.2.3', '1.2.4 no digest']);
    expect(machine.state.memory().quarantine).toMatchObject([{ moduleId: 'acme:other' }]);
  });
});

describe('[D38] a failure that is reported while an action is delivered', () => {
  it.each<[string, string, string[], string[]]>([
    [
      'its own version ends it',
      '1.2.4',
      ['acknowledged failed', 'rejected', 'aborted'],
      ['1.2.3 after nothing', '1.2.4 sha256:bb'],
    ],
    [
      'another version leaves it open',
      '1.2.5',
      ['failure reported of acme_lidar 1.2.5', 'acknowledged done'],
      ['1.2.4 after 1.2.3', '1.2.5 no digest'],
    ],
  ])('of %s', async (_, version, expected, after) => {
    const machine = await day(LIDAR);
    await machine.pass(MINUTE);
    const [delivery] = machine.deliveries;
    await machine.poller.reportFailure(TARGET, { ...CRASHED, version, running: '1.2.3' });
    await machine.pass(MINUTE);
    const done = await delivery?.done().catch((error: Error) => error.message);
    const story = machine.story().map((line) => line.slice('01:02:33 '.length));
    const isRejected = done?.endsWith(' was already reported as failed; the first report is kept');
    if (isRejected === true) story.push('rejected');
    if (delivery?.signal.aborted === true) story.push('aborted');
    expect(story.slice(2)).toEqual(expected);
    expect(remembered(machine)).toEqual(after);
  });
});

it('[D38] the failure of another module under the same name leaves a delivered action open', async () => {
  const machine = await day(LIDAR);
  await machine.pass(MINUTE);
  const other = { ...TARGET, moduleId: 'acme:other' } as never;
  await machine.poller.reportFailure(other, CRASHED);
  const [delivery] = machine.deliveries;
  expect(delivery?.signal.aborted).toBe(false);
  await delivery?.done();
  expect(machine.story().slice(2)).toEqual([
    '01:03:03 failure reported of acme_lidar 1.2.4',
    '01:03:03 acknowledged done',
  ]);
});

it('[D38] [T52] a failure that is reported on a full disk waits for it', async () => {
  const registry = promptRegistry(() => 1);
  const on = track();
  const { clock, poller, events, deliveries, state } = racer(on, {
    registries: [registry, registry],
    deployed: '1.0.0',
  });
  await clock.pass(MINUTE);
  for (const delivery of deliveries) await delivery.done();
  await clock.pass(MINUTE);
  const before = events.length;
  on.file.database.exec('PRAGMA query_only = ON');
  await poller.reportFailure(TARGETS.arm, { version: '1.0.1', reason: 'hot', running: '1.0.1' });
  await clock.pass(30 * MINUTE);
  on.file.database.exec('PRAGMA query_only = OFF');
  await clock.pass(2 * MINUTE);
  await poller.stop();
  expect(events.slice(before).map(({ kind }) => kind)).toEqual([
    'state-unavailable',
    'failure-reported',
    'quarantined',
    'committed',
    'state-available',
    'delivered',
  ]);
  expect(deliveries.at(-1)?.action).toMatchObject({ to: '1.0.0', direction: 'rollback' });
  expect(running(state, TARGETS.arm)).toBe('1.0.1 after 1.0.0');
});

describe('[D38] reportFailure()', () => {
  it.each<[unknown, unknown, string]>([
    [
      'acme_lidar',
      CRASHED,
      'found "acme_lidar", expected the target of an action: a module entry with its module id, or a subsystem',
    ],
    [
      { kind: 'module', name: 'acme_lidar' },
      CRASHED,
      'found an object, expected the target of an action: a module entry with its module id, or a subsystem',
    ],
    [
      { kind: 'subsystem', name: 'acme_lidar' },
      CRASHED,
      'found an object, expected the target of an action: a module entry with its module id, or a subsystem',
    ],
    [
      TARGET,
      { ...CRASHED, version: undefined },
      'found nothing as version, expected the version that failed',
    ],
    [
      TARGET,
      { ...CRASHED, version: '1.2' },
      'found "1.2" as version, expected the version that failed',
    ],
    [
      TARGET,
      { ...CRASHED, running: 7 },
      'found the number 7 as running, expected a version, null if nothing is deployed, or undefined if that is not known',
    ],
    [TARGET, undefined, 'found nothing as version, expected the version that failed'],
  ])('refuses report %#, and records nothing', async (target, failure, message) => {
    const machine = await upgraded();
    const reported = machine.poller.reportFailure(target as never, failure as never);
    await expect(reported).rejects.toThrow(new TypeError(`reportFailure(): ${message}`));
    expect(machine.story()).toEqual([]);
    expect(remembered(machine)).toEqual(['1.2.4 after 1.2.3']);
  });
});

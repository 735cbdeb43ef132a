import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openMachineFile, savedListsIn } from '../../src/store/index.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { outcomeOf } from '../../src/host/history/outcome.ts';
import { currentInput } from '../../src/host/restored-input.ts';
import { decide, describeDecision, type DecideInput } from '../../src/core/index.ts';
import { day, HOUR, MINUTE, SECOND, targetNamed, type Day } from '../support/day.ts';
import { moduleQuestion } from '../support/decided.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ask, homeAfterNight, night } from '../support/history.ts';
import { homeAfter, logged } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';

const LIDAR = {
  machine: { modules: [entry('acme:lidar', '1.*')] },
  deployed: { acme_lidar: '1.2.3' },
  releases: { 'acme:lidar': [{ version: '1.2.3' }] },
  intervalMs: 5 * MINUTE,
} as const;

/** The answer without times. */
async function why(machine: Day): Promise<string[]> {
  const { answer } = await ask(machine.home, 'why', 'acme_lidar');
  return answer.map((line) => line.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z ?/g, '').trim());
}

describe('modreg why', () => {
  it('shows only the newest decisions', async () => {
    const { home } = await homeAfterNight();
    const { answer: all } = await ask(home, 'why', 'acme:lidar');
    const { answer } = await ask(home, 'why', 'acme:lidar', '-n', '2');
    expect([all.length > 2, answer]).toEqual([true, all.slice(-2)]);
    expect((await ask(home, 'why', 'acme:lidar', '-n', '0')).answer).toEqual([]);
    const { problems } = await ask(home, 'why', 'acme:lidar', '-n', 'two');
    expect(problems).toEqual(['--lines is "two", expected a whole number from 0 to 100000']);
  });

  it('shows each change of the decision, and what made it', async () => {
    const { home } = await homeAfterNight();
    expect(await ask(home, 'why', 'acme:lidar')).toEqual({
      answer: [
        '2026-11-21T01:04:33Z  stayed at 1.2.3: already the newest release of 1',
        '2026-11-21T01:14:33Z  held the upgrade 1.2.3 → 1.2.9: the maintenance window is closed until 2026-11-21T02:00:00Z; 1.2.9 was published',
        '2026-11-21T02:00:00Z  upgraded 1.2.3 → 1.2.9: newest release of 1; the maintenance window opened',
        '2026-11-21T02:04:33Z  held the upgrade 1.2.3 → 1.2.9: cooling down after a restart until 2026-11-21T02:05:00Z; an action was begun, which counts as a restart',
        '2026-11-21T02:05:00Z  still decided to upgrade 1.2.3 → 1.2.9: newest release of 1; the restart cooldown ended',
        '2026-11-21T02:12:03Z  stayed at 1.2.9: already the newest release of 1; 1.2.9 was deployed',
        '2026-11-21T03:14:33Z  held the upgrade 1.2.9 → 1.3.0: the maintenance window is closed until 2026-11-21T04:00:00Z; 1.3.0 was published',
        '2026-11-21T04:00:00Z  upgraded 1.2.9 → 1.3.0: newest release of 1; the maintenance window opened',
        '2026-11-21T04:04:33Z  held the upgrade 1.2.9 → 1.3.0: cooling down after a restart until 2026-11-21T04:05:00Z; an action was begun, which counts as a restart',
        '2026-11-21T04:05:00Z  still decided to upgrade 1.2.9 → 1.3.0: newest release of 1; the restart cooldown ended',
        '2026-11-21T04:12:03Z  rolled back 1.3.0 → 1.2.9: 1.3.0 failed on this machine (no light); 1.2.9 was deployed before it; 1.3.0 was deployed; 1.3.0 failed',
        '2026-11-21T04:13:03Z  stayed at 1.2.9: 1.3.0 is quarantined on this machine (no light); 1.2.9 was deployed',
        '2026-11-21T04:24:33Z  stuck: the pin failed on this machine (no light) and is quarantined; the constraint changed from 1.* to 1.3.0',
      ],
      problems: [],
      exit: 0,
    });
    const at = ['--at', '2026-11-21T04:01:00Z'];
    const { answer } = await ask(home, 'why', 'acme:lidar', ...at);
    expect(answer.map((line) => line.replace(/\([0-9a-f]{64}\)/, '(DIGEST)'))).toEqual([
      'acme:lidar upgraded 1.2.9 → 1.3.0',
      '  since       2026-11-21T04:00:00Z',
      '  constraint  1.*',
      '  deployed    1.2.9',
      '  decision    upgrade',
      '  target      1.3.0',
      '  why         newest release of 1',
      '  changed by  the maintenance window opened',
      '  newest      1.3.0',
      '  list        modreg:https://registry.example/ (DIGEST)',
    ]);
    const { answer: json } = await ask(home, 'why', 'acme:lidar', ...at, '--json');
    expect(JSON.parse(json[0] ?? '')).toEqual({
      schema: 'modreg/why@1',
      name: 'acme_lidar',
      module_id: 'acme:lidar',
      decisions: [
        {
          at: '2026-11-21T04:00:00Z',
          event: 'upgraded 1.2.9 → 1.3.0',
          constraint: '1.*',
          deployed: '1.2.9',
          target: '1.3.0',
          decision: 'upgrade',
          reason: 'newest release of 1',
          until: null,
          causes: ['the maintenance window opened'],
          newest: '1.3.0',
          list_digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        },
      ],
      action: null,
    });
  });

  it('says how often the decided action failed because of the machine, why, and when it is tried again', async () => {
    const machine = await day(LIDAR);
    machine.publish('acme:lidar', '1.2.9');
    await machine.pass(10 * MINUTE);
    const failure = { reason: 'no space', running: '1.2.3', blame: 'machine' } as const;
    await machine.deliveries.shift()?.failed(failure);
    const lines = await why(machine);
    expect(lines.at(-1)?.replace(/in .*(?=:)/, 'in SOON')).toBe(
      'the upgrade to 1.2.9 failed once because of this machine, next attempt in SOON: no space',
    );
    const { answer } = await ask(machine.home, 'why', 'acme_lidar', '--json');
    expect(JSON.parse(answer[0] ?? '')).toMatchObject({
      action: { failures: 1, last_failure: 'no space', direction: 'upgrade' },
    });
    const past = ['--at', '2026-11-21T01:05:00Z', '--json'];
    const { answer: before } = await ask(machine.home, 'why', 'acme_lidar', ...past);
    expect(JSON.parse(before[0] ?? '')).toMatchObject({
      decisions: [{ event: 'decided to upgrade 1.2.3 → 1.2.9' }],
      action: null,
    });
  });

  it('knows when a release became old enough, and when the policy changed', async () => {
    const machine = await day({
      ...LIDAR,
      releases: { 'acme:lidar': [{ version: '1.2.3', published_at: '2026-11-01T00:00:00Z' }] },
      policy: { minimum_release_age: '1h' },
    });
    await machine.pass(10 * MINUTE);
    machine.publish('acme:lidar', '1.2.9');
    await machine.pass(65 * MINUTE);
    await machine.deliveries.shift()?.done();
    machine.publish('acme:lidar', '1.3.0');
    await machine.pass(10 * MINUTE);
    machine.configure({ policy: { minimum_release_age: '0s' } });
    await machine.pass(10 * MINUTE);
    expect(await why(machine)).toEqual([
      'stayed at 1.2.3: already the newest release of 1',
      'stayed at 1.2.3: 1.2.9 is too young until ; 1.2.9 was published',
      'upgraded 1.2.3 → 1.2.9: newest release of 1; 1.2.9 reached the minimum age',
      'held the upgrade 1.2.3 → 1.2.9: cooling down after a restart until ; an action was begun, which counts as a restart',
      'still decided to upgrade 1.2.3 → 1.2.9: newest release of 1; the restart cooldown ended',
      'stayed at 1.2.9: already the newest release of 1; 1.2.9 was deployed',
      'stayed at 1.2.9: 1.3.0 is too young until ; 1.3.0 was published',
      'decided to upgrade 1.2.9 → 1.3.0: newest release of 1; the policy changed: minimum_release_age',
    ]);
  });

  it('knows an operator, a lift, an unavailable registry and an agent that answers', async () => {
    let isAllowed = false;
    const machine = await day({
      ...LIDAR,
      policy: { max_index_age: '1h' },
      isMaintenanceAllowed: () => isAllowed,
    });
    await machine.pass(10 * MINUTE);
    machine.publish('acme:lidar', '1.2.9');
    await machine.pass(10 * MINUTE);
    isAllowed = true;
    await machine.pass(10 * MINUTE);
    await machine.deliveries.shift()?.done();
    await machine.pass(10 * MINUTE);
    await ask(machine.home, 'rollback', 'acme:lidar');
    await machine.pass(10 * MINUTE);
    await machine.deliveries.shift()?.done();
    await machine.pass(10 * MINUTE);
    await ask(machine.home, 'quarantine', 'lift', 'acme:lidar', '1.2.9');
    await machine.pass(6 * MINUTE);
    await machine.deliveries.shift()?.done();
    await machine.pass(6 * MINUTE);
    machine.registry.break({ kind: 'offline', times: 10_000 });
    await machine.pass(2 * HOUR);
    expect(await why(machine)).toEqual([
      'stayed at 1.2.3: already the newest release of 1',
      'held the upgrade 1.2.3 → 1.2.9: maintenance is not allowed now; 1.2.9 was published; the agent did not allow maintenance',
      'upgraded 1.2.3 → 1.2.9: newest release of 1; the agent allowed maintenance',
      'held the upgrade 1.2.3 → 1.2.9: cooling down after a restart until ; an action was begun, which counts as a restart',
      'still decided to upgrade 1.2.3 → 1.2.9: newest release of 1; the restart cooldown ended',
      'stayed at 1.2.9: already the newest release of 1; 1.2.9 was deployed',
      'rolled back 1.2.9 → 1.2.3: 1.2.9 was rolled back on this machine; 1.2.3 was deployed before it; an operator rolled 1.2.9 back',
      'stayed at 1.2.3: 1.2.9 is refused by a rollback on this machine; 1.2.3 was deployed',
      'upgraded 1.2.3 → 1.2.9: newest release of 1; the quarantine of 1.2.9 was lifted',
      'stayed at 1.2.9: already the newest release of 1; 1.2.9 was deployed',
      'stuck: the registry https://registry.example refused the connection; the saved list was confirmed at , the limit is 1 h; the saved list became too old',
    ]);
  });

  it.each([
    ['no state', temporaryFolder, 'there is no such file', 70],
    [
      'no history',
      () => homeAfter((state) => state.log([logged('acme_lidar')], { at: 1, trouble: undefined })),
      'no decision about acme:lidar has been recorded yet',
      1,
    ],
    [
      'another module',
      () => homeAfter((state) => state.log([logged('acme_cam')], { at: 1, trouble: undefined })),
      '"acme:lidar" names no module or subsystem that this machine decides on',
      1,
    ],
  ])('says so with %s', async (_, home, message, exit) => {
    const result = await ask(home(), 'why', 'acme:lidar');
    expect([result.problems[0]?.replace(/^"[^"]*machine.db": /, ''), result.exit]).toEqual([
      message,
      exit,
    ]);
  });

  it('does not know what was decided before its history', async () => {
    const machine = await day(LIDAR);
    await machine.pass(10 * MINUTE);
    expect(await ask(machine.home, 'why', 'acme:lidar', '--at', '2026-11-01T00:00:00Z')).toEqual({
      answer: [],
      problems: ['no decision about acme:lidar is recorded for 2026-11-01T00:00:00Z'],
      exit: 1,
    });
  });
});

describe('the current input', () => {
  it('is that of the next decision of the poller', async () => {
    const machine = await night();
    machine.configure({ machine: LIDAR.machine });
    await machine.pass(HOUR);
    await ask(machine.home, 'quarantine', 'lift', 'acme:lidar', '1.3.0');
    const file = openMachineFile(`${machine.home}/machine.db`, { mode: 'read' });
    const now = machine.clock.now();
    const state = machineStateIn(file);
    const input = currentInput(targetNamed('acme_lidar'), state, savedListsIn(file), { now });
    file.close();
    const decision = input.ok ? describeDecision(decide(input.value)) : input.error;
    await machine.pass(10 * SECOND);
    machine.poller.look();
    await machine.pass(10 * SECOND);
    const [next] = machine.state.decisions();
    expect([decision, next?.decision]).toEqual([next?.reason, 'hold']);
  });
});

it.each([
  ['1970-01-01T00:00:01Z', 1000],
  ['1970-01-01T00:00:04.999Z', 1000],
  ['1970-01-01T00:00:05Z', 5000],
])('the record of a decision at %s has no facts of a later time', async (at, now) => {
  const url = 'https://builds.example/lidar';
  const question = moduleQuestion({
    wanted: { kind: 'pin-url', url, shadowed: undefined },
    deployed: null,
  });
  const home = homeAfter((state) => {
    for (const time of [1000, 5000]) {
      const input: DecideInput = {
        ...question,
        deployed: { kind: 'url', url },
        eligibility: { ...question.eligibility, now: time },
        quarantine: time === 1000 ? [] : [{ version: '1.2.9', until: undefined }],
      };
      const { decision, target, reason } = outcomeOf(input);
      const row = logged('acme_lidar', { decision, target, reason });
      state.log([row], { at: time, trouble: undefined }, new Map([['module acme_lidar', input]]));
    }
  });
  const file = `${temporaryFolder()}/decision.json`;
  expect((await ask(home, 'why', 'acme:lidar', '--record', file, '--at', at)).answer).toEqual([
    `the decision about acme:lidar of 1970-01-01T00:00:01Z is in "${file}"`,
  ]);
  const { facts } = JSON.parse(readFileSync(file, 'utf8')) as {
    facts: { eligibility: { now: number } };
  };
  expect(facts.eligibility.now).toBe(now);
});

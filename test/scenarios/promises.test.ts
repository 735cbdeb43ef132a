import { expect, it } from 'vitest';
import { day, HOUR, MINUTE, SECOND, type Day } from '../support/day.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ask } from '../support/history.ts';
import { moduleId } from '../support/ask.ts';
import { entry } from '../support/planned.ts';

const MODULES = { modules: [entry('acme:lidar', '1.*')] };
/** From 02:00 to 03:00. */
const POLICY = { maintenance: [{ start: '0 2 * * *', duration: '1h', time_zone: 'UTC' }] };

interface Told {
  readonly plan: readonly string[];
  readonly status: readonly string[];
  readonly json: object;
  readonly why: string | undefined;
}

/** What the commands say about the lidar now. */
async function told(machine: Day): Promise<Told> {
  const policy = { ...POLICY, registry: machine.registry.address };
  const folder = temporaryFolder({
    'machine.json': JSON.stringify(MODULES),
    'policy.json': JSON.stringify(policy),
  });
  const command = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await ask(machine, ...args)).answer;
  const plan = await command('plan', `${folder}/machine.json`, '--offline');
  const [document = ''] = await command('plan', `${folder}/machine.json`, '--offline', '--json');
  const { modules } = JSON.parse(document) as { modules: Record<string, unknown>[] };
  const { decision, target, latest, newer, next_change } = modules[0] ?? {};
  const why = await command('why', 'acme:lidar');
  return {
    plan: plan.slice(3, plan.indexOf('', 3)).map((line) => line.trim().replaceAll(/ {2,}/g, ' | ')),
    status: (await command('status'))
      .map((line) => line.trim().replaceAll(/ {2,}/g, ' | '))
      .filter((line) => line.startsWith('acme:lidar | ')),
    json: { decision, target, latest, newer, next_change },
    why: why.at(-1),
  };
}

function refused(version: string, reason: string, detail: string): object {
  return { version, reason, detail };
}

const ROLLED_BACK = ['quarantined', 'refused by a rollback on this machine'] as const;
const REFUSED = [
  refused('1.4.0', ...ROLLED_BACK),
  refused('1.3.1', 'yanked', 'yanked: stops the motor'),
  refused('1.3.0', ...ROLLED_BACK),
  refused('1.2.10', ...ROLLED_BACK),
];

function opening(target: string): object {
  const at = '2026-11-22T02:00:00Z';
  return { at, because: 'window-opens', decision: 'upgrade', target };
}

function tooOld(at: string): object {
  return { at, because: 'list-too-old', decision: 'stuck', target: null };
}

it('[D31] [D32] [D37] a night of a yank, a rollback and a failure: each answer is what happens', async () => {
  const lidar = await day({
    machine: MODULES,
    policy: POLICY,
    deployed: { acme_lidar: '1.2.9' },
    intervalMs: 10 * MINUTE,
    releases: { 'acme:lidar': [{ version: '1.2.9' }] },
  });
  await lidar.pass(HOUR);
  lidar.publish('acme:lidar', '1.2.10');
  lidar.publish('acme:lidar', '1.3.0');
  await lidar.pass(11 * MINUTE);
  await lidar.deliveries.shift()?.done();
  await lidar.pass(2 * HOUR);
  for (const version of ['1.3.1', '1.4.0']) lidar.publish('acme:lidar', version);
  lidar.registry.catalogue.yank(moduleId('acme:lidar'), '1.3.1', 'stops the motor');
  await lidar.pass(11 * MINUTE);
  // The window holds 1.4.0.
  expect(await told(lidar)).toEqual({
    plan: [
      'acme:lidar | 1.* | 1.3.0 | 1.4.0 | 1.4.0 | waiting | the maintenance window is closed until 2026-11-22T02:00:00Z (in 21 h 35 min)',
      'next 2026-11-22T02:00:00Z (in 21 h 35 min): upgrade to 1.4.0, as the maintenance window opens',
    ],
    status: [
      'acme:lidar | 1.* | 1.3.0 | 1.4.0 | 1.4.0 | waiting | the maintenance window is closed until 2026-11-22T02:00:00Z (in 21 h 35 min)',
    ],
    json: {
      decision: 'hold',
      target: '1.4.0',
      latest: '1.4.0',
      newer: [],
      next_change: opening('1.4.0'),
    },
    why: '2026-11-21T04:17:03Z  held the upgrade 1.3.0 → 1.4.0: the maintenance window is closed until 2026-11-22T02:00:00Z (in 21 h 35 min); 1.4.0 was published',
  });

  const { answer } = await ask(lidar, 'rollback', 'acme:lidar');
  expect(answer).toEqual([
    'acme:lidar rolls back from 1.3.0 to 1.2.9 within a second',
    '  because  1.3.0 was rolled back on this machine; 1.2.9 was deployed before it; 1.4.0 and 1.2.10 are refused by a rollback on this machine, 1.3.1 is yanked: stops the motor',
    '  then     up to date: stays at 1.2.9: 1.4.0, 1.3.0 and 1.2.10 are refused by a rollback on this machine, 1.3.1 is yanked: stops the motor',
  ]);
  lidar.poller.look();
  await lidar.pass(SECOND);
  await lidar.deliveries.shift()?.done();
  await lidar.pass(11 * MINUTE);
  expect(await told(lidar)).toEqual({
    plan: [
      'acme:lidar | 1.* | 1.2.9 | 1.2.9 | 1.4.0 | up to date | stays at 1.2.9: 1.4.0, 1.3.0 and 1.2.10 are refused by a rollback on this machine, 1.3.1 is yanked: stops the motor',
      'next 2026-11-28T04:27:04Z (in 6 d 23 h): stuck, as the saved list becomes too old',
    ],
    status: [
      'acme:lidar | 1.* | 1.2.9 | 1.2.9 | 1.4.0 | up to date | stays at 1.2.9: 1.4.0, 1.3.0 and 1.2.10 are refused by a rollback on this machine, 1.3.1 is yanked: stops the motor',
      'acme:lidar | 1.3.0 | 2026-11-21T04:24:03Z | an operator lifts it | rolled back by an operator; refused with it: 1.4.0, 1.3.1, 1.2.10',
    ],
    json: {
      decision: 'up-to-date',
      target: '1.2.9',
      latest: '1.4.0',
      newer: REFUSED,
      next_change: tooOld('2026-11-28T04:27:03.001Z'),
    },
    why: '2026-11-21T04:24:04Z  stayed at 1.2.9: 1.4.0, 1.3.0 and 1.2.10 are refused by a rollback on this machine, 1.3.1 is yanked: stops the motor; 1.2.9 was deployed',
  });

  lidar.publish('acme:lidar', '1.4.1');
  await lidar.pass(11 * MINUTE);
  expect(await told(lidar)).toEqual({
    plan: [
      'acme:lidar | 1.* | 1.2.9 | 1.4.1 | 1.4.1 | waiting | the maintenance window is closed until 2026-11-22T02:00:00Z (in 21 h 13 min)',
      'next 2026-11-22T02:00:00Z (in 21 h 13 min): upgrade to 1.4.1, as the maintenance window opens',
    ],
    status: [
      'acme:lidar | 1.* | 1.2.9 | 1.4.1 | 1.4.1 | waiting | the maintenance window is closed until 2026-11-22T02:00:00Z (in 21 h 13 min)',
      'acme:lidar | 1.3.0 | 2026-11-21T04:24:03Z | an operator lifts it | rolled back by an operator; refused with it: 1.4.0, 1.3.1, 1.2.10',
    ],
    json: {
      decision: 'hold',
      target: '1.4.1',
      latest: '1.4.1',
      newer: [],
      next_change: opening('1.4.1'),
    },
    why: '2026-11-21T04:37:03Z  held the upgrade 1.2.9 → 1.4.1: the maintenance window is closed until 2026-11-22T02:00:00Z (in 21 h 13 min); 1.4.1 was published',
  });

  await lidar.pass(23 * HOUR);
  const failing = lidar.deliveries.shift();
  await failing?.failed({ reason: 'health check failed', running: null, blame: 'release' });
  await lidar.pass(0);
  // Whatever runs now, nothing holds the rollback.
  expect(lidar.story().slice(-3)).toEqual([
    '03:46:04 acknowledged failed',
    '03:46:04 committed rollback acme_lidar none → 1.2.9',
    '03:46:04 delivered rollback acme_lidar none → 1.2.9',
  ]);
  await lidar.deliveries.shift()?.done();
  await lidar.pass(11 * MINUTE);
  expect(await told(lidar)).toEqual({
    plan: [
      'acme:lidar | 1.* | 1.2.9 | 1.2.9 | 1.4.1 | up to date | stays at 1.2.9: 1.4.1 is quarantined on this machine (health check failed), 1.4.0, 1.3.0 and 1.2.10 are refused by a rollback on this machine, 1.3.1 is yanked: stops the motor',
      'next 2026-11-29T03:57:04Z (in 6 d 23 h): stuck, as the saved list becomes too old',
    ],
    status: [
      'acme:lidar | 1.* | 1.2.9 | 1.2.9 | 1.4.1 | up to date | stays at 1.2.9: 1.4.1 is quarantined on this machine (health check failed), 1.4.0, 1.3.0 and 1.2.10 are refused by a rollback on this machine, 1.3.1 is yanked: stops the motor',
      'acme:lidar | 1.3.0 | 2026-11-21T04:24:03Z | an operator lifts it | rolled back by an operator; refused with it: 1.4.0, 1.3.1, 1.2.10',
      'acme:lidar | 1.4.1 | 2026-11-22T03:46:04Z | an operator lifts it | health check failed',
    ],
    json: {
      decision: 'up-to-date',
      target: '1.2.9',
      latest: '1.4.1',
      newer: [
        refused('1.4.1', 'quarantined', 'quarantined on this machine (health check failed)'),
        ...REFUSED,
      ],
      next_change: tooOld('2026-11-29T03:57:03.001Z'),
    },
    why: '2026-11-22T03:46:04Z  stayed at 1.2.9: 1.4.1 is quarantined on this machine (health check failed), 1.4.0, 1.3.0 and 1.2.10 are refused by a rollback on this machine, 1.3.1 is yanked: stops the motor; 1.2.9 was deployed',
  });
});

import { expect, it } from 'vitest';
import { decide } from '../../src/core/index.ts';
import { day, HOUR, MINUTE, type Day } from '../support/day.ts';
import { moduleQuestion, openFrom, told, type Situation } from '../support/decided.ts';
import { DAY, NOW } from '../support/decides.ts';
import { ask } from '../support/history.ts';
import { blocksOf, pageAt } from '../support/pages.ts';
import { entry } from '../support/planned.ts';

/** Before its window: 1.2.9 is published, and would replace 1.2.3. */
async function evening(): Promise<Day> {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.2.*')] },
    policy: { maintenance: [{ start: '0 3 * * *', duration: '1h', time_zone: 'UTC' }] },
    deployed: { acme_lidar: '1.2.3' },
    releases: { 'acme:lidar': [{ version: '1.2.3' }] },
    intervalMs: 5 * MINUTE,
  });
  await machine.pass(10 * MINUTE);
  machine.publish('acme:lidar', '1.2.9');
  await machine.pass(10 * MINUTE);
  machine.story();
  return machine;
}

it('one release is refused, as the page shows, and the next one is not', async () => {
  const machine = await evening();
  const reason = 'not during the fair';
  const add = ['quarantine', 'add', 'acme:lidar', '1.2.9', '--for', '1d', '--reason', reason];
  const { answer } = await ask(machine, ...add);
  const command = `$ modreg quarantine add acme:lidar 1.2.9 --for 1d --reason '${reason}'`;
  const sessions = blocksOf(pageAt('docs/a-machine-must-not-upgrade-tonight.md'))
    .filter(({ language }) => language === 'sh-session')
    .map(({ content }) => content);
  expect(sessions).toEqual([[command, ...answer, ''].join('\n')]);
  await machine.pass(2 * HOUR);
  expect(machine.story()).toEqual([]);
  machine.publish('acme:lidar', '1.2.10');
  await machine.pass(5 * MINUTE);
  expect(machine.story().map((line) => line.slice(9))).toEqual([
    'committed acme_lidar 1.2.3 → 1.2.10',
    'delivered acme_lidar 1.2.3 → 1.2.10',
  ]);
});

it('a lifted release is installed in the next window, and a closed window does not stop what is delivered', async () => {
  const machine = await evening();
  await ask(machine, 'quarantine', 'add', 'acme:lidar', '1.2.9');
  await ask(machine, 'quarantine', 'lift', 'acme:lidar', '1.2.9');
  await machine.pass(100 * MINUTE);
  machine.configure({
    policy: { maintenance: [{ start: '0 2 23 11 *', duration: '1h', time_zone: 'UTC' }] },
  });
  await machine.pass(15 * MINUTE);
  expect(machine.story()).toEqual([
    '03:00:00 committed acme_lidar 1.2.3 → 1.2.9',
    '03:00:00 delivered acme_lidar 1.2.3 → 1.2.9',
  ]);
});

const CLOSED = { window: openFrom([NOW + DAY, NOW + 2 * DAY]) };
const YANKED = { version: '1.2.3', yanked: 'stops the motor' };
const LIST = ['1.2.2', '1.2.3', '1.2.9'];
const UPGRADE = { wanted: '1.2.*', deployed: '1.2.3', list: LIST };
const FAILED = [{ version: '1.2.3' }];

/** What each cell of the table says. */
const CLAIMS: readonly [way: string, what: string, situation: Situation, outcome: string][] = [
  ['a closed window', 'an upgrade', { ...UPGRADE, timing: CLOSED }, 'upgrade to 1.2.9 waits'],
  [
    'a closed window',
    'a downgrade',
    { ...UPGRADE, wanted: '0.*', list: ['0.9.0'], timing: CLOSED },
    'downgrade to 0.9.0 waits',
  ],
  [
    'a closed window',
    'another pin',
    { ...UPGRADE, wanted: '1.2.9', timing: CLOSED },
    'upgrade to 1.2.9 waits',
  ],
  [
    'a closed window',
    'on_yank: replace',
    { ...UPGRADE, list: ['1.2.2', YANKED], onYank: 'replace', timing: CLOSED },
    'downgrade to 1.2.2 waits',
  ],
  [
    'a closed window',
    'a first install',
    { ...UPGRADE, deployed: null, timing: CLOSED },
    'install of 1.2.9',
  ],
  [
    'a closed window',
    'a failure',
    { ...UPGRADE, quarantine: FAILED, previous: '1.2.2', timing: CLOSED },
    'rollback to 1.2.2',
  ],
  ['a pin', 'an upgrade', { ...UPGRADE, wanted: '1.2.3' }, 'up-to-date'],
  [
    'a pin',
    'on_yank: replace',
    { ...UPGRADE, wanted: '1.2.3', list: ['1.2.2', YANKED], onYank: 'replace' },
    'up-to-date',
  ],
  [
    'a pin',
    'a failure',
    { ...UPGRADE, wanted: '1.2.3', quarantine: FAILED, previous: '1.2.2' },
    'stuck quarantined',
  ],
  [
    'a quarantine',
    'that release',
    { ...UPGRADE, quarantine: [{ version: '1.2.9' }] },
    'up-to-date',
  ],
  [
    'a quarantine',
    'a pin to it',
    { ...UPGRADE, wanted: '1.2.9', quarantine: [{ version: '1.2.9' }] },
    'stuck quarantined',
  ],
  [
    'a quarantine',
    'the deployed release',
    { ...UPGRADE, list: ['1.2.2', '1.2.3'], quarantine: FAILED, previous: '1.2.2' },
    'rollback to 1.2.2',
  ],
];

it.each(CLAIMS)('%s and %s', (_way, _what, situation, outcome) => {
  expect(told(decide(moduleQuestion(situation))).replace(/(?: until \S+)?: .*$/, '')).toBe(outcome);
});

import { expect, it } from 'vitest';
import type { FailureReport } from '../../src/poller/index.ts';
import { HOUR, MINUTE, SECOND, type Day, type DayOptions } from '../support/day.ts';
import { ask } from '../support/history.ts';
import { answerTo, NIGHTLY, settled } from '../support/restarts.ts';

const OWN = { type: 'local', name: 'own', module_id: 'acme:own', executable_path: '/opt/own' };

async function started(more: Partial<DayOptions> = {}): Promise<Day> {
  return await settled({ machine: { modules: [OWN] }, deployed: {}, releases: {}, ...more });
}

/** What the agent gets within the second, and what the file then says of the module. */
async function delivered(machine: Day, report?: FailureReport): Promise<unknown[]> {
  machine.poller.look();
  await machine.pass(SECOND);
  const delivery = machine.deliveries.shift();
  if (report) await delivery?.failed(report);
  else await delivery?.done();
  await machine.pass(MINUTE);
  const { to, direction } = delivery?.action ?? {};
  const { entry, folders } = delivery ?? {};
  const [own] = machine.poller.targets();
  return [direction, to, entry?.name, folders?.root, own?.decision, own?.deployed.kind];
}

const RESTARTED = ['restart', 'local', 'own', undefined, 'local', 'unknown'];

it('[D344] a local module restarts at the next decision, and nothing counts as deployed then', async () => {
  const machine = await started();
  expect(await answerTo(machine, 'own')).toEqual([
    'acme:own (own) restarts its program within a second',
    '  because  an operator requested a restart at 2026-11-21T01:03:03Z',
    '  then     local: local module: available only on this machine',
  ]);
  expect(await delivered(machine)).toEqual(RESTARTED);
  expect(machine.story().filter((line) => line.includes('delivered'))).toHaveLength(1);
});

it('[D344] a restart of a local module waits for the window, and finishes when it closes meanwhile', async () => {
  const machine = await started({ policy: NIGHTLY });
  expect((await answerTo(machine, 'own'))[0]).toBe(
    'acme:own (own) restarts its program once nothing holds it',
  );
  machine.poller.look();
  await machine.pass(HOUR);
  const [delivery] = machine.deliveries;
  await machine.pass(2 * HOUR);
  expect(machine.deliveries).toHaveLength(1);
  await delivery?.done();
  await machine.pass(MINUTE);
  const story = machine.story().map((line) => line.slice(9));
  expect(story.filter((line) => /delivered|acknowledged|withdr/.test(line))).toEqual([
    'delivered restart own none → local',
    'acknowledged done',
  ]);
});

it('[D344] a restart of a local module that fails ends the request, and status says why', async () => {
  const machine = await started();
  await answerTo(machine, 'own');
  const report = { blame: 'release', reason: 'no such file', running: null } as const;
  expect(await delivered(machine, report)).toEqual(RESTARTED);
  const { answer } = await ask(machine, 'status');
  expect(answer.join('\n')).toContain(
    'restart at 2026-11-21T01:03:03Z, which failed: no such file',
  );
});

it('[D344] a requested restart of a local module is withdrawn', async () => {
  const machine = await started({ policy: NIGHTLY });
  await answerTo(machine, 'own');
  expect((await answerTo(machine, 'own', '--cancel')).join()).toContain('own');
  await machine.pass(2 * HOUR);
  expect(machine.deliveries).toEqual([]);
});

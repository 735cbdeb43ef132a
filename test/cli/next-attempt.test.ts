import { expect, it, onTestFinished } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { openForPoller } from '../../src/store/index.ts';
import { day, HOUR, MINUTE, SECOND } from '../support/day.ts';
import { preparedMachine } from '../support/prepared-machine.ts';
import { entry } from '../support/planned.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const TROUBLE = 'the registry http://127.0.0.1:9 cannot be reached (ECONNREFUSED)';

interface Round {
  readonly trouble: string | undefined;
  readonly nextAt?: number;
}

/** What `status` and `plan` say of the next attempt after this round, while a process polls if `isPolled`. */
async function said(round: Round, isPolled: boolean): Promise<readonly string[]> {
  const { world, path } = await preparedMachine(
    { policy: { registry: 'http://127.0.0.1:9' } },
    NOW,
  );
  const file = openForPoller(`${world.environment['PLATFORM_HOME'] ?? ''}/machine.db`);
  file.state.log(file.state.decisions(), { at: NOW - 1000, ...round });
  if (isPolled) onTestFinished(() => file.close());
  else file.close();
  const answers = await Promise.all(
    [['status'], ['plan', path]].map(async (args) => await runCommandLine(args, world)),
  );
  return answers
    .flatMap(({ answer }) => answer)
    .filter((line) => /last round|again: |Find out/.test(line))
    .map((line) => line.replace(/process \d+/g, 'process PID'));
}

const DOCTOR = 'Find out more: modreg doctor';

it('[D419] status and plan say when a registry that is not reached is read again, and name modreg doctor', async () => {
  expect(await said({ trouble: TROUBLE, nextAt: NOW + 4 * MINUTE }, true)).toEqual([
    `process PID polls for this machine; last round 1 s ago; ${TROUBLE}; next attempt in 4 min`,
    DOCTOR,
    'The process that polls for this machine reads the registry again: next attempt in 4 min.',
    DOCTOR,
  ]);
});

it.each<[string, Round]>([
  ['if it is not known', { trouble: TROUBLE }],
  ['that has passed', { trouble: TROUBLE, nextAt: NOW }],
])('[D419] nothing is said of a time %s', async (_, round) => {
  expect(await said(round, true)).toEqual([
    `process PID polls for this machine; last round 1 s ago; ${TROUBLE}`,
    DOCTOR,
    DOCTOR,
  ]);
});

it('[D419] nothing reads it again if no process polls, and nothing failed in the last round', async () => {
  expect(await said({ trouble: TROUBLE, nextAt: NOW + 4 * MINUTE }, false)).toEqual([
    `no process polls for this machine; last round 1 s ago by process PID; ${TROUBLE}`,
    DOCTOR,
    DOCTOR,
  ]);
  expect(await said({ trouble: undefined, nextAt: NOW + 4 * MINUTE }, true)).toEqual([
    'process PID polls for this machine; last round 1 s ago',
    DOCTOR,
    DOCTOR,
  ]);
});

it('[D419] a poller records when it reads a registry again that was not reached, and nothing if it was', async () => {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.*')] },
    deployed: { acme_lidar: '1.0.0' },
    releases: { 'acme:lidar': [{ version: '1.0.0' }] },
  });
  await machine.pass(HOUR);
  expect(machine.state.poller().round?.nextAt).toBeUndefined();
  machine.registry.break({ kind: 'offline', times: Infinity });
  await machine.pass(HOUR);
  const nextAt = machine.state.poller().round?.nextAt ?? 0;
  await machine.pass(nextAt - machine.clock.now() - SECOND);
  const before = machine.state.poller().round?.nextAt;
  await machine.pass(10 * MINUTE);
  expect(before).toBe(nextAt);
  expect(machine.state.poller().round?.nextAt).toBeGreaterThan(nextAt);
});

import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { reportedModule } from '../support/machine-report.ts';
import { reportingMachine } from './support/reporting.ts';

it('[T360] a machine that went back to an older image begins another queue, and its state counts at once', async () => {
  const machine = await reportingMachine();
  await machine.send();
  for (const deployed of ['1.3.0', '1.4.0', '1.5.0']) {
    machine.modules = [reportedModule({ deployed })];
    await machine.send();
  }
  const older = new DatabaseSync(machine.path);
  older.exec('UPDATE queue SET state_number = 1, state_digest = NULL');
  older.close();
  machine.restart();
  machine.modules = [reportedModule({ deployed: '0.9.0' })];
  expect(await machine.send()).toBeUndefined();
  expect(await machine.counts()).toMatchObject({
    machines: 1,
    modules: [{ module_id: 'acme:lidar', deployed: '0.9.0', machines: 1 }],
  });
});

it('[T360] the state of an older copy of the queue counts as well if outcomes show that it is one', async () => {
  const machine = await reportingMachine();
  await machine.send();
  machine.act(3);
  await machine.send();
  machine.forgetNumbers();
  machine.restart();
  machine.modules = [reportedModule({ deployed: '0.9.0' })];
  await machine.send();
  expect(await machine.counts()).toMatchObject({
    modules: [{ module_id: 'acme:lidar', deployed: '0.9.0', machines: 1 }],
  });
});

it('[T360] a registry that calls every state older gets it less and less often', async () => {
  let reports = 0;
  const machine = await reportingMachine({
    through: () => ({
      async report() {
        reports += 1;
        return await Promise.resolve({ kind: 'known', knownTo: 0, isOlderState: true });
      },
    }),
  });
  const waits = [await machine.send(), await machine.send()];
  expect([waits, reports]).toEqual([[30_000, 60_000], 3]);
  expect(machine.notices).toEqual([
    'warn the machine does not report: the registry answered twice that it has later reports of a queue that has just begun; reports wait, the next attempt is in 30 s',
  ]);
});

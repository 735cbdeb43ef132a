import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { day, HOUR, MINUTE, SECOND } from '../support/day.ts';
import { claimed } from '../support/claimed.ts';
import { entry } from '../support/planned.ts';

it.each<[string, (home: string) => void]>([
  [
    'its home is replaced, and another poller has the new one',
    (home) => {
      rmSync(home, { recursive: true });
      mkdirSync(home);
      claimed(`${home}/machine.db`);
    },
  ],
  ['its home is removed', (home) => rmSync(home, { recursive: true })],
  [
    'its file is replaced by a copy',
    (home) => {
      copyFileSync(`${home}/machine.db`, `${home}/copy`);
      renameSync(`${home}/copy`, `${home}/machine.db`);
    },
  ],
])('a poller delivers nothing after %s', async (_, replace) => {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.*')] },
    deployed: { acme_lidar: '1.2.3' },
    releases: { 'acme:lidar': [{ version: '1.2.3' }] },
  });
  await machine.pass(2 * MINUTE);
  replace(machine.home);
  machine.publish('acme:lidar', '1.2.4');
  await machine.pass(HOUR);
  expect(machine.story()).toEqual(['01:04:33 state unavailable: missing']);
  expect(machine.deliveries).toEqual([]);
});

it('an action that was committed before is not delivered', async () => {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.*')] },
    deployed: { acme_lidar: '1.2.3' },
    releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.4' }] },
    takesUp: 'later',
  });
  await machine.pass(MINUTE);
  expect(machine.story()).toEqual(['01:02:33 committed acme_lidar 1.2.3 → 1.2.4']);
  rmSync(`${machine.home}/machine.db`);
  const next = machine.poller.deliveries().next();
  await machine.pass(SECOND);
  expect(machine.story()).toEqual(['01:03:03 state unavailable: missing']);
  await machine.poller.stop();
  expect(await next).toEqual({ done: true, value: undefined });
});

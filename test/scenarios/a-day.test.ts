import { expect, it } from 'vitest';
import { day, MINUTE, SECOND } from '../support/day.ts';
import { entry } from '../support/planned.ts';

it('a release is delivered with the next round, and is what runs once it is acknowledged', async () => {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.2.*')] },
    deployed: { acme_lidar: '1.2.3' },
    releases: { 'acme:lidar': [{ version: '1.2.3' }] },
  });
  await machine.pass(40 * SECOND);
  machine.publish('acme:lidar', '1.2.9');
  await machine.pass(MINUTE);
  await machine.deliveries.shift()?.done();
  await machine.pass(10 * MINUTE);
  expect(machine.story()).toEqual([]);
});

import { expect, it } from 'vitest';
import { day, MINUTE, targetNamed, type DayOptions } from '../support/day.ts';
import { entry } from '../support/planned.ts';

const LIDAR = {
  machine: { modules: [entry('acme:lidar', '1.2.*')] },
  deployed: { acme_lidar: '1.2.3' },
  releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.4' }] },
} as const satisfies DayOptions;

it('[T107] an answer of the agent does not replace what another process wrote meanwhile', async () => {
  const { deployed: _, ...blank } = LIDAR;
  const lidar = targetNamed('acme_lidar');
  const machine = await day({
    ...blank,
    deployedVersion: ({ kind }) => {
      if (kind === 'subsystem') return undefined;
      machine.state.report(lidar, '1.2.2', machine.clock.now());
      return '1.2.3';
    },
  });
  await machine.pass(3 * MINUTE);
  expect(machine.deliveries.map(({ action }) => action.from)).toEqual(['1.2.2']);
});

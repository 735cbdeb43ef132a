import { expect, it } from 'vitest';
import { printed } from '../support/command.ts';
import { vetoing, waiting } from '../support/upgrades.ts';

it.each([
  ['upgrade acme_', ['acme_lidar acme:lidar']],
  ['upgrade acme:lidar --now --despite ', ['docking acme_lidar']],
  ['upgrade acme:arm --now --despite ', []],
])('[D76] %j offers what the machine knows', async (line, expected) => {
  const { home, clock } = await waiting(vetoing({ said: 'docking' }));
  const world = { environment: { PLATFORM_HOME: home }, clock: () => clock.now() };
  const { stdout } = await printed(['__complete', '--', ...line.split(' ')], world);
  expect(stdout.map((one) => one.replaceAll(/\s+/g, ' '))).toEqual(expected);
});

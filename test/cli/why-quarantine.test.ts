import { expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { HOUR, MINUTE } from '../support/day.ts';
import { ask } from '../support/history.ts';
import { quietWorld } from '../support/quiet-world.ts';
import { settled } from '../support/restarts.ts';

const LIFT = 'modreg quarantine lift acme:lidar';

it('[D389] why says what is in quarantine now, until when, and how it is lifted', async () => {
  const machine = await settled();
  const notes = async (...args: readonly string[]): Promise<readonly string[]> => {
    const environment = { PLATFORM_HOME: machine.home };
    const clock = (): number => machine.clock.now();
    const world = { ...quietWorld('linux/arm64'), environment, clock };
    return (await runCommandLine(['why', 'acme:lidar', ...args], world)).notes;
  };
  const add = ['quarantine', 'add', 'acme:lidar'];
  await ask(machine, ...add, '1.2.7');
  await ask(machine, 'quarantine', 'add', 'platform:agent', '0.9.0');
  await machine.pass(MINUTE);
  await ask(machine, ...add, '1.2.8', '--for', '1d');
  const lasting = `note: 1.2.7 is in quarantine until an operator lifts it; ${LIFT} 1.2.7 lets it be selected again`;
  expect(await notes()).toEqual([
    `note: 1.2.8 is in quarantine until 2026-11-22T01:04:03Z (in 1 d); ${LIFT} 1.2.8 lets it be selected again`,
    lasting,
  ]);
  expect(await notes('--json')).toEqual([]);
  expect(await notes('--at', '2026-11-21T01:03:03Z')).toEqual([]);
  await machine.pass(24 * HOUR);
  expect(await notes()).toEqual([lasting]);
  for (const version of ['1.2.4', '1.2.5', '1.2.6']) await ask(machine, ...add, version);
  expect((await notes()).at(-1)).toBe(
    'note: 1 more version in quarantine: modreg quarantine list shows all',
  );
});

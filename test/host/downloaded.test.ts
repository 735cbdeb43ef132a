import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { machinePage, textOf } from '../page/support/machine-page.ts';
import { printed } from '../support/command.ts';
import { day, MINUTE, type Day } from '../support/day.ts';
import { entry } from '../support/planned.ts';

/** Each New Year. */
const POLICY = { maintenance: [{ start: '0 0 1 1 *', duration: '1h', time_zone: 'UTC' }] };
const MACHINE = { modules: [entry('acme:lidar', '1.2.*')] };
const SAVED = ['--registry', 'https://registry.example', '--offline', '--max-age', '30m'];

/** A machine whose lidar is held, and that has these packages of it. */
async function holding(packages: readonly string[]): Promise<Day> {
  const machine = await day({
    machine: MACHINE,
    deployed: { acme_lidar: '1.2.3' },
    releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.4' }] },
    policy: POLICY,
  });
  await machine.pass(2 * MINUTE);
  for (const name of packages) {
    mkdirSync(join(machine.home, 'packages/acme/lidar', name), { recursive: true });
  }
  writeFileSync(join(machine.home, 'machine.json'), JSON.stringify(MACHINE));
  writeFileSync(join(machine.home, 'policy.json'), JSON.stringify(POLICY));
  return machine;
}

it.each<[string, readonly string[], boolean]>([
  ['its package', ['1.2.3', '1.2.4-3f8a91c20b7d'], true],
  ['only another package', ['1.2.3', '1.2.4-rc.1'], false],
  ['no package', [], false],
])('[D78] status, plan and the page of a machine that has %s', async (_, packages, isThere) => {
  const machine = await holding(packages);
  const { home, clock } = machine;
  const now = clock.now();
  const world = { environment: { PLATFORM_HOME: home }, clock: () => now };
  const path = join(home, 'machine.json');
  const plan = ['plan', path, ...SAVED, '--policy', join(home, 'policy.json')];
  const said = [
    (await printed(['status'], world)).stdout.includes('acme_lidar: 1.2.4 is downloaded'),
    (await printed(plan, world)).stdout.includes('      1.2.4 is downloaded'),
    (
      await textOf(
        machinePage({ home, now, machine: JSON.stringify(MACHINE), policy: POLICY }),
        '/',
      )
    ).includes('1.2.4 is downloaded'),
  ];
  expect(said).toEqual([isThere, isThere, isThere]);
  for (const command of [['status'], plan]) {
    const { stdout } = await printed([...command, '--json'], world);
    const { targets, modules } = JSON.parse(stdout.join(''));
    expect((targets ?? modules)[0].downloaded).toBe(isThere ? '1.2.4' : null);
  }
  // A report says nothing about the packages of this machine.
  writeFileSync(join(home, 'deployed.json'), JSON.stringify({ acme_lidar: '1.2.3' }));
  const reported = await printed([...plan, '--deployed', join(home, 'deployed.json')], world);
  expect(reported.stdout.join('\n')).not.toContain('is downloaded');
});

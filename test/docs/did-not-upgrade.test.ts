import { expect, it } from 'vitest';
import { network } from '../../mocks/network.ts';
import { day, HOUR, MINUTE, type Day } from '../support/day.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ask } from '../support/history.ts';
import { blocksOf, pageAt } from '../support/pages.ts';
import { entry } from '../support/planned.ts';

/** The sessions of the page, without the id of the process. */
const SESSIONS = blocksOf(pageAt('docs/a-machine-did-not-upgrade.md'))
  .filter(({ language }) => language === 'sh-session')
  .map(({ content }) => masked(content));

function masked(text: string): string {
  return text.replace(/process \d+ polls/, 'process P polls');
}

const net = network();

/** The morning after: 1.2.9 of the lidar failed, and the arm waits for its window. */
async function morning(): Promise<Day> {
  const night = { start: '0 2 * * *', duration: '1h', time_zone: 'Europe/Berlin' };
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.2.*'), entry('acme:arm', '2.*')] },
    policy: { maintenance: [night] },
    deployed: { acme_lidar: '1.2.3', acme_arm: '2.4.0' },
    releases: { 'acme:lidar': [{ version: '1.2.3' }], 'acme:arm': [{ version: '2.4.0' }] },
    intervalMs: 5 * MINUTE,
  });
  await machine.pass(10 * MINUTE);
  machine.publish('acme:lidar', '1.2.9');
  await machine.pass(10 * MINUTE);
  const failure = { reason: 'no light after the restart', running: '1.2.9' } as const;
  await machine.deliveries.shift()?.failed({ ...failure, blame: 'release' });
  await machine.pass(MINUTE);
  await machine.deliveries.shift()?.done();
  await machine.pass(HOUR);
  machine.publish('acme:arm', '2.5.0');
  await machine.pass(3 * HOUR);
  await machine.pass(5 * MINUTE);
  return machine;
}

it('finds out why a machine did not upgrade, as the page shows', async () => {
  const machine = await morning();
  const { address, fetch } = machine.registry;
  net.at(address, async (request) => await fetch(request));
  const played: string[] = [];
  const session = async (
    command: string,
    shown: readonly [from: number, to?: number],
    args: readonly string[],
  ): Promise<void> => {
    const { answer } = await ask(machine, ...args);
    played.push(masked([`$ modreg ${command}`, ...answer.slice(...shown), ''].join('\n')));
  };
  await session('status | head -n 5', [0, 5], ['status']);
  await session('why acme:lidar | tail -n 2', [-2], ['why', 'acme:lidar']);
  const policy = JSON.stringify({ registry: address });
  const path = `${temporaryFolder({ 'policy.json': policy })}/policy.json`;
  await session(
    "resolve acme:lidar '1.2.*' --explain --machine --policy policy.json | tail -n 2",
    [-2],
    ['resolve', 'acme:lidar', '1.2.*', '--explain', '--machine', '--policy', path],
  );
  expect(SESSIONS).toEqual(played);

  // The page promises that a lifted release is tried again as soon as nothing holds it.
  await ask(machine, 'quarantine', 'lift', 'acme:lidar', '1.2.9');
  await machine.pass(10 * MINUTE);
  const { answer } = await ask(machine, 'status');
  expect(answer[3]).toMatch(/^ +acme:lidar .* waiting +the maintenance window is closed until /);
});

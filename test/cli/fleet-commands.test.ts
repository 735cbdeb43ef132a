import { existsSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Printed } from '../support/command.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { agentInProcess } from '../support/polling.ts';
import { AUTHOR, role, trustOf, VENDOR } from '../support/signed.ts';
import { commandedHere, commanding } from './support/commanded-here.ts';
import { siteOf } from './support/lidar-site.ts';
import { servingTo } from './support/served-documents.ts';

/** With `TIME` in place of times. */
function timeless({ stdout, ...rest }: Printed): Printed {
  const shown = stdout.map((line) =>
    line
      .replaceAll(/\d{4}-[^Z]+Z/g, 'TIME')
      .trim()
      .replaceAll(/ {2,}/g, ' | '),
  );
  return { stdout: shown, ...rest };
}

const NOTE = 'note: modreg fleet commands --machine rover-7 says what the machine answers';

it('[D296] [D298] a machine that waits does at once what its site has it do, as its own commands would, and says what became of it', async () => {
  const { told, here, until, fleet } = await commandedHere(['1.2.3', '1.2.9']);
  const lidar = 'acme:lidar';
  expect(await told('upgrade', lidar)).toBe(
    'info  command 1 of the site (upgrade acme:lidar) is done: acme:lidar: upgrade to 1.2.9, within a second',
  );
  await until('acme_lidar: upgrade 1.2.3 → 1.2.9: done');
  expect(await told('hold', lidar, '--for', '12h')).toMatch(
    /^info {2}command 2 of the site \(hold acme:lidar\) is done: acme:lidar is held until TIME$/,
  );
  expect(await here('status')).toMatch(/acme:lidar +site SITE, token t2 \(ops\) /);
  expect(await told('restart', lidar)).toBe(
    'info  command 3 of the site (restart acme:lidar) is done: acme:lidar restarts 1.2.9 once nothing holds it',
  );
  await here('restart', lidar, '--cancel');
  expect(await told('rollback', lidar)).toBe(
    'info  command 4 of the site (rollback acme:lidar) is done: acme:lidar rolls back from 1.2.9 to 1.2.3 within a second',
  );
  await until('acme_lidar: rollback 1.2.9 → 1.2.3: done');
  expect(await told('unhold', lidar)).toBe(
    'info  command 5 of the site (unhold acme:lidar) is done: acme:lidar is no longer held',
  );
  const listed = async (): Promise<readonly string[]> => timeless(await fleet('commands')).stdout;
  await expect.poll(async () => (await listed()).join(' ')).not.toContain('waits');
  const given = 'TIME | token t2 (ops): a test';
  expect(await listed()).toEqual([
    'NUMBER | COMMAND | GIVEN | BY | OUTCOME',
    `5 | unhold acme:lidar | ${given} | done: acme:lidar is no longer held`,
    `4 | rollback acme:lidar | ${given} | done: acme:lidar rolls back from 1.2.9 to 1.2.3 within a second`,
    `3 | restart acme:lidar | ${given} | done: acme:lidar restarts 1.2.9 once nothing holds it`,
    `2 | hold acme:lidar for 12h | ${given} | done: acme:lidar is held until TIME`,
    `1 | upgrade acme:lidar | ${given} | done: acme:lidar: upgrade to 1.2.9, within a second`,
  ]);
});

it('[D328] a site has a machine select a version again that is in quarantine there', async () => {
  const { told, here } = await commandedHere(['1.2.3', '1.2.9']);
  await here('quarantine', 'add', 'acme:lidar', '1.2.9');
  expect(await told('unquarantine', 'acme:lidar', '1.2.9')).toBe(
    'info  command 1 of the site (unquarantine acme:lidar 1.2.9) is done: acme:lidar 1.2.9 may be selected again',
  );
  expect(await here('quarantine', 'list')).toContain('nothing is in quarantine');
  expect(await told('unquarantine', 'acme:lidar', '1.2.9')).toBe(
    'warn  command 2 of the site (unquarantine acme:lidar 1.2.9) is refused: acme:lidar 1.2.9 is not in quarantine on this machine (no version is in quarantine)',
  );
});

it('[D299] a site neither ends nor replaces a hold that was made on the machine', async () => {
  const { told, here } = await commandedHere(['1.2.3']);
  await here('hold', '--for', '1h', '--reason', 'demo');
  const machine =
    'this machine is held by ann, who did so on the machine: "demo"; nothing was changed (modreg unhold on the machine ends that)';
  expect(await told('unhold')).toBe(`warn  command 1 of the site (unhold) is refused: ${machine}`);
  expect(await told('hold', '--for', '2h')).toBe(
    `warn  command 2 of the site (hold) is refused: ${machine}`,
  );
  expect(await told('hold', 'acme_lidar', '--for', '2h')).toBe(
    'info  command 3 of the site (hold acme_lidar) is done: acme:lidar is held until TIME',
  );
  expect(await told('hold', 'acme_lidar', '--for', '3h')).toBe(
    'info  command 4 of the site (hold acme_lidar) is done: acme:lidar is held until TIME',
  );
  expect(await told('unhold', 'acme_lidar')).toBe(
    'info  command 5 of the site (unhold acme_lidar) is done: acme:lidar is no longer held, and ann still holds the whole machine',
  );
  expect(await told('restart', 'acme:gps')).toBe(
    'warn  command 6 of the site (restart acme:gps) is refused: "acme:gps" names no module or subsystem that this machine decides on (this machine knows acme:lidar, platform-agent, platform-server)',
  );
  expect(await here('unhold')).toContain('this machine is no longer held');
});

function refused(command: string): string {
  return `is refused: the policy of the machine names a trust document, so that operators sign this: none did; give it again with --key, or run modreg ${command} on the machine`;
}

it('[D300] a machine whose policy names a trust document holds for its site, and does nothing else', async () => {
  const trust = trustOf([role('namespace acme', 1, AUTHOR)]);
  const { told } = await commandedHere(['1.2.3'], trust);
  expect(await told('hold', '--for', '2h')).toBe(
    'info  command 1 of the site (hold) is done: this machine is held until TIME',
  );
  expect(await told('unhold')).toBe(`warn  command 2 of the site (unhold) ${refused('unhold')}`);
  expect(await told('restart', 'acme:lidar')).toBe(
    `warn  command 3 of the site (restart acme:lidar) ${refused('restart acme:lidar')}`,
  );
  expect(await told('unquarantine', 'acme:lidar', '1.2.9')).toBe(
    `warn  command 4 of the site (unquarantine acme:lidar 1.2.9) ${refused('quarantine lift acme:lidar 1.2.9')}`,
  );
});

function machineHeldBy(number: number): string {
  return `info  command ${number} of the site (hold) is done: this machine is held until TIME`;
}

it('[D434] on a machine whose policy names a trust document, no site ends its own hold sooner', async () => {
  const trust = trustOf([role('namespace acme', 1, AUTHOR)]);
  const { told } = await commandedHere(['1.2.3'], trust);
  expect(await told('hold', '--for', '12h')).toBe(machineHeldBy(1));
  expect(await told('hold', '--for', '1s')).toBe(
    'warn  command 2 of the site (hold) is refused: this machine is held until TIME, and operators sign what ends a hold sooner; nothing was changed',
  );
  expect(await told('hold', '--for', '13h')).toBe(machineHeldBy(3));
});

it('[D295] [T707] a machine whose trust document names a key of the registry takes no commands that it did not sign', async () => {
  const roles = [role('namespace acme', 1, AUTHOR), role('registry', 1, VENDOR)];
  const { until } = await commandedHere(['1.2.3'], trustOf(roles));
  const [said = ''] = (await until('commands of the site')).slice(-1);
  expect(said).toMatch(
    /^TIME warn {2}commands of the site cannot be taken: .* did not sign its answer$/,
  );
});

it('[D294] a person is told that the machine has not asked for commands', async () => {
  const fleet = commanding(await loopbackRegistry());
  expect((await fleet('hold', '--for', '12h', '--reason', 'trade fair')).stderr).toEqual([
    'note: rover-7: it has not asked for commands: its agent or poller follows this registry only with --config-from',
  ]);
});

it('[D302] commands are given, listed and counted', async () => {
  const loopback = await loopbackRegistry();
  loopback.catalogue.apply({ kind: 'heard', words: [{ about: 'asking', machine: 'rover-7' }] });
  const fleet = commanding(loopback);
  expect((await fleet('commands')).stdout).toEqual(['no command was given']);
  const held = await fleet('hold', '--for', '12h', '--reason', 'trade fair', '--expires', '24h');
  expect(timeless(held)).toEqual({
    stdout: ['rover-7: command 1 (hold) waits until TIME'],
    stderr: [NOTE],
    exit: 0,
  });
  expect(timeless(await fleet('restart', 'acme:lidar', '--reason', 'no points', '--json'))).toEqual(
    {
      stdout: [
        '{"schema":"modreg/fleet-command@1","machine":"rover-7","number":2,"kind":"restart","expires_at":"TIME"}',
      ],
      stderr: [],
      exit: 0,
    },
  );
  expect(timeless(await fleet('commands')).stdout).toEqual([
    'NUMBER | COMMAND | GIVEN | BY | OUTCOME',
    '2 | restart acme:lidar | TIME | token t1 (ops): no points | waits until TIME',
    '1 | hold for 12h | TIME | token t1 (ops): trade fair | waits until TIME',
  ]);
  const [json = ''] = (await fleet('commands', '--json')).stdout;
  expect(JSON.parse(json)).toMatchObject({
    schema: 'modreg/fleet-commands@1',
    machine: 'rover-7',
    commands: [
      { number: 2, kind: 'restart', module: 'acme:lidar', state: 'waiting', by: 'token t1 (ops)' },
      { number: 1, kind: 'hold', module: null, for: '12h', state: 'waiting', reason: 'trade fair' },
    ],
  });
});

it.each<[readonly string[], number, string]>([
  [
    ['hold', '--for', '31d', '--reason', 'a'],
    2,
    'error[USAGE]: --for is 31 d, expected more than 0 s and at most 30 d; nothing was given',
  ],
  [
    ['hold', '--for', '1h', '--reason', 'a', '--expires', '25h'],
    2,
    'error[USAGE]: --expires is 1 d 1 h, expected more than 0 s and at most 1 d; nothing was given',
  ],
  [
    ['restart', 'lidar', '--reason', 'a', '--expires', 'soon'],
    2,
    'error[USAGE]: --expires: "soon" is not a duration, expected a whole number and one of s, m, h, d, at most ten years, such as 5m; nothing was given',
  ],
  [
    ['restart', 'lidar', '--reason', ''],
    1,
    'error[BAD_VALUE]: --reason: found "", expected 1 to 200 characters',
  ],
])('[D294] fleet %j gives no command', async (args, exit, error) => {
  const fleet = commanding(await loopbackRegistry());
  expect(await fleet(...args)).toEqual({ stdout: [], stderr: [error], exit });
  expect((await fleet('commands')).stdout).toEqual(['no command was given']);
});

it('[T708] a machine for which many commands wait gets no further one', async () => {
  const fleet = commanding(await loopbackRegistry());
  const restart = async (): Promise<Printed> => await fleet('restart', 'lidar', '--reason', 'a');
  for (let count = 0; count < 20; count++) await restart();
  expect(await restart()).toEqual({
    stdout: [],
    stderr: [
      'error[REGISTRY_REFUSED]: 20 commands of rover-7 wait already: nothing was given',
      'hint: modreg fleet commands --machine rover-7 shows them; they expire',
    ],
    exit: 4,
  });
});

it('[D296] [D298] an agent without modules takes commands in its rounds', async () => {
  const loopback = await loopbackRegistry();
  const site = servingTo(loopback);
  const folder = siteOf(loopback.address);
  writeFileSync(`${folder}/machine.json`, '{}');
  const agent = agentInProcess(folder, site.args, site.environment);
  await agent.until('running 0 modules of');
  await expect.poll(() => existsSync(`${folder}/home/machine.db.served`)).toBe(true);
  await commanding(loopback)('hold', '--for', '1h', '--reason', 'trade fair');
  const [said = ''] = (await agent.until('of the site (hold)')).slice(-1);
  expect(said).toBe(
    'TIME info  command 1 of the site (hold) is done: this machine is held until TIME',
  );
  await agent.end('SIGTERM');
});

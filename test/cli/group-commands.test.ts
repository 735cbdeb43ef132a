import { expect, it } from 'vitest';
import { printed, type Printed } from '../support/command.ts';
import { rollingFleet } from '../support/rolling-fleet.ts';
import { tokenFor } from '../support/token.ts';

const NOW = '2026-11-21T01:02:03Z';
const GROUPS = new Map([
  ['rover-1', 'canary'],
  ['rover-2', 'canary'],
  ['rover-3', 'lab'],
]);

const clock = (): number => Date.parse(NOW);

const timeless = (line: string): string =>
  line
    .replaceAll(/\d{4}-[^Z]+Z/g, 'TIME')
    .replaceAll(/ {3,}/g, ' | ')
    .trimEnd();

/** Runs `modreg fleet …` at a registry whose canaries are rover-1, which asks for commands, and rover-2. */
async function session(): Promise<(...args: string[]) => Promise<Printed>> {
  const fleet = await rollingFleet(3, 'reported', GROUPS);
  fleet.catalogue.apply({ kind: 'heard', words: [{ about: 'asking', machine: 'rover-1' }] });
  const environment = { MODREG_TOKEN: tokenFor(fleet.catalogue, ['commands'], 'ops') };
  return async (...args) => {
    const all = ['fleet', ...args, '--registry', fleet.address()];
    const { stdout, stderr, exit } = await printed(all, { environment, clock });
    const shown = stderr.map((line) => line.replace(fleet.address(), 'ADDRESS'));
    return { stdout: stdout.map(timeless), stderr: shown, exit };
  };
}

const RESTART = ['restart', 'acme:lidar', '--group', 'canary', '--reason', 'no points'];

it('[D327] a command to a group says which machines have it and which cannot be commanded', async () => {
  const fleet = await session();
  const detail =
    'it has not asked for commands: its agent or poller follows this registry only with --config-from';
  expect(await fleet(...RESTART)).toEqual({
    stdout: [
      'canary: restart acme:lidar waits on 1 of 2 machines until TIME',
      '  rover-1: command 1',
      `  rover-2: not given: ${detail}`,
    ],
    stderr: ['note: modreg fleet commands --registry ADDRESS --group canary says what they answer'],
    exit: 1,
  });
  expect(await fleet('commands', '--group', 'canary')).toEqual({
    stdout: [
      '  MACHINE | NUMBER | COMMAND | GIVEN | BY | OUTCOME',
      '  rover-1 | 1 | restart acme:lidar | TIME | token t3 (ops): no points | waits until TIME',
    ],
    stderr: [],
    exit: 0,
  });
  const [given = ''] = (await fleet(...RESTART, '--json')).stdout;
  expect(JSON.parse(given)).toEqual({
    schema: 'modreg/fleet-group-command@1',
    group: 'canary',
    kind: 'restart',
    expires_at: 'TIME',
    given: [{ machine: 'rover-1', number: 2 }],
    refused: [{ machine: 'rover-2', detail }],
  });
  const [listed = ''] = (await fleet('commands', '--group', 'canary', '--json')).stdout;
  expect(JSON.parse(listed)).toMatchObject({
    schema: 'modreg/fleet-group-commands@1',
    group: 'canary',
    more: false,
    commands: [
      { machine: 'rover-1', number: 2 },
      { machine: 'rover-1', number: 1 },
    ],
  });
});

const LIFT = ['unquarantine', 'acme:lidar', '1.4.0', '--reason', 'a'];

it.each<[readonly string[], number, string]>([
  [
    ['hold', '--for', '1h', '--reason', 'a', '--group', 'office'],
    1,
    'error[BAD_VALUE]: no machine that reported is in the group office; there are canary (2), lab (1)',
  ],
  [
    ['commands', '--group', 'office'],
    1,
    'error[BAD_VALUE]: no machine that reported is in the group office; there are canary (2), lab (1)',
  ],
  [
    ['hold', '--for', '1h', '--reason', 'a', '--group', 'canary', '--machine', 'rover-1'],
    2,
    'error[USAGE]: --machine and --group are given, expected one of them',
  ],
  [
    ['commands', '--group', '-x'],
    2,
    'error[USAGE]: --group: "-x" is not a group, which is up to 63 letters, digits, ".", "_" and "-", beginning with a letter or a digit',
  ],
  [
    ['hold', '--for', '31d', '--reason', 'a', '--group', 'canary'],
    2,
    'error[USAGE]: --for is 31 d, expected more than 0 s and at most 30 d; nothing was given',
  ],
  [
    LIFT,
    2,
    'error[USAGE]: --machine and --group are missing, expected one of them, such as --machine rover-7 or --group canary',
  ],
])('[D327] fleet %j gives no command', async (args, exit, error) => {
  const fleet = await session();
  expect(await fleet(...args)).toEqual({ stdout: [], stderr: [error], exit });
  expect((await fleet('commands', '--group', 'canary')).stdout).toEqual(['no command was given']);
});

it('[D328] the version that is lifted is listed', async () => {
  const fleet = await session();
  expect((await fleet(...LIFT, '--machine', 'rover-1')).stdout).toEqual([
    'rover-1: command 1 (unquarantine acme:lidar 1.4.0) waits until TIME',
  ]);
  expect((await fleet('commands', '--machine', 'rover-1')).stdout).toEqual([
    '  NUMBER | COMMAND | GIVEN | BY | OUTCOME',
    '  1 | unquarantine acme:lidar 1.4.0 | TIME | token t3 (ops): a | waits until TIME',
  ]);
  expect((await fleet(...LIFT, '--group', 'canary')).stdout[0]).toBe(
    'canary: unquarantine acme:lidar 1.4.0 waits on 1 of 2 machines until TIME',
  );
});

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { printed, type Printed } from '../support/command.ts';
import { rollingFleet, type RollingFleet } from '../support/rolling-fleet.ts';
import { APPROVER, AUTHOR, role, trustOf } from '../support/signed.ts';
import { tokenFor } from '../support/token.ts';
import { keyFile } from './support/commanded-here.ts';

const NOT_ASKING =
  'it has not asked for commands: its agent or poller follows this registry only with --config-from';
const GROUPS = new Map([
  ['rover-1', 'canary'],
  ['rover-2', 'canary'],
  ['rover-3', 'canary'],
  ['rover-4', 'canary'],
  ['rover-5', 'lab'],
]);

interface SignedFleet {
  readonly registry: RollingFleet;
  readonly restart: (...args: string[]) => Promise<Printed>;
}

/** A registry with the key of an operator, whose canaries are rover-1 to rover-3, which ask for commands, and rover-4. */
async function session(
  front = (address: string) => Promise.resolve(address),
): Promise<SignedFleet> {
  const registry = await rollingFleet(5, 'reported', GROUPS);
  const { catalogue } = registry;
  catalogue.trust.store(
    trustOf([role('namespace *', 1, AUTHOR), role('operator', 1, APPROVER)]).text,
  );
  for (const machine of ['rover-1', 'rover-2', 'rover-3']) {
    catalogue.apply({ kind: 'heard', words: [{ about: 'asking', machine }] });
  }
  const environment = { MODREG_TOKEN: tokenFor(registry.catalogue, ['commands'], 'ops') };
  const address = await front(registry.address());
  const to = ['--group', 'canary', '--reason', 'no points', '--registry', address];
  return {
    registry,
    restart: async (...args) =>
      await printed(['fleet', 'restart', 'acme:lidar', ...to, ...args], {
        environment,
        clock: () => Date.parse('2026-11-21T01:02:03Z'),
      }),
  };
}

it('[D405] an operator signs one command for each machine of a group', async () => {
  const { registry, restart } = await session();
  const { commands } = registry.catalogue.configs;
  expect(await restart('--key', keyFile(APPROVER))).toEqual({
    stdout: [
      'canary: restart acme:lidar waits on 3 of 4 machines until 2026-11-21T02:02:03Z',
      '  rover-1: command 1',
      '  rover-2: command 1',
      '  rover-3: command 1',
      `  rover-4: not given: ${NOT_ASKING}`,
    ],
    stderr: [
      `note: signed by ${APPROVER.id} for each machine of acme-plant`,
      `note: modreg fleet commands --registry ${registry.address()} --group canary says what they answer`,
    ],
    exit: 1,
  });
  const given = ['rover-1', 'rover-2', 'rover-3', 'rover-4', 'rover-5'].map((machine) =>
    commands.all(machine).map(({ signed }) => Object.keys(signed?.signatures ?? {})),
  );
  expect(given).toEqual([[[APPROVER.id]], [[APPROVER.id]], [[APPROVER.id]], [], []]);
  const { stdout } = await restart('--key', keyFile(APPROVER), '--json');
  expect(JSON.parse(stdout[0] ?? '')).toEqual({
    schema: 'modreg/fleet-group-command@1',
    group: 'canary',
    kind: 'restart',
    expires_at: '2026-11-21T02:02:03Z',
    given: [1, 2, 3].map((machine) => ({ machine: `rover-${machine}`, number: 2 })),
    refused: [{ machine: 'rover-4', detail: NOT_ASKING }],
  });
});

it('[D405] what the registry refuses of a machine is named there', async () => {
  const { restart } = await session();
  const why = `/signed/signatures: the signature of the key ${AUTHOR.id} is not one of an operator over this command`;
  expect((await restart('--key', keyFile(AUTHOR))).stdout).toEqual([
    'canary: restart acme:lidar waits on 0 of 4 machines until 2026-11-21T02:02:03Z',
    ...[1, 2, 3].map((machine) => `  rover-${machine}: not given: ${why}`),
    `  rover-4: not given: ${NOT_ASKING}`,
  ]);
});

it('[D405] a key that does not sign gives no machine a command', async () => {
  const { registry, restart } = await session();
  const { commands } = registry.catalogue.configs;
  expect(await restart('--sign-with', '/no/signer')).toEqual({
    stdout: [],
    stderr: [
      'error[USAGE]: "/no/signer" cannot be run (spawnSync /no/signer ENOENT); nothing is signed with it',
    ],
    exit: 2,
  });
  expect(commands.all('rover-1')).toEqual([]);
});

/** Passes requests on to a registry, and answers others as one does that knows no such address. */
async function before(address: string, knows: (path: string) => boolean): Promise<string> {
  const listener: RequestListener = (request, response) => {
    const { method = '', url = '', headers } = request;
    const pass = async (): Promise<void> => {
      const body = await buffer(request);
      if (!knows(`${method} ${url}`)) {
        response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
        return;
      }
      const { authorization = '' } = headers;
      const sent = { method, headers: { authorization, 'content-type': 'application/json' } };
      const answer = await fetch(address + url, method === 'GET' ? sent : { ...sent, body });
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(await answer.text());
    };
    void pass();
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  // Cast: it listens at a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('[T800] a registry that fails among the machines of a group: the answer says which have the signed command', async () => {
  const fails = 'PUT /v1/machines/rover-2/commands';
  const { restart } = await session(
    async (address) => await before(address, (path) => path !== fails),
  );
  const { stdout } = await restart('--key', keyFile(APPROVER));
  expect(stdout.map((line) => line.replace(/http:[^ ]+/, 'SITE'))).toEqual([
    'canary: restart acme:lidar waits on 1 of 4 machines until 2026-11-21T02:02:03Z',
    '  rover-1: command 1',
    '  rover-2: not given: it may have it: the registry SITE does not respond like a registry: it gives machines no commands: its modreg is an earlier one',
    '  rover-3: not given: it was not tried, because the registry failed before: give it to this machine alone, with --machine',
    `  rover-4: not given: ${NOT_ASKING}`,
  ]);
});

it('[T800] a registry that fails at the first machine of a group gives no command', async () => {
  const fails = 'PUT /v1/machines/rover-1/commands';
  const { restart } = await session(
    async (address) => await before(address, (path) => path !== fails),
  );
  const { stdout, stderr, exit } = await restart('--key', keyFile(APPROVER));
  expect([stdout, exit]).toEqual([[], 4]);
  expect(stderr.join('\n')).toContain('its modreg is an earlier one');
});

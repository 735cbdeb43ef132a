import { expect, it } from 'vitest';
import { giveToMembers } from '../../src/server/commands/group-commands.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { asking, type Asking } from './support/asking.ts';

const CANARY = '/v1/groups/canary/commands';
const EXPIRES = '2026-11-21T02:02:03Z';
const NOT_ASKING =
  'it has not asked for commands: its agent or poller follows this registry only with --config-from';
const PINNED =
  'its policy names a trust document, so that operators sign what is not a hold: give it with --key';

let keys = 0;

function hold(more: object = {}): object {
  const key = `group-${++keys}`.padEnd(22, '_');
  return { key, kind: 'hold', for: '12h', reason: 'trade fair', ...more };
}

interface Member {
  readonly group?: string;
  readonly pinned?: true;
  /** Whether it asks for commands. */
  readonly asks?: false;
}

/** A registry to which these machines reported. */
async function reported(members: Readonly<Record<string, Member>>): Promise<Asking> {
  const site = asking();
  for (const [machine, { asks = true, group = 'canary', ...said }] of Object.entries(members)) {
    const scope = `machine:${machine}`;
    const state = { ...reportedState(1), group, ...said };
    await site.as(scope, 'POST', `/v1/machines/${machine}/reports`, machineReport([], { state }));
    const nonce = 'q3J-AAAAAAAAAAAAAAAAAA';
    if (asks) await site.as(scope, 'GET', `/v1/machines/${machine}/commands?nonce=${nonce}`);
  }
  return site;
}

it('[D327] each machine of a group has a command under its own number, and what cannot be commanded is named', async () => {
  const { registry, as } = await reported({
    'rover-1': {},
    'rover-2': { pinned: true },
    'rover-3': { asks: false },
    'rover-4': {},
    'rover-9': { group: 'lab' },
  });
  await as('commands', 'PUT', '/v1/machines/rover-4/commands', hold());
  const restart = { kind: 'restart', module: 'acme:lidar', for: null };
  expect(await as('commands', 'PUT', CANARY, hold(restart))).toEqual({
    status: 200,
    json: {
      group: 'canary',
      kind: 'restart',
      expires_at: EXPIRES,
      given: [
        { machine: 'rover-1', number: 1 },
        { machine: 'rover-4', number: 2 },
      ],
      refused: [
        { machine: 'rover-2', detail: PINNED },
        { machine: 'rover-3', detail: NOT_ASKING },
      ],
    },
  });
  const { json } = await as('commands', 'PUT', CANARY, hold());
  expect(Object(json).given).toEqual([
    { machine: 'rover-1', number: 2 },
    { machine: 'rover-2', number: 1 },
    { machine: 'rover-4', number: 3 },
  ]);
  const said = registry.events.map((event) => ('machine' in event ? event.machine : ''));
  expect(said).toEqual(['rover-4', 'rover-1', 'rover-4', 'rover-1', 'rover-2', 'rover-4']);
});

it('[D406] a machine that reported a pin is given alone what operators signed, and holds', async () => {
  const { registry, as } = await reported({ 'rover-1': { pinned: true }, 'rover-2': {} });
  const restart = { kind: 'restart', module: 'acme:lidar', for: null };
  const give = async (machine: string, command: object) => {
    const { status, json } = await as(
      'commands',
      'PUT',
      `/v1/machines/${machine}/commands`,
      command,
    );
    return [status, Object(json).errors];
  };
  expect([
    await give('rover-1', hold(restart)),
    await give('rover-1', hold({ kind: 'unhold', for: null })),
    await give('rover-1', hold()),
    await give('rover-2', hold(restart)),
  ]).toEqual([
    [422, [`rover-1: ${PINNED}`]],
    [422, [`rover-1: ${PINNED}`]],
    [200, undefined],
    [200, undefined],
  ]);
  const { commands } = registry.catalogue.configs;
  expect(commands.all('rover-1').map(({ kind }) => kind)).toEqual(['hold']);
});

it('[D327] a request that is repeated gives each machine one command', async () => {
  const { registry, as } = await reported({ 'rover-1': {}, 'rover-2': {} });
  const command = hold();
  const first = await as('commands', 'PUT', CANARY, command);
  expect(await as('commands', 'PUT', CANARY, command)).toEqual(first);
  expect(registry.events).toHaveLength(2);
});

it('[D327] a machine that joins the group later does not get what was given before', async () => {
  const site = await reported({ 'rover-1': {}, 'rover-2': { group: 'lab' } });
  await site.as('commands', 'PUT', CANARY, hold());
  const state = { ...reportedState(2), group: 'canary' };
  const report = machineReport([], { state });
  await site.as('machine:rover-2', 'POST', '/v1/machines/rover-2/reports', report);
  const { json } = await site.as('commands', 'GET', '/v1/machines/rover-2/commands');
  expect(json).toEqual({ commands: [] });
});

it('[D327] a machine that is retired is in no group', async () => {
  const { registry, as } = await reported({ 'rover-1': {}, 'rover-2': {} });
  await as('rollout', 'PUT', '/v1/fleet/machines/rover-2/retired');
  const { json } = await as('commands', 'PUT', CANARY, hold());
  expect(json).toMatchObject({ given: [{ machine: 'rover-1' }], refused: [] });
  expect(registry.catalogue.configs.commands.waiting('rover-2', registry.now)).toEqual([]);
});

it('[T732] a machine for which many commands wait is named, and the others get theirs', async () => {
  const { as } = await reported({ 'rover-1': {}, 'rover-2': {} });
  for (let count = 0; count < 20; count++) {
    await as('commands', 'PUT', '/v1/machines/rover-1/commands', hold());
  }
  const { json } = await as('commands', 'PUT', CANARY, hold());
  expect(json).toMatchObject({
    given: [{ machine: 'rover-2', number: 1 }],
    refused: [{ machine: 'rover-1', detail: '20 commands wait already' }],
  });
});

it('[D327] machines of a group that wait for changes are told at once', async () => {
  const { as } = await reported({ 'rover-1': {} });
  const wait = '/v1/changes?after=0&wait=30&config=&commands=0';
  const waiting = as('machine:rover-1', 'GET', wait);
  await as('commands', 'PUT', CANARY, hold());
  expect(await waiting).toMatchObject({ json: { commands: 1 } });
});

it('[D327] the commands to a group are listed with what became of them, the newest first', async () => {
  const { registry, as } = await reported({
    'rover-1': {},
    'rover-2': {},
    'rover-9': { group: 'lab' },
  });
  await as('commands', 'PUT', '/v1/machines/rover-9/commands', hold());
  await as('commands', 'PUT', CANARY, hold());
  registry.now += 1000;
  const lift = { kind: 'unquarantine', for: null, module: 'acme:lidar', version: '1.4.0' };
  await as('commands', 'PUT', '/v1/machines/rover-2/commands', hold(lift));
  const outcomes = [{ number: 1, result: 'done', detail: 'held' }];
  await as('machine:rover-1', 'PUT', '/v1/machines/rover-1/commands/outcomes', { outcomes });
  const { json } = await as('commands', 'GET', CANARY);
  expect(json).toMatchObject({
    group: 'canary',
    more: false,
    commands: [
      { machine: 'rover-2', number: 2, kind: 'unquarantine', version: '1.4.0', state: 'waiting' },
      { machine: 'rover-1', number: 1, kind: 'hold', state: 'done', detail: 'held' },
      { machine: 'rover-2', number: 1, kind: 'hold', state: 'waiting' },
    ],
  });
});

it.each([
  ['commands', CANARY, 200],
  ['machine:rover-1', CANARY, 403],
  ['fleet:read', CANARY, 403],
  ['config', CANARY, 403],
])(
  '[D327] with the scope %s, PUT and GET of %s are answered with %i',
  async (scope, path, status) => {
    const { as } = await reported({ 'rover-1': {} });
    const answers = [await as(scope, 'PUT', path, hold()), await as(scope, 'GET', path)];
    expect(answers.map((one) => one.status)).toEqual([status, status]);
  },
);

it.each([
  [
    '/v1/groups/lab/commands',
    422,
    'no machine that reported is in the group lab; there are canary (1)',
  ],
  [
    '/v1/groups/-lab/commands',
    400,
    'the address does not have a group, which is up to 63 letters, digits, ".", "_" and "-", beginning with a letter or a digit',
  ],
])('[D327] a command to %s is refused with %i', async (path, status, detail) => {
  const { as } = await reported({ 'rover-1': {} });
  const answer = await as('commands', 'PUT', path, hold());
  const { errors, detail: said } = Object(answer.json);
  expect([answer.status, errors?.[0] ?? said]).toEqual([status, detail]);
});

it('[D327] 250 machines of a group get their commands', async () => {
  const names = Array.from({ length: 250 }, (_, place) => `rover-${place}`);
  const { registry, as } = await reported(Object.fromEntries(names.map((name) => [name, {}])));
  const { json } = await as('commands', 'PUT', CANARY, hold());
  expect(Object(json).given).toHaveLength(250);
  const { commands } = registry.catalogue.configs;
  expect(names.flatMap((name) => commands.waiting(name, registry.now))).toHaveLength(250);
});

it('[D396] a signed command is for one machine, and not for a group', async () => {
  const { as } = await reported({ 'rover-1': {} });
  const times = { given_at: '2026-11-21T01:02:03Z', expires_at: EXPIRES };
  const signatures = { '0123456789abcdef': `${'A'.repeat(86)}==` };
  const restart = { kind: 'restart', module: 'acme:lidar', for: null };
  const body = hold({ ...restart, signed: { ...times, signatures } });
  const { status, json } = await as('commands', 'PUT', CANARY, body);
  const error = '/signed: operators sign a command for one machine';
  expect([status, Object(json).errors]).toEqual([422, [error]]);
});

it('[D327] other requests are answered after each hundred machines of a large group', async () => {
  let others = 0;
  const answerOther = (): void => {
    others += 1;
    if (others < 5) setImmediate(answerOther);
  };
  setImmediate(answerOther);
  const members = Array.from({ length: 201 }, (_, place) => ({
    machine: `rover-${place}`,
    isPinned: false,
  }));
  const given: string[] = [];
  const giveAll = async (_wish: object, machines: readonly string[]): Promise<[]> => {
    given.push(`${machines.length} after ${others} others`);
    return await Promise.resolve([]);
  };
  const wish = {
    key: 'k',
    kind: 'hold',
    module: undefined,
    term: '12h',
    version: undefined,
  } as const;
  const by = { reason: 'trade fair', author: 'ada', at: 0, expiresAt: 1, signed: undefined };
  await giveToMembers({ hasAsked: () => true, giveAll }, members, { ...wish, ...by });
  expect(given).toEqual(['100 after 0 others', '100 after 1 others', '1 after 2 others']);
});

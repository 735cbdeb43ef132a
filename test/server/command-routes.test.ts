import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { backUp } from '../../src/server/backup/backup.ts';
import { restore } from '../../src/server/backup/restore.ts';
import { Catalogue } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { AUTHOR, role, trustOf, VENDOR } from '../support/signed.ts';
import { tokenFor } from '../support/token.ts';
import { asking } from './support/asking.ts';

const COMMANDS = '/v1/machines/rover-7/commands';
const NONCE = 'q3J-AAAAAAAAAAAAAAAAAA';
const QUESTION = `${COMMANDS}?nonce=${NONCE}`;
const HOUR = 3_600_000;

let keys = 0;

/** A hold of the whole machine under a key of its own. */
function hold(more: object = {}): object {
  const key = `key-${++keys}`.padEnd(22, '_');
  return { key, kind: 'hold', for: '12h', reason: 'trade fair', ...more };
}

const GIVEN = {
  number: 1,
  kind: 'hold',
  module: null,
  for: '12h',
  version: null,
  reason: 'trade fair',
  by: 'token t2 (commands)',
  expires_at: '2026-11-21T02:02:03Z',
};

it('[D294] a person gives a command, the machine reads it, and its answer is listed', async () => {
  const { registry, as } = asking();
  const end = '2026-11-21T02:02:03Z';
  expect(await as('commands', 'PUT', COMMANDS, hold())).toEqual({
    status: 200,
    json: { machine: 'rover-7', number: 1, kind: 'hold', expires_at: end, asks: false },
  });
  const waits = { at: '2026-11-21T01:02:03Z', state: 'waiting', detail: null, answered_at: null };
  expect(await as('commands', 'GET', COMMANDS)).toEqual({
    status: 200,
    json: { commands: [{ ...GIVEN, ...waits }] },
  });
  expect(await as('machine:rover-7', 'GET', QUESTION)).toEqual({
    status: 200,
    json: { machine: 'rover-7', nonce: NONCE, now: '2026-11-21T01:02:03Z', commands: [GIVEN] },
  });
  const outcomes = [{ number: 1, result: 'done', detail: 'it is held' }];
  await as('machine:rover-7', 'PUT', `${COMMANDS}/outcomes`, { outcomes });
  const answered = { state: 'done', detail: 'it is held', answered_at: '2026-11-21T01:02:03Z' };
  expect(await as('commands', 'GET', COMMANDS)).toMatchObject({
    json: { commands: [{ ...GIVEN, ...answered }] },
  });
  expect(await as('machine:rover-7', 'GET', QUESTION)).toMatchObject({ json: { commands: [] } });
  const given = { kind: 'command-given', machine: 'rover-7', number: 1, command: 'hold' };
  expect(registry.events).toEqual([{ ...given, tokenId: 't2', peer: undefined }]);
});

it('[D294] the answer says that a machine has not asked for commands until it does', async () => {
  const { as } = asking();
  const asks = async () => Object((await as('commands', 'PUT', COMMANDS, hold())).json).asks;
  expect(await asks()).toBe(false);
  await as('machine:rover-7', 'GET', QUESTION);
  expect(await asks()).toBeUndefined();
});

it('[D294] a request that is repeated gives one command, and the first answer of a machine counts', async () => {
  const { registry, as } = asking();
  const same = hold();
  const first = await as('commands', 'PUT', COMMANDS, same);
  expect(await as('commands', 'PUT', COMMANDS, same)).toEqual(first);
  expect(registry.events.length).toBe(1);
  const answer = async (result: string) => {
    const outcomes = [
      { number: 1, result, detail: '' },
      { number: 7, result, detail: '' },
    ];
    return await as('machine:rover-7', 'PUT', `${COMMANDS}/outcomes`, { outcomes });
  };
  expect(await answer('done')).toEqual({ status: 200, json: { machine: 'rover-7' } });
  await answer('lost');
  expect(await as('commands', 'GET', COMMANDS)).toMatchObject({
    json: { commands: [{ number: 1, state: 'done' }] },
  });
});

it('[D301] a command is served until it expires', async () => {
  const { registry, as } = asking();
  await as('commands', 'PUT', COMMANDS, hold({ expires_in: 60 }));
  registry.now += 59_999;
  expect(await as('machine:rover-7', 'GET', QUESTION)).toMatchObject({
    json: { commands: [{ number: 1 }] },
  });
  registry.now += 1;
  expect(await as('machine:rover-7', 'GET', QUESTION)).toMatchObject({ json: { commands: [] } });
  expect(await as('commands', 'GET', COMMANDS)).toMatchObject({
    json: { commands: [{ state: 'expired', detail: null }] },
  });
});

it.each([
  ['machine:rover-7', 'GET', QUESTION, 200],
  ['machine:rover-8', 'GET', QUESTION, 403],
  ['config', 'GET', COMMANDS, 403],
  ['fleet:read', 'GET', COMMANDS, 403],
  ['machine:rover-7', 'PUT', COMMANDS, 403],
  ['config', 'PUT', COMMANDS, 403],
  ['commands', 'PUT', `${COMMANDS}/outcomes`, 403],
  ['machine:rover-8', 'PUT', `${COMMANDS}/outcomes`, 403],
])('[D294] with the scope %s, the answer to %s %s is %i', async (scope, method, path, status) => {
  const body = method === 'PUT' ? hold() : undefined;
  expect((await asking().as(scope, method, path, body)).status).toBe(status);
});

it.each([
  [
    { kind: 'reboot' },
    '/kind: expected one of hold, unhold, upgrade, restart, rollback, unquarantine',
  ],
  [{ for: null }, '/for: a hold needs a duration, such as 12h'],
  [{ for: '31d' }, '/for: a hold lasts 31 d, expected more than 0 s and at most 30 d'],
  [{ for: '0s' }, '/for: a hold lasts 0 s, expected more than 0 s and at most 30 d'],
  [
    { for: 'long' },
    '/for: "long" is not a duration, expected a whole number and one of s, m, h, d, at most ten years, such as 5m',
  ],
  [{ kind: 'unhold' }, '/for: only a hold lasts a time'],
  [{ kind: 'restart', for: null }, '/module: restart needs the name of a module'],
  [
    { kind: 'unquarantine', for: null, module: 'lidar' },
    '/version: unquarantine needs a version, such as 1.4.0',
  ],
  [{ version: '1.4.0' }, '/version: only unquarantine names a version'],
  [{ module: '' }, '/module: expected 1 to 256 characters'],
  [{ reason: 'a\nb' }, '/reason: expected text without control characters'],
  [{ expires_in: 86_401 }, '/expires_in: expected a whole number from 1 to 86400'],
  [{ key: 'short' }, '/key: expected 16 random bytes in base64url'],
])('[D294] %j is no command: %s', async (more, error) => {
  const { as } = asking();
  const { status, json } = await as('commands', 'PUT', COMMANDS, hold(more));
  expect([status, Object(json).errors]).toEqual([422, [error]]);
  expect(await as('commands', 'GET', COMMANDS)).toEqual({ status: 200, json: { commands: [] } });
});

it.each(['', '?nonce=short', '?nonce=q3J%0AAAAAAAAAAAAAAAAAAA'])(
  '[D295] a machine that asks %s without a nonce gets no commands',
  async (query) => {
    const { status, json } = await asking().as('machine:rover-7', 'GET', COMMANDS + query);
    expect([status, Object(json).detail]).toEqual([
      400,
      'nonce must be 16 random bytes in base64url',
    ]);
  },
);

it('[D295] the registry signs its answer with its key, for this machine and its random number', async () => {
  const { registry } = asking();
  const trust = trustOf([role('namespace *', 1, AUTHOR), role('registry', 1, VENDOR)]);
  registry.catalogue.trust.store(trust.text);
  const pem = VENDOR.privateKey.export({ type: 'pkcs8', format: 'pem' });
  writeFileSync(`${registry.path}-key`, pem, { mode: 0o600 });
  const token = tokenFor(registry.catalogue, ['machine:rover-7'], 'rover-7');
  const headers = { authorization: `Bearer ${token}` };
  const answer = await registry.ask('GET', QUESTION, { headers });
  const sha256 = createHash('sha256').update(answer.text).digest('hex');
  const signed = `modreg/answer@1\nacme-plant\n1\n${NONCE}\ncommands rover-7\n${sha256}\n`;
  expect(answer.headers.get('modreg-signature')).toBe(`1 ${VENDOR.id} ${VENDOR.sign(signed)}`);
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

it.each([
  ['a later command waits', 'machine:rover-7', '0', 1],
  ['the machine has taken what waits', 'machine:rover-7', '1', undefined],
  ['another machine asks', 'machine:rover-8', '0', undefined],
  ['no machine asks', 'publish', '0', undefined],
])(
  '[D296] a question for changes names a command where %s',
  async (_what, scope, taken, number) => {
    const { as } = asking();
    await as('commands', 'PUT', COMMANDS, hold());
    const { json } = await as(scope, 'GET', `/v1/changes?after=0&commands=${taken}`);
    expect(Object(json).commands).toBe(number);
  },
);

it('[D296] a machine that waits for changes is told at once of a command to it', async () => {
  const { as } = asking();
  const wait = async (id: string, seconds: number) =>
    await as(`machine:${id}`, 'GET', `/v1/changes?after=0&wait=${seconds}&config=&commands=0`);
  const waiting = [wait('rover-7', 30), wait('rover-8', 5)];
  await as('commands', 'PUT', COMMANDS, hold());
  expect(await Promise.race(waiting)).toMatchObject({
    json: { sequence: 0, modules: [], commands: 1 },
  });
});

it('[D296] a command does not end the wait of a machine that knows none', async () => {
  const { as } = asking();
  const waiting = as('machine:rover-7', 'GET', '/v1/changes?after=0&wait=0.2&config=');
  await as('commands', 'PUT', COMMANDS, hold());
  const { json } = await waiting;
  expect(Object.keys(Object(json))).not.toContain('commands');
});

it('[T708] so many commands of a machine wait, and those that are answered or have expired are kept up to 100', async () => {
  const { registry, as } = asking();
  const give = async () => await as('commands', 'PUT', COMMANDS, hold());
  for (let count = 0; count < 20; count++) await give();
  const { status, json } = await give();
  expect([status, Object(json).type, Object(json).detail]).toEqual([
    409,
    'urn:modreg:too-many-commands',
    '20 commands of rover-7 wait already: nothing was given',
  ]);
  for (let hour = 0; hour < 5; hour++) {
    registry.now += HOUR;
    for (let count = 0; count < 20; count++) await give();
  }
  const { json: listed } = await as('commands', 'GET', COMMANDS);
  const numbers = Object(listed).commands.map(({ number }: { number: number }) => number);
  expect([numbers.length, numbers.at(0), numbers.at(-1)]).toEqual([100, 120, 21]);
});

it('[T708] a command that waits is kept while a hundred later ones are answered', async () => {
  const { as } = asking();
  const give = async () => await as('commands', 'PUT', COMMANDS, hold());
  await give();
  for (let number = 2; number <= 103; number++) {
    await give();
    const outcomes = [{ number, result: 'done', detail: '' }];
    await as('machine:rover-7', 'PUT', `${COMMANDS}/outcomes`, { outcomes });
  }
  expect(await as('machine:rover-7', 'GET', QUESTION)).toMatchObject({
    json: { commands: [{ number: 1 }] },
  });
});

it('[T703] after a restore no command waits, and numbers are above all that machines may have taken', async () => {
  const { registry, as } = asking();
  await as('commands', 'PUT', COMMANDS, hold());
  const folder = temporaryFolder();
  await backUp(registry.path, `${folder}/backup`, registry.now);
  const path = `${folder}/registry.db`;
  restore(`${folder}/backup`, path, { replaces: false, now: registry.now });
  const restored = new Catalogue(path, { mode: 'write' });
  const { commands } = restored.configs;
  expect(commands.waiting('rover-7', registry.now)).toEqual([]);
  expect(commands.all('rover-7')[0]?.outcome).toEqual({
    result: 'dropped',
    detail: 'the registry was restored from a backup, and the machine may have carried it out',
    at: registry.now,
  });
  const wish = {
    kind: 'restart',
    module: 'lidar',
    term: undefined,
    version: undefined,
    reason: 'a',
    author: 'b',
  } as const;
  const times = { at: registry.now, expiresAt: registry.now + HOUR };
  const given = ['rover-7', 'rover-8'].map((machine) =>
    commands.give({ machine, key: 'k', ...wish, ...times }),
  );
  expect(given).toMatchObject([{ command: { number: 1002 } }, { command: { number: 1002 } }]);
  restored.close();
});

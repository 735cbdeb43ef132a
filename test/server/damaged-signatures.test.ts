import { expect, it } from 'vitest';
import { asking } from './support/asking.ts';
import { sql } from '../support/backups.ts';

const COMMANDS = '/v1/machines/rover-7/commands';
const QUESTION = `${COMMANDS}?nonce=q3J-AAAAAAAAAAAAAAAAAA`;
const KEY = 'AAAAAAAAAAAAAAAAAAAAAA';
const RESTART = { key: KEY, kind: 'restart', module: 'acme:lidar', reason: 'a test' };
const DOCUMENTS = {
  machine: 'rover-7',
  at: 0,
  author: 'a test',
  reason: 'a test',
  config: '{}',
  policy: undefined,
  basedOn: 0,
};

it.each(['{', '5', '', '{"id":5}', '{"id":"a","givenAt":0,"signatures":{"b":5}}'])(
  '[T780] a command whose signatures are %j has none, and its machine is told of it',
  async (damaged) => {
    const { registry, as } = asking();
    const machine = 'machine:rover-7';
    const waiting = as(machine, 'GET', '/v1/changes?after=0&wait=30&commands=0');
    await as('commands', 'PUT', COMMANDS, RESTART);
    sql(registry.path, `UPDATE machine_commands SET signed = '${damaged}'`);
    const told = as(machine, 'GET', '/v1/changes?after=0&wait=30&commands=0');
    expect([await waiting, await told]).toMatchObject([
      { status: 200, json: { commands: 1 } },
      { status: 200, json: { commands: 1 } },
    ]);
    const { json } = await as(machine, 'GET', QUESTION);
    expect(Object(json).commands[0].signed).toBeUndefined();
    expect((await as('commands', 'GET', COMMANDS)).status).toBe(200);
  },
);

it.each(['{', '5', '', '{"a":5}'])(
  '[T780] documents whose signatures are %j have none, and their machine is told of them',
  async (damaged) => {
    const { registry, as } = asking();
    registry.catalogue.configs.save(DOCUMENTS);
    sql(registry.path, `UPDATE machine_configs SET signatures = '${damaged}'`);
    const told = await as('machine:rover-7', 'GET', '/v1/changes?after=0&wait=30&config=');
    expect(told).toMatchObject({ status: 200, json: { config: '1.0' } });
    expect(registry.catalogue.configs.newest('rover-7')?.signatures).toEqual({});
  },
);

import { expect, it } from 'vitest';
import { printed } from '../support/command.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';

it('modreg fleet status counts how often a version failed, which one machine may report several times', async () => {
  const failed = { module_id: 'acme:lidar', version: '1.5.0', result: 'failed' };
  const outcomes = [
    { ...failed, outcomes: 512 },
    { ...failed, version: '1.6.0', outcomes: 1 },
  ];
  const { address } = await plainServer((response) => {
    const counts = { seen_in_24h: 2, missing_outcomes: 0, duplicates: 0, modules: [] };
    send(response, { machines: 2, ...counts, outcomes_in_24h: outcomes });
  });
  const environment = { MODREG_TOKEN: 'modreg_x' };
  const { stdout } = await printed(['fleet', 'status', '--registry', address], { environment });
  expect(stdout).toEqual([
    '2 machines, 2 seen in 24 h',
    'failed in 24 h: acme:lidar 1.5.0, 512 times',
    'failed in 24 h: acme:lidar 1.6.0, 1 time',
  ]);
});

it('modreg fleet status says how to find the ids that two machines use', async () => {
  const counts = { seen_in_24h: 1, missing_outcomes: 0, modules: [], outcomes_in_24h: [] };
  const { address } = await plainServer((response) => {
    send(response, { machines: 1, duplicates: 1, ...counts });
  });
  const environment = { MODREG_TOKEN: 'modreg_x' };
  const { stdout } = await printed(['fleet', 'status', '--registry', address], { environment });
  expect(stdout).toEqual([
    '1 machine, 1 seen in 24 h',
    "1 id used by two machines, which are not counted above; modreg fleet machines --limit 100000 | grep 'two machines' names them",
  ]);
});

import { expect, it } from 'vitest';
import { printed } from '../support/command.ts';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { lidarReport, type LidarMachine } from '../support/reported-facts.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const DAY = 86_400_000;
const HOUR = 3_600_000;

it.each<[string, LidarMachine, readonly (object | string)[], string]>([
  [
    'another release reaches its age first',
    { minimumAgeMs: DAY },
    [{ version: '1.3.0', published_at: '2026-11-20T18:00:00Z' }],
    '2026-11-22T10:00:00Z upgrade',
  ],
  [
    'a newer release reaches its age first',
    { minimumAgeMs: DAY },
    [{ version: '1.5.0', published_at: '2026-11-20T18:00:00Z' }],
    'never older than 1.5.0',
  ],
  [
    'the quarantine ends before the release is old enough',
    { minimumAgeMs: DAY, quarantine: '1.4.0', until: NOW + HOUR },
    [],
    '2026-11-22T10:00:00Z upgrade',
  ],
  [
    'the release is old enough before its quarantine ends',
    { minimumAgeMs: DAY, quarantine: '1.4.0', until: NOW + 30 * HOUR },
    [],
    '2026-11-22T18:00:00Z upgrade',
  ],
])('what-if when %s', async (_title, machine, others, expected) => {
  const rollout = { salt: 's1', percent: 100, share: 1 };
  const asked = { version: '1.4.0', published_at: '2026-11-21T10:00:00Z', rollout };
  const { address } = await plainServer((response, { url = '' }) => {
    const state = { ...lidarReport(machine, NOW), platform: 'linux/arm64' };
    const states = [{ state, machines: ['rover-1'] }];
    if (url.includes('/fleet/')) send(response, { module_id: 'acme:lidar', states, next: null });
    else send(response, listOf(['1.2.9', ...others, asked], 1));
  });
  const args = ['fleet', 'what-if', 'acme:lidar', '1.4.0', '--json', '--registry', address];
  const environment = { MODREG_TOKEN: 'modreg_x' };
  const { stdout } = await printed(args, { environment, clock: () => NOW });
  const [{ when, at, direction, because }] = JSON.parse(stdout[0] ?? '').groups;
  expect(`${at ?? when} ${because ?? direction}`).toBe(expected);
});

it('what-if says that a later step of the rollout includes a machine', async () => {
  const rollout = { salt: 's1', percent: 0.1, share: 0.000001 };
  const { address } = await plainServer((response, { url = '' }) => {
    const state = { ...lidarReport({}, NOW), platform: 'linux/arm64' };
    const states = [{ state, machines: ['rover-1', 'rover-2'] }];
    if (url.includes('/fleet/')) send(response, { module_id: 'acme:lidar', states, next: null });
    else send(response, listOf(['1.2.9', { version: '1.4.0', rollout }], 1));
  });
  const args = ['fleet', 'what-if', 'acme:lidar', '1.4.0', '--registry', address];
  const environment = { MODREG_TOKEN: 'modreg_x' };
  expect((await printed(args, { environment, clock: () => NOW })).stdout).toEqual([
    'acme:lidar 1.4.0: 2 of 2 machines would get it',
    '',
    '  WHEN              MACHINES              DEPLOYED   CONSTRAINT   WHAT',
    '  in a later step   2: rover-1, rover-2   1.2.9      1.*          the rollout at 0.1 % does not include it yet',
  ]);
});

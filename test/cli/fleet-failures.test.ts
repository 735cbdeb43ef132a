import { expect, it } from 'vitest';
import type { FailingModule, ReportedOutcome } from '../../src/registry/machine-report.ts';
import { printed, type Printed } from '../support/command.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { tokenFor } from '../support/token.ts';

const FULL: FailingModule = {
  version: '1.3.0',
  blame: 'machine',
  attempts: 4,
  reason: 'the disk is full',
  next_at: null,
};
const STALLED = { to: '1.3.0', result: 'failed', reason: 'exit code 7: stalled at 12' } as const;

interface Failing {
  readonly failing?: FailingModule;
  readonly outcome?: Partial<ReportedOutcome>;
}

/** Runs commands on a registry to which these machines have reported, one after another. */
async function fleetWith(
  machines: Readonly<Record<string, Failing>>,
): Promise<(...args: readonly string[]) => Promise<Printed>> {
  const { address, catalogue } = await loopbackRegistry();
  for (const [id, { failing, outcome }] of Object.entries(machines)) {
    const report = machineReport([1], { state: reportedState(1, { failing }) });
    const outcomes = report.outcomes.map((one) => ({ ...one, ...outcome }));
    const token = tokenFor(catalogue, [`machine:${id}`], id);
    const answer = await fetch(`${address}/v1/machines/${id}/reports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...report, outcomes }),
    });
    expect(answer.status).toBe(200);
  }
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['fleet:read'], 'reader') };
  return async (...args) => {
    const ended = await printed(['fleet', 'failures', ...args, '--registry', address], {
      environment,
    });
    return { ...ended, stdout: ended.stdout.map((line) => line.replace(/ 20\d\d-\S+Z/, ' TIME')) };
  };
}

const MACHINES: Readonly<Record<string, Failing>> = {
  'rover-1': { outcome: STALLED },
  'rover-2': { outcome: { ...STALLED, reason: 'exit code 7: stalled at 15' } },
  'rover-3': { outcome: { ...STALLED, reason: 'no camera', undecided: true } },
  'rover-4': { failing: FULL },
  'rover-5': { failing: { ...FULL, blame: 'release' } },
  'rover-6': { outcome: { ...STALLED, to: '1.2.9', reason: null } },
  'rover-7': {},
};
const OF_RELEASE = [
  'acme:lidar 1.3.0 on 2 machines because of the release, last TIME',
  '  exit code 7: stalled at 15',
  '  rover-2, rover-1',
];
const REST = [
  'acme:lidar 1.3.0 on 1 machine as the version before it does, last TIME',
  '  no camera',
  '  rover-3',
];
const RETRIED = [
  'acme:lidar 1.3.0 on 1 machine because of the machine, will try again',
  '  the disk is full',
  '  rover-4',
];

it.each<[readonly string[], readonly string[], (readonly string[])?]>([
  [
    ['acme:lidar', '1.3.0'],
    [...OF_RELEASE, ...REST, ...RETRIED],
  ],
  [
    ['acme:lidar', '1.2.9'],
    ['acme:lidar 1.2.9 on 1 machine because of the release, last TIME', '  no reason', '  rover-6'],
  ],
  [
    ['acme:arm'],
    ['nothing failed in 24h, and nothing is tried again'],
    [
      'warning[UNKNOWN_REFERENCE]: no machine has reported "acme:arm", and it is not published here',
      'hint: modules here: acme:lidar',
    ],
  ],
])(
  '[D185] failures %j are grouped by release, blame and reason',
  async (args, expected, stderr = []) => {
    const fleet = await fleetWith(MACHINES);
    expect(await fleet(...args)).toEqual({ stdout: expected, stderr, exit: 0 });
  },
);

it('[D185] failures of all modules are JSON with the machines', async () => {
  const fleet = await fleetWith(MACHINES);
  const { stdout } = await fleet('--json');
  const { schema, failures, left_out: left } = JSON.parse(stdout[0] ?? '');
  expect([schema, failures.length, left]).toEqual(['modreg/fleet-failures@1', 4, 0]);
  expect(failures[0]).toMatchObject({
    blame: 'release',
    machines: 2,
    first_machines: ['rover-2', 'rover-1'],
  });
});

it.each(['0s', '91d', 'today'])('[D185] --since %s is no duration', async (since) => {
  const fleet = await fleetWith({});
  const { stderr, exit } = await fleet('--since', since);
  expect([stderr[0], exit]).toEqual([
    `error[USAGE]: --since: found "${since}", expected a duration from 1s to 90d`,
    2,
  ]);
});

it('[D185] --since goes back 90 days', async () => {
  const fleet = await fleetWith({});
  const { stderr, exit } = await fleet('--since', '90d');
  expect([stderr, exit]).toEqual([[], 0]);
});

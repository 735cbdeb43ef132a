import { expect, it } from 'vitest';
import { formatTime } from '../../src/core/text/rfc3339.ts';
import type { FailingModule, ReportedModule } from '../../src/registry/machine-report.ts';
import { printed, type Printed } from '../support/command.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { tokenFor } from '../support/token.ts';

const FULL: FailingModule = {
  version: '1.3.0',
  blame: 'machine',
  attempts: 4,
  reason: 'the disk is full',
  next_at: '2026-11-21T12:05:00Z',
};
const STALLED: FailingModule = {
  version: '1.3.0',
  blame: 'release',
  reason: 'motor stalled',
  next_at: null,
};
const UPGRADE: Partial<ReportedModule> = { target: '1.3.0', decision: 'upgrade' };

/** Runs commands on a registry to which these machines have reported. */
async function fleetWith(
  machines: Readonly<Record<string, Partial<ReportedModule>>>,
): Promise<(...args: readonly string[]) => Promise<Printed>> {
  const { address, catalogue } = await loopbackRegistry();
  for (const [id, module] of Object.entries(machines)) {
    const token = tokenFor(catalogue, [`machine:${id}`], id);
    const answer = await fetch(`${address}/v1/machines/${id}/reports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(
        machineReport([], { state: { ...reportedState(1, module), at: formatTime(Date.now()) } }),
      ),
    });
    expect(answer.status).toBe(200);
  }
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['fleet:read'], 'reader') };
  return async (...args) =>
    await printed(['fleet', ...args, '--registry', address], { environment });
}

it('[D184] status says what fails, on how many machines, and whose fault that is', async () => {
  const fleet = await fleetWith({
    'rover-1': { ...UPGRADE, failing: FULL },
    'rover-2': { failing: STALLED },
    'rover-3': {},
  });
  const { stdout } = await fleet('status');
  expect([stdout[0], ...stdout.slice(-2)]).toEqual([
    '3 machines, 3 seen in 24 h; 2 failing',
    'failing: acme:lidar 1.3.0 on 1 machine, because of the machine',
    'failing: acme:lidar 1.3.0 on 1 machine, because of the release',
  ]);
});

it('[D184] machines --failing lists those on which something fails, with attempts, reason and next attempt', async () => {
  const fleet = await fleetWith({
    'rover-1': { ...UPGRADE, failing: FULL },
    'rover-2': { failing: { ...STALLED, blame: 'undecided' } },
    'rover-3': {},
  });
  const { stdout } = await fleet('machines', '--failing');
  const words = stdout.map((line) => line.trim().split(/ {3,}/).at(-1));
  expect(words).toEqual([
    'DECISION',
    'upgrade; 1.3.0 failed 4 times because of the machine, next attempt 2026-11-21T12:05:00Z: the disk is full',
    'up to date; 1.3.0 failed as the version before it does: motor stalled',
  ]);
  const json = await fleet('machines', '--failing', '--json');
  expect(JSON.parse(json.stdout[0] ?? '').machines).toMatchObject([
    { id: 'rover-1', modules: [{ failing: FULL }] },
    { id: 'rover-2' },
  ]);
});

it('[D184] an earlier registry, which answers all machines, lists none that does not fail', async () => {
  const machines = [{ id: 'rover-1', seen_at: '2026-11-21T12:00:00Z', modules: [] }];
  const { address } = await plainServer((response) => send(response, { machines, next: null }));
  const { stdout } = await printed(['fleet', 'machines', '--failing', '--registry', address], {
    environment: { MODREG_TOKEN: 'x' },
  });
  expect(stdout).toEqual(['no machine matches']);
});

it('[D184] a rollout says how many of its machines fail for a reason of theirs', async () => {
  const { address, catalogue } = await loopbackRegistry();
  const scopes = ['publish', 'yank', 'rollout', 'fleet:read', 'machine:rover-1'];
  const token = tokenFor(catalogue, scopes, 'all');
  const report = async (number: number, module: Partial<ReportedModule>): Promise<void> => {
    const state = reportedState(number, module);
    const answer = await fetch(`${address}/v1/machines/rover-1/reports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(machineReport([], { state })),
    });
    expect(answer.status).toBe(200);
  };
  const run = async (...args: readonly string[]): Promise<readonly string[]> => {
    const ended = await printed([...args, '--registry', address], {
      environment: { MODREG_TOKEN: token },
    });
    return ended.stdout;
  };
  await report(1, {});
  await run('registry', 'publish', 'acme:lidar', '1.3.0', '--rollout');
  await report(2, { ...UPGRADE, failing: FULL });
  expect((await run('rollout', 'status', 'acme:lidar', '1.3.0')).slice(1, 3)).toEqual([
    '  installed 1: healthy 0, failed 0, silent 0, not known yet 1; waiting 0',
    '  1 machine failed for a reason of the machine and will try again: modreg fleet failures acme:lidar 1.3.0',
  ]);
  // What it says of another release is none of this rollout.
  await report(3, { ...UPGRADE, failing: { ...FULL, version: '1.2.9' } });
  expect((await run('rollout', 'status', 'acme:lidar', '1.3.0'))[2]).toMatch(/^ {2}next: /);
});

import { expect, it } from 'vitest';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { formatTime } from '../../src/core/text/rfc3339.ts';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { printed } from '../support/command.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { tokenFor } from '../support/token.ts';

const MINUTE = 60_000;

it('[D460] fleet machines says how far a clock is from that of the registry', async () => {
  const { address, catalogue } = await loopbackRegistry();
  const now = Date.now();
  const fleet = new FleetFile(fleetPath(catalogue.path), () => now);
  for (const [id, ahead, synchronized] of [
    ['rover-1', 0],
    ['rover-2', -200_000, true],
    ['rover-3', 61 * MINUTE],
    ['rover-4', 5000 - now, false],
  ] as const) {
    const state = { ...reportedState(1, {}), at: formatTime(now + ahead), synchronized };
    await fleet.report(id, machineReport([], { queue: `queue-of-${id}`, state }));
  }
  // Two processes report by turns.
  for (const instance of ['process-1', 'process-2', 'process-1']) {
    const state = { ...reportedState(1, {}), at: formatTime(now - 10 * MINUTE) };
    await fleet.report('rover-5', machineReport([], { instance, state }));
  }
  fleet.close();
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['fleet:read'], 'reader') };
  const args = ['fleet', 'machines', '--registry', address];
  const { stdout } = await printed(args, { environment, clock: () => now });
  expect(stdout.map((line) => line.trim().split(/ {3,}/)[2])).toEqual([
    'STATE',
    'online',
    'online, clock 3 min 20 s behind the site',
    'online, clock 1 h 1 min ahead of the site',
    'online, clock in 1970: it is not set',
    'online',
  ]);
  const answer = await printed([...args, '--json'], { environment, clock: () => now });
  const { machines } = JSON.parse(answer.stdout.join(''));
  const clocks = machines.map(({ clock }: { readonly clock: unknown }) => clock);
  expect(clocks).toEqual([
    { ahead_ms: 0, synchronized: null },
    { ahead_ms: -200_000, synchronized: true },
    { ahead_ms: 61 * MINUTE, synchronized: null },
    { ahead_ms: 5000 - now, synchronized: false },
    null,
  ]);
});

it('[D460] an earlier registry says nothing of clocks', async () => {
  const seen_at = '2026-11-21T12:00:00Z';
  const machines = [{ id: 'rover-1', seen_at, presence: 'online', modules: [] }];
  const { address } = await plainServer((response) => send(response, { machines, next: null }));
  const environment = { MODREG_TOKEN: 'a-token' };
  const { stdout } = await printed(['fleet', 'machines', '--registry', address], { environment });
  expect(stdout[1]).toMatch(/ online +nothing is reported$/);
});

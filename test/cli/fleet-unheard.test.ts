import { describe, expect, it } from 'vitest';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { printed, type Printed } from '../support/command.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { tokenFor } from '../support/token.ts';

const HOUR = 3_600_000;
/** How long ago each machine reported, which asks every minute, and whether something fails on it. */
const MACHINES: readonly (readonly [id: string, age: number, fails?: true])[] = [
  ['rover-1', 0],
  ['rover-2', HOUR],
  ['rover-3', 48 * HOUR],
  ['rover-4', 48 * HOUR, true],
];
const FAILING = { version: '1.3.0', blame: 'release', reason: 'motor stalled', next_at: null };

/** Lists machines of a registry to which those have reported. */
async function lister(): Promise<(...args: readonly string[]) => Promise<Printed>> {
  const { address, catalogue } = await loopbackRegistry();
  const began = Date.now();
  for (const [id, age, fails] of MACHINES) {
    const fleet = new FleetFile(fleetPath(catalogue.path), () => began - age);
    const state = { ...reportedState(1, fails ? { failing: FAILING } : {}), every_ms: 60_000 };
    await fleet.report(id, machineReport([], { queue: `queue-of-${id}`, state }));
    fleet.close();
  }
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['fleet:read'], 'reader') };
  return async (...args) =>
    await printed(['fleet', 'machines', ...args, '--registry', address], { environment });
}

describe('[D218] modreg fleet machines', () => {
  it.each<[readonly string[], readonly string[]]>([
    [['--quiet'], ['rover-2']],
    [['--silent'], ['rover-3', 'rover-4']],
    [['--silent', '--failing'], ['rover-4']],
    [['--quiet', '--failing'], []],
    [[], ['rover-1', 'rover-2', 'rover-3', 'rover-4']],
  ])('%j lists %j', async (args, ids) => {
    const list = await lister();
    const { machines } = JSON.parse((await list(...args, '--json')).stdout.join('\n'));
    expect(machines.map(({ id }: { readonly id: string }) => id)).toEqual(ids);
    const lines = (await list(...args)).stdout.slice(1);
    expect(lines.map((line) => line.trim().split(/\s/)[0])).toEqual(ids);
  });

  it('refuses both states', async () => {
    const { stderr, exit } = await (await lister())('--quiet', '--silent');
    expect([stderr[0], exit]).toEqual([
      'error[USAGE]: --quiet and --silent: a machine is one of both',
      2,
    ]);
  });

  it('of an earlier registry, which answers all machines, lists those that it says are so', async () => {
    const seen_at = '2026-11-21T12:00:00Z';
    const machines = [
      { id: 'rover-1', seen_at, modules: [] },
      { id: 'rover-2', seen_at, presence: 'online', modules: [] },
      { id: 'rover-3', seen_at, presence: 'silent', modules: [] },
    ];
    const { address } = await plainServer((response) => send(response, { machines, next: null }));
    const { stdout } = await printed(['fleet', 'machines', '--silent', '--registry', address], {
      environment: { MODREG_TOKEN: 'x' },
    });
    expect(stdout.slice(1).map((line) => line.trim().split(/\s/)[0])).toEqual(['rover-3']);
  });
});

import { expect, it } from 'vitest';
import { formatTime } from '../../src/core/text/rfc3339.ts';
import { printed, type Printed } from '../support/command.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { tokenFor } from '../support/token.ts';

const UNSIGNED = { revision: 3, code: 'needs-signature', detail: '/config/agent may change' };
const CUT_OFF = { revision: 2, code: 'unreachable', detail: 'no answer of the site in 10 min' };

/** Runs commands on a registry to which machines reported that refuse documents, if they do. */
async function fleetWith(
  machines: Readonly<Record<string, typeof UNSIGNED | undefined>>,
): Promise<(...args: readonly string[]) => Promise<Printed>> {
  const { address, catalogue } = await loopbackRegistry();
  for (const [id, refused] of Object.entries(machines)) {
    const token = tokenFor(catalogue, [`machine:${id}`], id);
    const answer = await fetch(`${address}/v1/machines/${id}/reports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(
        machineReport([], { state: { ...reportedState(1, {}), at: formatTime(Date.now()) } }),
      ),
    });
    expect(answer.status).toBe(200);
    const about = { about: 'documents', machine: id, applied: 1, at: 1 } as const;
    catalogue.apply({ kind: 'heard', words: [{ ...about, refused }] });
  }
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['fleet:read'], 'reader') };
  return async (...args) =>
    await printed(['fleet', ...args, '--registry', address], { environment });
}

it('[D450] fleet status counts machines that refuse documents, and names them by the reason', async () => {
  const fleet = await fleetWith({
    'rover-1': CUT_OFF,
    'rover-2': UNSIGNED,
    'rover-3': undefined,
    'rover-4': UNSIGNED,
  });
  const { stdout } = await fleet('status');
  expect([stdout[0], ...stdout.slice(-2)]).toEqual([
    '4 machines, 4 seen in 24 h; 3 refusing documents',
    'refusing documents: needs-signature, 2 machines: rover-2, rover-4',
    'refusing documents: unreachable, 1 machine: rover-1',
  ]);
  const json = JSON.parse((await fleet('status', '--json')).stdout[0] ?? '');
  expect(json).toMatchObject({
    refusing: 3,
    refusing_documents: [
      { code: 'needs-signature', machines: 2, first_machines: ['rover-2', 'rover-4'] },
      { code: 'unreachable', machines: 1, first_machines: ['rover-1'] },
    ],
  });
});

it('[D480] fleet machines lists those that refuse documents and have never reported', async () => {
  const { address, catalogue } = await loopbackRegistry();
  for (const machine of ['rover-8', 'rover-9']) {
    const about = { about: 'documents', machine, applied: undefined, at: 1 } as const;
    catalogue.apply({ kind: 'heard', words: [{ ...about, refused: UNSIGNED }] });
  }
  const token = tokenFor(catalogue, ['machine:rover-8'], 'rover-8');
  catalogue.revokeToken(token, 2);
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['fleet:read'], 'reader') };
  const fleet = async (...args: readonly string[]): Promise<Printed> =>
    await printed(['fleet', 'machines', ...args, '--registry', address], { environment });
  const { stdout } = await fleet();
  expect(stdout.slice(1).map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['rover-9', 'never', '-', 'refuses revision 3: needs-signature: /config/agent may change'],
  ]);
  expect((await fleet('--stuck')).stdout).toEqual(['no machine matches']);
  expect(JSON.parse((await fleet('--json')).stdout[0] ?? '')).toEqual({
    schema: 'modreg/fleet-machines@1',
    machines: [],
    unreported: [{ id: 'rover-9', refuses: UNSIGNED }],
    has_more: false,
  });
});

it('[D480] fleet machines lists at most --limit of those that have never reported, and counts the others', async () => {
  const { address, catalogue } = await loopbackRegistry();
  for (const machine of ['rover-6', 'rover-7', 'rover-8', 'rover-9']) {
    const about = { about: 'documents', machine, applied: undefined, at: 1 } as const;
    catalogue.apply({ kind: 'heard', words: [{ ...about, refused: UNSIGNED }] });
  }
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['fleet:read'], 'reader') };
  const command = ['fleet', 'machines', '--limit', '1', '--registry', address];
  const { stdout, stderr } = await printed(command, { environment });
  expect(stdout.slice(1).map((line) => line.trim().split(/ {2,}/)[0])).toEqual(['rover-6']);
  expect(stderr).toEqual(['note: 3 more refuse documents and have never reported']);
  const json = await printed([...command, '--json'], { environment });
  expect(JSON.parse(json.stdout[0] ?? '')).toMatchObject({
    unreported: [{ id: 'rover-6' }],
    unreported_left_out: 3,
  });
});

it('[T270] a page ends after 2 MiB, also of machines that have never reported', async () => {
  const { address, catalogue } = await loopbackRegistry();
  const detail = 'x'.repeat(5000);
  const words = Array.from({ length: 1000 }, (_, place) => {
    const about = { about: 'documents', machine: `m-${1000 + place}`, applied: undefined } as const;
    return { ...about, at: 1, refused: { ...UNSIGNED, detail } };
  });
  catalogue.apply({ kind: 'heard', words });
  const headers = { authorization: `Bearer ${tokenFor(catalogue, ['fleet:read'], 'reader')}` };
  const pageOf = async (limit: number): Promise<string> =>
    await (await fetch(`${address}/v1/fleet/machines?limit=${limit}`, { headers })).text();
  const text = await pageOf(1000);
  expect(text.length).toBeLessThan(2.01 * 1024 * 1024);
  const { unreported, unreported_left_out: leftOut } = JSON.parse(text);
  expect(unreported.length + leftOut).toBe(1000);
  expect(JSON.parse(await pageOf(10)).unreported_left_out).toBe(990);
});

it('[D450] fleet status names the first 20 machines of a reason', async () => {
  const ids = Array.from({ length: 22 }, (_, place) => `m-${10 + place}`);
  const fleet = await fleetWith(Object.fromEntries(ids.map((id) => [id, CUT_OFF])));
  const { stdout } = await fleet('status');
  expect(stdout.at(-1)).toBe(
    `refusing documents: unreachable, 22 machines: ${ids.slice(0, 20).join(', ')} and 2 more`,
  );
});

it('[D450] fleet machines says which documents a machine refuses, and why', async () => {
  const fleet = await fleetWith({ 'rover-1': undefined, 'rover-2': UNSIGNED });
  const { stdout } = await fleet('machines');
  expect(stdout.map((line) => line.trim().split(/ {3,}/).at(-1))).toEqual([
    'DECISION',
    'up to date',
    'refuses revision 3: needs-signature: /config/agent may change',
    'up to date',
  ]);
  const json = JSON.parse((await fleet('machines', '--json')).stdout[0] ?? '');
  expect(json.machines).toMatchObject([
    { id: 'rover-1', refuses: null },
    { id: 'rover-2', refuses: UNSIGNED },
  ]);
});

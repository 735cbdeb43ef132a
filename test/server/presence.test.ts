import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { contactNotes } from '../../src/server/fleet/contacts.ts';
import { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import {
  presenceCounts,
  presenceIn,
  setSilentAfter,
  UNHEARD,
  whereUnheard,
} from '../../src/server/fleet/presence.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { tokenFor } from '../support/token.ts';
import { testRegistry } from './support/registry.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** When a machine reported and was heard otherwise, before now, and how often it says that it asks. */
type Machine = readonly [reported: number, contact: number | null, every: number | null];

it.each<[string, Machine, string]>([
  ['reported just now', [0, null, null], 'online'],
  ['asked just now', [DAY, 0, 5 * MINUTE], 'online'],
  ['missed three times', [DAY, 15 * MINUTE, 5 * MINUTE], 'online'],
  ['missed more', [DAY, 15 * MINUTE + 1, 5 * MINUTE], 'quiet'],
  ['was not heard for a day', [DAY, DAY, 5 * MINUTE], 'quiet'],
  ['was not heard for longer', [2 * DAY, DAY + 1, 5 * MINUTE], 'silent'],
  ['does not say how often it asks', [3 * DAY, null, null], 'online'],
  ['does not, and was not heard for longer', [3 * DAY + 1, null, null], 'silent'],
  ['asks each 5 s, and was written a minute ago', [DAY, MINUTE + 6000, 5000], 'online'],
  ['asks each 5 s, and missed three minutes', [DAY, 3 * MINUTE, 5000], 'online'],
  ['asks each 5 s, and missed more', [DAY, 3 * MINUTE + 1, 5000], 'quiet'],
  ['asks rarely', [2 * DAY, null, DAY], 'online'],
  ['was heard by a clock that is ahead', [-5 * MINUTE, null, 5 * MINUTE], 'online'],
  ['was heard by a clock that was wrong', [-5 * MINUTE - 1, null, 5 * MINUTE], 'silent'],
  ['reported by a wrong clock, and asked since', [-DAY, MINUTE, 5 * MINUTE], 'online'],
])(
  '[D186] [D218] [D219] a machine that %s (%j) is %s',
  (_what, [reported, contact, every], expected) => {
    const row = {
      seen_at: NOW - reported,
      contact_at: contact === null ? null : NOW - contact,
      every_ms: every,
    };
    expect(presenceIn(row, NOW, DAY)).toBe(expected);
    expect(presenceIn({ ...row, retired_at: NOW }, NOW, DAY)).toBe('retired');
    expect(unheard(row)).toEqual(UNHEARD.filter((one) => one === expected));
  },
);

/** In which searches for machines that are not heard a row is found. */
function unheard({
  seen_at,
  contact_at,
  every_ms,
}: Readonly<Record<string, number | null>>): string[] {
  const database = new DatabaseSync(':memory:');
  database.exec(`CREATE TABLE presence (silent_ms); INSERT INTO presence VALUES (${DAY});
    CREATE TABLE machines (seen_at, contact_at, every_ms);`);
  const row = [seen_at ?? null, contact_at ?? null, every_ms ?? null];
  database.prepare('INSERT INTO machines VALUES (?, ?, ?)').run(...row);
  return UNHEARD.filter((one) => {
    const { where, values } = whereUnheard(one, NOW);
    return database.prepare(`SELECT 1 FROM machines WHERE ${where}`).get(...values) !== undefined;
  });
}

const TOKENS: Readonly<Record<string, string>> = {
  r1: 'machine:rover-1',
  revoked: 'machine:rover-1',
  expired: 'machine:rover-1',
  op: 'fleet:read',
};
const LAPSED: Readonly<Record<string, object>> = {
  revoked: { revokedAt: NOW - 1 },
  expired: { expiresAt: NOW - 1 },
};

/** A file to which rover-1 has reported an hour ago, and what notes contacts. */
async function oneMachine(): Promise<{
  readonly note: ReturnType<typeof contactNotes>;
  readonly written: () => readonly (readonly string[])[];
  readonly fleet: FleetFile;
  readonly time: { now: number; monotonic: number; looked: number };
  readonly restart: () => ReturnType<typeof contactNotes>;
}> {
  const time = { now: NOW - HOUR, monotonic: 0, looked: 0 };
  const fleet = new FleetFile(':memory:', () => time.now);
  onTestFinished(() => fleet.close());
  const state = { ...reportedState(1, {}), every_ms: 5 * MINUTE };
  await fleet.report('rover-1', machineReport([], { state }));
  time.now = NOW;
  const written: (readonly string[])[] = [];
  const restart = (): ReturnType<typeof contactNotes> =>
    contactNotes(
      {
        tokenWith(text) {
          time.looked += 1;
          const scope = TOKENS[text];
          if (scope === undefined) return undefined;
          const never = { expiresAt: undefined, lastUsedAt: undefined, revokedAt: undefined };
          // A cast: a scope of the table is one.
          const token = { id: 't1', name: text, scopes: [scope as never], createdAt: 0, ...never };
          return { ...token, ...LAPSED[text] };
        },
      },
      {
        noteContacts(machines) {
          written.push(machines);
          fleet.noteContacts(machines);
        },
      },
      { now: () => time.now, monotonic: () => time.monotonic },
    );
  return { note: restart(), written: () => written, fleet, time, restart };
}

function counts(fleet: FleetFile, now: number): object {
  return fleet.read((sql) => presenceCounts(sql, now));
}

it('[D186] a contact is looked up and written once a minute, whatever the clock of the registry does', async () => {
  const { note, written, fleet, time } = await oneMachine();
  expect(counts(fleet, NOW)).toEqual({ online: 0, quiet: 1, silent: 0 });
  for (let request = 0; request < 100; request++) note('Bearer r1');
  await expect.poll(written).toEqual([['rover-1']]);
  expect([time.looked, counts(fleet, NOW)]).toEqual([1, { online: 1, quiet: 0, silent: 0 }]);
  // The clock jumps a day ahead: the next contact, a minute later, mends it.
  time.now = NOW + DAY + MINUTE;
  note('Bearer r1');
  expect([time.looked, counts(fleet, time.now)]).toEqual([1, { online: 0, quiet: 0, silent: 1 }]);
  time.monotonic = MINUTE;
  note('Bearer r1');
  await expect.poll(written).toHaveLength(2);
  expect(counts(fleet, time.now)).toEqual({ online: 1, quiet: 0, silent: 0 });
  // And back: what was heard by a clock that was wrong says nothing.
  time.now = NOW;
  expect(counts(fleet, NOW)).toEqual({ online: 0, quiet: 1, silent: 0 });
  time.monotonic = 2 * MINUTE;
  note('Bearer r1');
  await expect.poll(written).toHaveLength(3);
  expect(counts(fleet, NOW)).toEqual({ online: 1, quiet: 0, silent: 0 });
});

it('[D186] a registry that was restarted notes the next request of each machine', async () => {
  const { note, written, restart } = await oneMachine();
  note('Bearer r1');
  await expect.poll(written).toHaveLength(1);
  restart()('Bearer r1');
  await expect.poll(written).toHaveLength(2);
});

it('[D186] requests without a token of a machine are no contacts', async () => {
  const { note, written, time } = await oneMachine();
  for (const text of [undefined, 'Bearer op', 'Bearer op', 'Bearer x', 'Bearer x', 'Basic r1'])
    note(text);
  // What this registry did not create is looked up each time, and takes no space.
  expect(time.looked).toBe(3);
  note('Bearer r1');
  await expect.poll(written).toEqual([['rover-1']]);
});

it('[D186] requests with a token that was revoked or has expired are no contacts', async () => {
  const { note, written, fleet } = await oneMachine();
  for (const text of ['revoked', 'expired']) note(`Bearer ${text}`);
  expect(counts(fleet, NOW)).toEqual({ online: 0, quiet: 1, silent: 0 });
  note('Bearer r1');
  await expect.poll(written).toEqual([['rover-1']]);
});

it('[D186] the time after which a machine is silent is kept in the file', async () => {
  const { fleet } = await oneMachine();
  fleet.write((sql) => setSilentAfter(sql, 30 * MINUTE));
  expect(counts(fleet, NOW)).toEqual({ online: 0, quiet: 0, silent: 1 });
});

it.each(['/v1/modules', '/v1/modules/acme/lidar', '/v1/changes'])(
  '[D186] GET %s with the token of a machine is a contact, which the list of machines shows',
  async (path) => {
    const registry = testRegistry();
    const { catalogue } = registry;
    const machine = { authorization: `Bearer ${tokenFor(catalogue, ['machine:rover-1'], 'm')}` };
    const reader = { authorization: `Bearer ${tokenFor(catalogue, ['fleet:read'], 'r')}` };
    const state = { ...reportedState(1, {}), every_ms: MINUTE };
    const body = machineReport([], { state });
    await registry.ask('POST', '/v1/machines/rover-1/reports', { body, headers: machine });
    registry.now += HOUR;
    const shown = async (): Promise<unknown> => {
      const { json } = await registry.ask('GET', '/v1/fleet/machines', { headers: reader });
      const [{ presence, heard_at: at }] = Object(json).machines;
      return `${presence} ${at}`;
    };
    expect(await shown()).toBe('quiet 2026-11-21T01:02:03Z');
    await registry.ask('GET', path, { headers: machine });
    await expect.poll(shown, { timeout: 10_000 }).toBe('online 2026-11-21T02:02:03Z');
    const { json } = await registry.ask('GET', '/v1/fleet', { headers: reader });
    expect(Object(json).presence).toEqual({ online: 1, quiet: 0, silent: 0 });
  },
);

import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { encodeBatch } from '../../src/cluster/report-batch.ts';
import type { PassedOver } from '../../src/cluster/report-stream.ts';
import { shareReports } from '../../src/cluster/shared-reports.ts';
import { systemClock } from '../../src/registries/index.ts';
import { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import { fleetCounts } from '../../src/server/fleet/fleet-queries.ts';
import { uninterrupted } from '../../src/server/fleet/slices.ts';
import type { ReportEvent } from '../../src/server/registry-options.ts';
import { NOON } from '../support/backups.ts';
import { temporaryFolder } from '../support/folder.ts';
import { machineReport } from '../support/machine-report.ts';
import { streamInMemory, type StreamInMemory } from './support/report-stream.ts';

interface TestFront {
  readonly fleet: FleetFile;
  readonly events: ReportEvent[];
  readonly trouble: () => string | undefined;
  readonly lacksSpace: () => boolean;
}

function frontOf(
  stream: StreamInMemory,
  { path = `${temporaryFolder()}/fleet.db`, freeDisk = 0 } = {},
): TestFront {
  const events: ReportEvent[] = [];
  const fleet = new FleetFile(path, () => NOON, { freeDisk });
  const clock = { ...systemClock, now: () => NOON };
  const { stop, ...sharing } = shareReports(fleet, stream, {
    clock,
    onEvent: (event) => events.push(event),
  });
  onTestFinished(async () => {
    await stop();
    fleet.close();
  });
  return { fleet, events, ...sharing };
}

function knownTo(fleet: FleetFile, machine: string): unknown {
  return fleet.read((sql) => sql.get('SELECT known_to FROM machines WHERE name = ?', machine))?.[
    'known_to'
  ];
}

const HONEST = { machine: 'rover-1', report: machineReport([1]) };
const LARGEST = 2 ** 53 - 1;
const UNREADABLE = 'it is not a batch of reports';
const OTHER_FORM =
  'a report cannot be applied: it has a form that this modreg does not accept; nothing of it was, and other machines are not concerned';

function batch(...reports: readonly object[]): Uint8Array {
  return encodeBatch({ id: 'b', at: NOON, reports: reports as never });
}

/** What a modreg without bounds let into the stream. */
const POISON = (queue: string): object => ({
  machine: 'rover-7',
  report: machineReport([], { queue, after: 0, to: LARGEST }),
});

it.each<[string, Uint8Array, readonly PassedOver[]]>([
  [
    'bytes that are no batch',
    new Uint8Array([1, 2, 3]),
    [{ sequence: 1, machine: undefined, because: UNREADABLE }],
  ],
  [
    'a time that cannot be shown',
    encodeBatch({ id: 'b', at: 1e15, reports: [HONEST] }),
    [{ sequence: 1, machine: undefined, because: UNREADABLE }],
  ],
  [
    'two queues that lack 2^53 outcomes each',
    batch(POISON('queue-AA'), HONEST, POISON('queue-BB')),
    [
      { sequence: 1, machine: undefined, because: OTHER_FORM },
      { sequence: 1, machine: undefined, because: OTHER_FORM },
    ],
  ],
])('[T248] fronts pass over %s, say so, and go on', async (_title, message, passed) => {
  const stream = streamInMemory();
  const fronts = [frontOf(stream), frontOf(stream)];
  await stream.append('first', message);
  await stream.append('second', batch({ machine: 'rover-2', report: machineReport([1, 2]) }));
  for (const { fleet, events, trouble } of fronts) {
    await expect.poll(() => knownTo(fleet, 'rover-2')).toBe(2);
    expect(events).toEqual(passed.map((one) => ({ kind: 'report-passed-over', ...one })));
    expect(trouble()).toBeUndefined();
    expect(fleet.followed().sequence).toBe(2);
  }
  expect(stream.notes).toEqual([...passed, ...passed]);
});

it('[T248] who sent a report that cannot be applied gets an error, and others of its batch their answers', async () => {
  const stream = streamInMemory();
  const { fleet, events } = frontOf(stream);
  fleet.write((sql) => {
    sql.run(`CREATE TRIGGER refused BEFORE INSERT ON machines WHEN NEW.name = 'rover-7'
      BEGIN SELECT raise(ABORT, 'not this one'); END`);
  });
  const answers = await Promise.allSettled(
    ['rover-1', 'rover-7', 'rover-2'].map(
      async (machine) => await fleet.report(machine, machineReport([1])),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const because =
    'the report of "rover-7" cannot be applied: not this one; nothing of it was, and other machines are not concerned';
  expect(events).toEqual([
    { kind: 'report-passed-over', sequence: 1, machine: 'rover-7', because },
  ]);
});

it('[T249] a file that earlier reports have poisoned is repaired, and gets over the same messages', async () => {
  const path = `${temporaryFolder()}/fleet.db`;
  const before = new FleetFile(path, () => NOON);
  await before.report('rover-1', machineReport([1]));
  await before.report('rover-7', machineReport([1]));
  before.close();
  const poisoned = new DatabaseSync(path);
  poisoned.exec(`DROP TRIGGER outcome_kept; DROP TRIGGER outcome_deleted; DROP INDEX outcomes_by_machine;
    ALTER TABLE machines DROP COLUMN outcomes; DROP INDEX retired_machines; PRAGMA user_version = 4;
    DROP INDEX machines_by_group; DROP TRIGGER state_replaced; DROP TABLE failing_modules; DROP TABLE presence;
    DROP TABLE noticed; DROP TABLE noticed_place; DROP TABLE notices;
    ALTER TABLE machines DROP COLUMN contact_at; ALTER TABLE machines DROP COLUMN every_ms; ALTER TABLE machines DROP COLUMN pinned;
    ALTER TABLE machines DROP COLUMN clock_ahead_ms; ALTER TABLE machines DROP COLUMN synchronized; ALTER TABLE machines DROP COLUMN group_name;
    ALTER TABLE machines DROP COLUMN retired_at; ALTER TABLE machines DROP COLUMN retired_by;
    UPDATE machines SET known_to = ${LARGEST}, missing = 2 * ${LARGEST}, state_number = ${LARGEST}, seen_at = ${LARGEST}
      WHERE name = 'rover-7'`);
  poisoned.close();

  const stream = streamInMemory();
  await stream.append('first', batch(POISON('queue-AA'), POISON('queue-BB')));
  await stream.append('second', batch({ machine: 'rover-1', report: machineReport([2]) }));
  const { fleet } = frontOf(stream, { path });
  await expect.poll(() => knownTo(fleet, 'rover-1')).toBe(2);
  expect(fleet.read((sql) => sql.all(MACHINES))).toEqual([
    { name: 'rover-1', known_to: 2, missing: 0, state_number: 0, outcomes: 2 },
    { name: 'rover-7', known_to: 1e12, missing: 1e12, state_number: 1e12, outcomes: 1 },
  ]);
  expect(fleet.read((sql) => uninterrupted(fleetCounts(sql, NOON, new Map())))).toMatchObject({
    missing_outcomes: 1e12,
  });
});

const MACHINES =
  'SELECT name, known_to, missing, state_number, outcomes FROM machines ORDER BY name';

it('[T251] a front without space on its disk follows later, refuses reports, and raises no rollout meanwhile', async () => {
  const stream = streamInMemory();
  await stream.append('first', batch(HONEST));
  const { fleet, events, trouble, lacksSpace } = frontOf(stream, { freeDisk: 2 ** 60 });
  await expect.poll(lacksSpace).toBe(true);
  expect(events.map(({ kind }) => kind)).toEqual(['reports-wait']);
  expect([trouble(), fleet.followed().sequence]).toEqual([undefined, 0]);
  await expect(fleet.report('rover-2', machineReport([1]))).rejects.toMatchObject({
    name: 'DatabaseError',
    kind: 'unwritable',
  });
});

async function send(stream: StreamInMemory, machine: string): Promise<void> {
  await stream.append('b', batch({ machine, report: machineReport([1]) }));
}

it('a new stream of reports is taken from its first message on, although the one before it had more', async () => {
  const path = `${temporaryFolder()}/fleet.db`;
  const before = streamInMemory();
  for (const machine of ['rover-1', 'rover-2', 'rover-3']) await send(before, machine);
  const first = frontOf(before, { path });
  await expect.poll(() => knownTo(first.fleet, 'rover-3')).toBe(1);
  const another = streamInMemory('another');
  await send(another, 'rover-4');
  const second = frontOf(another, { path });
  await expect.poll(() => knownTo(second.fleet, 'rover-4')).toBe(1);
});

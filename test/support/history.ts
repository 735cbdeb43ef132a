import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { runCommandLine } from '../../src/cli/program.ts';
import { exitCodeOf, type Outcome } from '../../src/base/problem.ts';
import { day, HOUR, MINUTE, type Day } from './day.ts';
import { temporaryFolder } from './folder.ts';
import { entry } from './planned.ts';
import { quietWorld } from './quiet-world.ts';

interface Asked {
  readonly answer: readonly string[];
  readonly problems: readonly string[];
  readonly exit: number;
}

const NEXT_DAY = Date.parse('2026-11-22T12:00:00Z');

/** Runs a command on a machine at its time, or on the machine whose machine.db is in a folder. */
export async function ask(machine: Day | string, ...args: readonly string[]): Promise<Asked> {
  const outcome = await outcomeOn(machine, args);
  const { answer, problems } = outcome;
  return { answer, problems: problems.map(({ message }) => message), exit: exitCodeOf(outcome) };
}

/** The notes that it prints. */
export async function notesTo(
  machine: Day | string,
  ...args: readonly string[]
): Promise<readonly string[]> {
  return (await outcomeOn(machine, args)).notes;
}

async function outcomeOn(machine: Day | string, args: readonly string[]): Promise<Outcome> {
  const [home, now] =
    typeof machine === 'string' ? [machine, NEXT_DAY] : [machine.home, machine.clock.now()];
  const environment = { PLATFORM_HOME: home };
  const world = { ...quietWorld('linux/arm64'), environment, clock: () => now };
  return await runCommandLine(args, world);
}

/**
 * A night with two maintenance windows, in which 1.2.9 is deployed, 1.3.0 fails and the failed release is pinned. It
 * starts at 01:02:03.
 */
export async function night(): Promise<Day> {
  const windows = ['0 2 * * *', '0 4 * * *'];
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.*')] },
    policy: { maintenance: windows.map((start) => ({ start, duration: '1h', time_zone: 'UTC' })) },
    deployed: { acme_lidar: '1.2.3' },
    releases: { 'acme:lidar': [{ version: '1.2.3' }] },
    intervalMs: 5 * MINUTE,
  });
  const { deliveries } = machine;
  await machine.pass(10 * MINUTE);
  machine.publish('acme:lidar', '1.2.9');
  await machine.pass(HOUR);
  await deliveries.shift()?.done();
  await machine.pass(HOUR);
  machine.publish('acme:lidar', '1.3.0');
  await machine.pass(HOUR);
  await deliveries.shift()?.failed({ reason: 'no light', blame: 'release', running: '1.3.0' });
  await machine.pass(MINUTE);
  await deliveries.shift()?.done();
  await machine.pass(10 * MINUTE);
  machine.configure({ machine: { modules: [entry('acme:lidar', '1.3.0')] } });
  await machine.pass(10 * MINUTE);
  return machine;
}

interface Recorded {
  /** The content of its machine.db. */
  readonly content: Uint8Array;
  readonly now: number;
}

let recorded: Recorded | undefined;

/** A new folder with the machine.db that a `night` leaves, and the time at its end. Lives through one night for all of them. */
export async function homeAfterNight(): Promise<{ readonly home: string; readonly now: number }> {
  recorded ??= await recordedNight();
  const home = temporaryFolder();
  writeFileSync(`${home}/machine.db`, recorded.content, { mode: 0o600 });
  return { home, now: recorded.now };
}

async function recordedNight(): Promise<Recorded> {
  const { home, clock } = await night();
  const path = `${home}/machine.db`;
  const database = new DatabaseSync(path);
  // Moves the write-ahead log into the file.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  return { content: readFileSync(path), now: clock.now() };
}

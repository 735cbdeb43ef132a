import { failedEntriesIn, inherit } from './inheritance.ts';
import { numberOf } from './judge-context.ts';
import { keyOf } from './ledger.ts';
import { checkSavedLists } from './watched-lists.ts';
import type { World } from './world.ts';

/*
 * Compares the rows of machine.db with the ledger.
 */

/** The rows that a call of a process can change. */
export function checkDisk(world: World): void {
  checkDeployed(world);
  checkOpen(world);
  checkQuarantine(world);
  checkRequests(world);
}

/** All rows: when a process has ended, and at the end. */
export function checkWholeDisk(world: World): void {
  checkDisk(world);
  checkEnded(world);
  checkTimes(world);
  checkSavedLists(world);
}

function checkDeployed({ disk, ledger, complain }: World): void {
  const rows = disk.rows('SELECT kind, name, is_known, text, previous, failed FROM deployed');
  const found = rows.map(({ kind, name, is_known: isKnown, text, previous, failed }) => {
    const running = isKnown === 1 ? text : undefined;
    return stateOf(`${String(kind)} ${String(name)}`, { running, previous, failed });
  });
  compare(
    found,
    [...ledger.known].map(([key, { running, previous, failed }]) =>
      stateOf(key, { running, previous, failed }),
    ),
    (row) => {
      complain('I11', `deployed ${row}`);
    },
  );
}

type State = Readonly<Record<'running' | 'previous' | 'failed', unknown>>;

function stateOf(key: string, { running, previous = null, failed = null }: State): string {
  return `${key}: ${String(running)} after ${String(previous)}, ${String(failed)} failed`;
}

function checkOpen({ disk, ledger, complain }: World): void {
  const rows = disk.rows(
    "SELECT number, state, deliveries, failures FROM actions WHERE state IN ('waiting', 'delivered')",
  );
  const found = rows.map(
    ({ number, state, deliveries, failures }) =>
      `${String(number)} ${String(state)}, delivered ${String(deliveries)} times, failed ${String(failures)} times`,
  );
  const expected = Array.from(
    ledger.open.values(),
    ({ id, state, deliveries, failures }) =>
      `${numberOf(id)} ${state}, delivered ${deliveries} times, failed ${failures} times`,
  );
  compare(found, expected, (row) => {
    complain('I8', `the open action ${row}`);
  });
}

function checkQuarantine(world: World): void {
  const { disk, ledger, complain } = world;
  const rows = disk.rows(
    'SELECT module_id, version, digest, until, is_rollback, rolled_back_to, refused FROM quarantine',
  );
  const found = rows.map((row) => {
    const { digest, until, rolled_back_to: backTo, refused } = row;
    return `${String(row['module_id'])} ${String(row['version'])} ${String(digest)} until ${String(until)}, back to ${String(backTo)} from ${String(refused)}`;
  });
  const expected = Array.from(ledger.quarantine.values(), (entry) => {
    const { moduleId, version, digest = null, until = null, backTo = null, refused } = entry;
    const versions = refused ? JSON.stringify(refused) : null;
    return `${moduleId} ${version} ${digest} until ${until}, back to ${backTo} from ${versions}`;
  });
  compare(found, expected, (row) => {
    complain('D13', `the quarantine ${row}`);
  });
  inherit(world);
  const failed = [...ledger.quarantine.values()].flatMap(
    ({ moduleId, version, entries: of = [] }) =>
      of.map(({ key, state }) => `${moduleId} ${version} ${key}: ${state}`),
  );
  compare(failedEntriesIn(world), failed, (row) => {
    complain('D81', `the failure ${row}`);
  });
}

function checkRequests({ disk, ledger, complain }: World): void {
  const rows = disk.rows(
    'SELECT kind, name, module_id, requested_at, is_immediate, failure FROM restart_requests',
  );
  const found = rows.map(({ kind, name, is_immediate: isImmediate, failure, ...row }) =>
    requestText(`${String(kind)} ${String(name)}`, {
      moduleId: row['module_id'],
      at: row['requested_at'],
      isImmediate: isImmediate === 1,
      failure: failure ?? undefined,
    }),
  );
  compare(
    found,
    [...ledger.requests].map(([key, request]) => requestText(key, request)),
    (row) => {
      complain('D41', `the request ${row}`);
    },
  );
}

type Request = Readonly<Record<'moduleId' | 'at' | 'isImmediate' | 'failure', unknown>>;

function requestText(key: string, { moduleId, at, isImmediate, failure }: Request): string {
  const restart = isImmediate === true ? 'immediate restart' : 'restart';
  return `${key}: ${restart} of ${String(moduleId)} at ${String(at)}, failed: ${String(failure)}`;
}

/** What became of each action, as long as its row is kept. */
function checkEnded({ disk, ledger, complain }: World): void {
  const [identity] = disk.rows('SELECT file FROM identity');
  for (const { number, state } of disk.rows('SELECT number, state FROM actions')) {
    const id = `${String(identity?.['file'])}-${String(number)}`;
    const expected = ledger.ended.get(id) ?? ledger.open.get(id)?.state;
    if (expected !== state)
      complain('I8', `${id} is ${String(state)} in the file, not ${expected}`);
  }
}

/** When actions restarted something, and when processes started. */
function checkTimes({ disk, ledger, complain }: World): void {
  const restarts = disk.rows('SELECT action, kind, name, at FROM restarts');
  const found = restarts.map(
    ({ action, kind, name, at }) =>
      `${String(action)} of ${String(kind)} ${String(name)} at ${String(at)}`,
  );
  const expected = Array.from(ledger.restarts, ([key, all]) =>
    all.map(({ id, wall }) => `${numberOf(id)} of ${key} at ${wall}`),
  ).flat();
  compare(found, expected, (row) => {
    complain('D25', `the restart ${row}`);
  });
  const starts = disk.rows('SELECT at FROM starts ORDER BY id').map(({ at }) => Number(at));
  if (starts.join() !== ledger.starts.join())
    complain(
      'T57',
      `the file has starts at ${starts.join()}, the ledger at ${ledger.starts.join()}`,
    );
}

/** Calls `differ` for the first row that only one side has. */
function compare(
  found: readonly string[],
  expected: readonly string[],
  differ: (row: string) => void,
): void {
  const extra = found.find((row) => !expected.includes(row));
  const missing = expected.find((row) => !found.includes(row));
  if (extra !== undefined || missing !== undefined)
    differ(`is in the file as "${extra}", in the ledger as "${missing}"`);
}

/** What really runs is what machine.db has, once nothing is under way. (I11) */
export function checkRunning({ ledger, running, strays, complain }: World): void {
  for (const [key, known] of ledger.known) {
    const isOpen = [...ledger.open.values()].some(({ target }) => keyOf(target) === key);
    if (isOpen || known.running === undefined || strays.has(key)) continue;
    const real = running.get(key) ?? null;
    if (real === known.running) continue;
    complain('I11', `${key}: ${String(known.running)} is recorded, and ${String(real)} runs`);
  }
}

/** The decisions in machine.db, for a person. */
export function decisionsOn({ disk }: World): string[] {
  return disk.rows('SELECT name, content FROM decisions').map(({ name, content }) => {
    const { decision, reason } = JSON.parse(String(content)) as Record<string, unknown>;
    return `${String(name)}: ${String(decision)}, ${String(reason)}`;
  });
}

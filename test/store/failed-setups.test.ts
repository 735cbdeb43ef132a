import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { ActionTarget } from '../../src/core/index.ts';
import { openDatabase } from '../../src/sqlite/database.ts';
import type { ClaimedFile } from '../../src/store/index.ts';
import { LAYOUT } from '../../src/store/machine-layout.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { moduleId, version } from '../support/ask.ts';
import { claimed, commitOne, LIDAR, moduleNamed } from '../support/claimed.ts';

const REAR = moduleNamed('rear', 'acme:lidar');
const SECRET = '{"TOKEN":"hunter2"}';
const ENTRY = { moduleId: moduleId('acme:lidar'), version: '1.1.0', reason: 'by hand' };

/** 1.1.0 fails under each of `setups`, of the lidar unless another target is given. */
function failUnder(
  state: MachineState,
  setups: readonly (string | undefined)[],
  { target = LIDAR, at = 1, until }: { target?: ActionTarget; at?: number; until?: number } = {},
): void {
  const failure = { version: '1.1.0', reason: 'no port', running: null };
  for (const setup of setups)
    state.reportFailure(target, failure, { at, quarantineUntil: until, setup });
}

/** For each quarantine of the lidar's module, which try an entry gives; `refused` for none. */
function tries(state: MachineState, setup: string, target = LIDAR): (number | 'refused')[] {
  return state
    .memory()
    .of(target, setup)
    .quarantine.map(({ retry }) => retry ?? 'refused');
}

describe('[D82] a release that failed under an entry', () => {
  it.each<[string, (state: MachineState) => void, string, (number | 'refused')[]]>([
    ['under the same entry', (state) => failUnder(state, ['a']), 'a', ['refused']],
    ['once', (state) => failUnder(state, ['a']), 'b', [1]],
    ['twice under one entry', (state) => failUnder(state, ['a', 'a']), 'b', [1]],
    ['under two', (state) => failUnder(state, ['a', 'b']), 'c', [2]],
    ['under two, and back to the first', (state) => failUnder(state, ['a', 'b']), 'a', ['refused']],
    ['under four', (state) => failUnder(state, ['a', 'b', 'c', 'd']), 'e', ['refused']],
    ['under one that is not known', (state) => failUnder(state, [undefined]), 'b', ['refused']],
    [
      'before entries were recorded, and again',
      (state) => failUnder(state, [undefined, 'a']),
      'b',
      ['refused'],
    ],
    [
      'and an operator refuses it',
      (state) => {
        failUnder(state, ['a']);
        state.quarantine({ ...ENTRY, since: 2 });
      },
      'b',
      ['refused'],
    ],
    [
      'that an operator has refused',
      (state) => {
        state.quarantine({ ...ENTRY, since: 1 });
        failUnder(state, ['a', 'b']);
      },
      'c',
      ['refused'],
    ],
    [
      'and an operator rolls it back',
      (state) => {
        state.report(LIDAR, '1.1.0', 1);
        failUnder(state, ['a']);
        state.report(LIDAR, '1.1.0', 2);
        const term = { at: 3, until: undefined };
        state.rollBack(LIDAR, { from: version('1.1.0'), to: undefined }, term);
      },
      'b',
      ['refused'],
    ],
    [
      'and its quarantine ended: its tries are counted anew',
      (state) => {
        failUnder(state, ['a', 'b', 'c'], { until: 5 });
        failUnder(state, ['c'], { at: 5, until: 9 });
      },
      'a',
      [1],
    ],
    [
      'and its quarantine was lifted: its tries are counted anew',
      (state) => {
        failUnder(state, ['a', 'b', 'c']);
        state.lift(ENTRY.moduleId, '1.1.0');
        failUnder(state, ['c']);
      },
      'a',
      [1],
    ],
    ['of another instance', (state) => failUnder(state, ['a'], { target: REAR }), 'b', ['refused']],
  ])('%s', (_, work, setup, expected) => {
    const { state } = claimed();
    work(state);
    expect(tries(state, setup)).toEqual(expected);
  });

  it('is refused in the other instances, whatever their entries are', () => {
    const { state } = claimed();
    failUnder(state, ['a']);
    expect([tries(state, 'b'), tries(state, 'b', REAR)]).toEqual([[1], ['refused']]);
    failUnder(state, ['x'], { target: REAR });
    expect([tries(state, 'b'), tries(state, 'y', REAR)]).toEqual([[1], [1]]);
  });

  it('is one that an action has deployed as well', () => {
    const { state } = claimed();
    const { id } = commitOne(state);
    state.deliver(id, 1);
    const failed = { kind: 'failed', blame: 'release', running: null, reason: 'no port' } as const;
    state.acknowledge(id, failed, { at: 2, quarantineUntil: undefined, retryAt: 3, setup: 'a' });
    expect([tries(state, 'a'), tries(state, 'b')]).toEqual([['refused'], [1]]);
  });

  it('is refused if what the entry is now is not known', () => {
    const { state } = claimed();
    failUnder(state, ['a']);
    expect(state.memory().of(LIDAR).quarantine).toMatchObject([{ version: '1.1.0' }]);
    expect(state.memory().of(LIDAR).quarantine[0]).not.toHaveProperty('retry');
  });
});

/** The digests in a file. */
function digestsIn({ path }: ClaimedFile): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare('SELECT digest FROM failed_setups').all();
  database.close();
  return rows.map(({ digest }) => digest);
}

it('[D82] the file has a digest of the entry, with a key that no other machine has', () => {
  const files = [claimed(), claimed()];
  for (const { state } of files) failUnder(state, [SECRET]);
  const [one, other] = files.map((file) => digestsIn(file));
  expect(one).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  expect(other).not.toEqual(one);
});

it('[D82] an earlier modreg reads a quarantine, and ends the tries with it', () => {
  const first = claimed();
  failUnder(first.state, ['a']);
  first.close();
  const table = LAYOUT.migrations.findIndex((sql) => sql.includes('TABLE failed_setups'));
  const earlier = { ...LAYOUT, migrations: LAYOUT.migrations.slice(0, table) };
  const database = openDatabase(first.path, earlier, { mode: 'write', busyTimeoutMs: 0 });
  const read = 'SELECT version, until, is_rollback, reason FROM quarantine';
  const intact = `${read} WHERE checksum IS row_checksum(module_id, version, digest, since, until, reason, is_rollback, rolled_back_to, refused)`;
  expect(database.prepare(intact).all()).toMatchObject([
    { version: '1.1.0', until: null, is_rollback: 0, reason: 'no port' },
  ]);
  database.exec('DELETE FROM quarantine');
  database.close();
  const { setAside, state } = claimed(first.path);
  failUnder(state, ['b']);
  expect([setAside, tries(state, 'a')]).toEqual([undefined, [1]]);
});

it.each([
  [
    'failed_setups',
    "digest = digest || 'x' WHERE digest = (SELECT min(digest) FROM failed_setups)",
    'an entry under which acme:lidar 1.1.0 failed; no edit gives it another try until its quarantine is lifted',
  ],
  [
    'entry_key',
    "key = 'x'",
    'the key of the digests of entries; no edit gives a release that has failed another try until its quarantine is lifted',
  ],
])('[D82] after damage to %s, what failed stays refused', (table, change, words) => {
  const first = claimed();
  failUnder(first.state, ['a', 'b']);
  first.close();
  const database = new DatabaseSync(first.path);
  database.exec(`UPDATE ${table} SET ${change}`);
  database.close();
  const { lostRows, state } = claimed(first.path);
  expect([lostRows, tries(state, 'c')]).toEqual([[`a damaged row: ${words}`], ['refused']]);
  state.lift(ENTRY.moduleId, '1.1.0');
  failUnder(state, ['a']);
  expect([tries(state, 'a'), tries(state, 'b')]).toEqual([['refused'], [1]]);
});

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/sqlite/database.ts';
import {
  openForPoller,
  openMachineFile,
  type ActionOutcome,
  type CommittedAction,
} from '../../src/store/index.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { version } from '../support/ask.ts';
import { ARM, caught, claimed, commitOne, LIDAR, running } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ADDITIVE, BREAKING, LATER, TODAY } from '../support/later-layouts.ts';
import { claimedBy, crashed, namesBeside, REFUSED, remembered, rows } from './support/upgraded.ts';

/** What a poller remembers. */
function memoryIn(state: MachineState): unknown {
  const { open, quarantine } = state.memory();
  return {
    lidar: running(state),
    arm: running(state, ARM),
    open: open.map(({ action, deliveries }) => `${action.to}, delivered ${deliveries} times`),
    quarantine: quarantine.map((entry) => `${entry.version}: ${entry.reason}`),
  };
}

function openIn(state: MachineState): CommittedAction {
  const [open] = state.memory().open;
  if (!open) throw new Error('nothing is open');
  return open.action;
}

/** Delivers the open action once more, and acknowledges it. */
function acknowledgeOpen(state: MachineState, outcome: ActionOutcome): void {
  const { id } = openIn(state);
  state.deliver(id, 4);
  state.acknowledge(id, outcome, { at: 5, quarantineUntil: 900, retryAt: 6 });
}

/** The failure of an upgrade of the lidar to `to`. */
function fail(state: MachineState, to: string, reason: string): void {
  commitOne(state, { to });
  acknowledgeOpen(state, { kind: 'failed', reason, running: '1.0.0', blame: 'release' });
}

describe('[T71] upgrade, fallback and upgrade', () => {
  it('keep what every modreg wrote', () => {
    const path = remembered();

    const later = claimedBy(ADDITIVE, path);
    later.state.report(LIDAR, '1.1.0', 2);
    later.state.report(ARM, '2.0.0', 2);
    later.state.deliver(openIn(later.state).id, 2);
    later.state.rollBack(
      ARM,
      { from: version('2.0.0'), to: undefined },
      { at: 2, until: undefined },
    );
    later.database.exec(`
      INSERT INTO sites VALUES ('hall 4');
      UPDATE deployed SET site = 'hall 4';
      UPDATE quarantine SET site = 'hall 4';
      UPDATE restarts SET site = 'hall 4';
      UPDATE actions SET site = 'hall 4', content = json_set(content, '$.site', 'hall 4')`);
    const known = memoryIn(later.state);
    later.close();

    const earlier = claimed(path);
    expect([earlier.setAside, memoryIn(earlier.state)]).toEqual([undefined, known]);
    acknowledgeOpen(earlier.state, { kind: 'done' });
    fail(earlier.state, '1.2.0', 'no points');
    earlier.state.report(ARM, '2.0.0', 6);
    earlier.state.rollBack(
      ARM,
      { from: version('2.0.0'), to: version('1.9.0') },
      { at: 7, until: undefined },
    );
    earlier.close();

    const again = claimedBy(ADDITIVE, path);
    expect([again.setAside, memoryIn(again.state)]).toEqual([
      undefined,
      {
        lidar: '1.0.0 after 1.1.0',
        arm: '2.0.0 after nothing',
        open: [],
        quarantine: ['2.0.0: rolled back by an operator', '1.2.0: no points'],
      },
    ]);
    again.close();
    expect(rows(path, 'SELECT name FROM sites')).toEqual([['hall 4']]);
    expect(rows(path, 'SELECT name, site FROM deployed')).toEqual([
      ['arm', 'hall 4'],
      ['lidar', 'hall 4'],
    ]);
    expect(rows(path, 'SELECT version, rolled_back_to, site FROM quarantine')).toEqual([
      ['2.0.0', '1.9.0', 'hall 4'],
      ['1.2.0', null, null],
    ]);
    expect(rows(path, 'SELECT action, at, site FROM restarts')).toEqual([
      [1, 4, 'hall 4'],
      [2, 4, null],
    ]);
    expect(rows(path, "SELECT state, site, content ->> '$.site' FROM actions")).toEqual([
      ['done', 'hall 4', 'hall 4'],
      ['failed', null, null],
    ]);
    expect(rows(path, 'PRAGMA user_version')).toEqual([[LATER]]);
    expect(namesBeside(path)).toEqual(['machine.db']);
  });

  it('keep what was in the write-ahead log when the later modreg was killed', () => {
    const { setAside, state } = claimed(crashed(ADDITIVE));
    expect([setAside, running(state), state.memory().open.length]).toEqual([
      undefined,
      '1.1.0 after 1.0.0',
      1,
    ]);
  });

  it('do not disturb a poller that is running while a later modreg upgrades the file', () => {
    const { path, state } = claimed(remembered());
    const known = memoryIn(state);
    openDatabase(path, ADDITIVE, { mode: 'write', busyTimeoutMs: 0 }).close();
    expect([memoryIn(state), rows(path, 'PRAGMA user_version')]).toEqual([known, [[LATER]]]);
    acknowledgeOpen(state, { kind: 'done' });
    fail(state, '1.2.0', 'no points');
    expect(memoryIn(state)).toEqual({
      lidar: '1.0.0 after 1.1.0',
      arm: 'unknown after nothing',
      open: [],
      quarantine: ['1.2.0: no points'],
    });
  });

  it.each(['create', 'write', 'read'] as const)('%s a file of a later modreg', (mode) => {
    const path = remembered(ADDITIVE);
    openMachineFile(path, { mode }).close();
    expect(rows(path, 'PRAGMA user_version')).toEqual([[LATER]]);
    expect(running(claimedBy(ADDITIVE, path).state)).toBe('1.0.0 after nothing');
  });
});

describe('[T71] a file that only a later modreg understands is refused, and no byte of it changes', () => {
  it.each<[string, () => string]>([
    ['closed', () => remembered(BREAKING)],
    ['with a write-ahead log', () => crashed(BREAKING)],
  ])('%s', (_, make) => {
    const path = make();
    const contents = (): unknown =>
      [path, `${path}-wal`].map((name) => existsSync(name) && readFileSync(name));
    const before = contents();
    const opens = [
      () => openForPoller(path),
      () => openMachineFile(path),
      () => openMachineFile(path, { mode: 'write' }),
      () => openMachineFile(path, { mode: 'read' }),
    ];
    for (const open of opens) {
      expect(caught(open)).toEqual(['later-schema', `"${path}": ${REFUSED}`]);
      expect(contents()).toEqual(before);
      expect(namesBeside(path)).toEqual(['machine.db']);
    }
    const { setAside, state } = claimedBy(BREAKING, path);
    expect([setAside, state.memory().open.length]).toEqual([undefined, 1]);
  });

  it('but a damaged one is set aside', () => {
    const path = remembered(BREAKING);
    writeFileSync(path, readFileSync(path).fill(0x5a, 4096));
    expect(claimed(path).setAside?.path).toBe(`${path}.set-aside-1`);
  });
});

describe('[T71] content that a later modreg may have written is not damage', () => {
  it.each<[string, string, string]>([
    [
      'an unknown kind of action',
      "UPDATE actions SET content = json_set(content, '$.kind', 'inspect')",
      'row 1 of actions, column content: a value is missing or has an unexpected type',
    ],
    [
      'a column with another name',
      'ALTER TABLE deployed RENAME COLUMN previous TO before',
      'no such column: deployed.previous',
    ],
  ])('%s', (_, sql, because) => {
    const path = crashed(ADDITIVE, sql);
    const contents = (): Buffer[] => [path, `${path}-wal`].map((name) => readFileSync(name));
    const before = contents();
    const message = `"${path}": it has schema ${LATER}, and this modreg, which knows ${TODAY}, cannot read its content ("${path}": ${because}); nothing was changed: use the later modreg again`;
    expect(caught(() => openForPoller(path))).toEqual(['later-schema', message]);
    expect([contents(), namesBeside(path)]).toEqual([before, ['machine.db']]);
  });
});

it('[T71] a file of another program is not read, even if it has a table of that name', () => {
  const path = `${temporaryFolder()}/machine.db`;
  const database = new DatabaseSync(path);
  database.exec('PRAGMA user_version = 99; CREATE TABLE compatibility (theirs)');
  database.close();
  const message = `"${path}": it is a SQLite file of another program`;
  expect(caught(() => openForPoller(path))).toEqual(['unreadable', message]);
});

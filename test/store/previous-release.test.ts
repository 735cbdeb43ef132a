import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AGENT, ARM, claimed, commitOne, LIDAR } from '../support/claimed.ts';
import { NOW } from '../support/decides.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';
import { log, UPGRADE } from './support/logged-history.ts';

/** The store of 0.2.0 in one file: its `src/store/index.ts`, bundled with `rolldown --format esm --platform node --minify`. */
const STORE = join(ROOT, 'test/fixtures/previous-release/store-0.2.0.mjs');

/** What the previous release reads in a file, after which it reports and commits, as its poller does. */
const PROGRAM = `
  import { openForPoller } from ${JSON.stringify(STORE)};
  const file = openForPoller(process.argv[2]);
  const { state, setAside, lostRows } = file;
  const memory = state.memory();
  const target = { kind: 'module', name: 'lidar', moduleId: 'acme:lidar' };
  console.log(JSON.stringify({
    setAside: setAside ?? null,
    lostRows,
    deployed: memory.of(target).deployed.version.text,
    open: memory.open.map(({ action, state }) => [action.to, state]),
    restarts: memory.of(target).restarts.length,
    decisions: state.history(target).map(({ first }) => first.decision),
    quarantine: memory.quarantine.map(({ moduleId, version }) => [moduleId, version]),
  }));
  state.start(7);
  state.report({ ...target, name: 'arm', moduleId: 'acme:arm' }, '3.0.0', 8);
  file.close();`;

const HOLD = {
  of: { kind: 'machine', name: '' },
  by: 'ann',
  because: 'on stage',
  since: 5,
  endsAt: undefined,
  longestMs: 100,
  elapsedMs: 0,
  countedAt: undefined,
} as const;
const REQUEST = {
  requestedAt: 5,
  by: 'ann',
  because: undefined,
  from: '1.0.0',
  to: '1.1.0',
  despite: [],
} as const;
/** The version before it fails in the same way. */
const FAILURE = {
  version: '2.1.0',
  reason: 'no camera',
  running: '2.0.0',
  blame: 'undecided',
} as const;
const HELD = { deployed: '1.0.0', since: 5, elapsedMs: 40, countedAt: undefined };

it('[T339, D76, D79, D80, D82] 0.2.0 uses a file with all that is new, and changes none of it', () => {
  const folder = temporaryFolder({ 'reads.mjs': PROGRAM });
  const path = join(folder, 'machine.db');
  const first = claimed(path);
  first.state.report(LIDAR, '1.0.0', 1);
  const veto = { by: 'lidar', said: 'docking', isOverridable: true };
  log(first.state, NOW, { ...UPGRADE, timing: { vetoes: [veto], answer: 'forbidden' } });
  const { id } = commitOne(first.state);
  first.state.deliver(id, 2);
  first.state.takeBack(id, 3);
  first.state.setHold(HOLD);
  first.state.noteHeld(LIDAR, HELD);
  first.state.requestUpgrade(LIDAR, REQUEST);
  first.state.requestRound(LIDAR, 5);
  first.state.report(ARM, '2.0.0', 1);
  first.state.reportFailure(ARM, FAILURE, { at: 4, quarantineUntil: undefined, setup: 'wrong' });
  const before = first.state.memory();
  first.close();
  const ran = spawnSync('node', ['reads.mjs', path], { cwd: folder, encoding: 'utf8' });
  expect([
    ran.stderr.replaceAll(/.*ExperimentalWarning.*|\(Use .*/g, '').trim(),
    ran.status,
  ]).toEqual(['', 0]);
  expect(JSON.parse(ran.stdout)).toEqual({
    setAside: null,
    lostRows: [],
    deployed: '1.0.0',
    open: [['1.1.0', 'waiting']],
    restarts: 0,
    decisions: ['hold'],
    // Undecided, and with a try after an edit: the previous release refuses it.
    quarantine: [['acme:arm', '2.1.0']],
  });
  const { state, setAside, lostRows } = claimed(path);
  const memory = state.memory();
  expect([setAside, lostRows]).toEqual([undefined, []]);
  expect([memory.holds, memory.of(LIDAR).held, memory.of(LIDAR).upgradeRequest]).toEqual([
    [HOLD],
    HELD,
    REQUEST,
  ]);
  expect(memory.quarantine).toEqual(before.quarantine);
  expect(memory.of(ARM, 'right').quarantine).toEqual(before.of(ARM, 'right').quarantine);
  expect(memory.of(ARM, 'right').quarantine).toMatchObject([{ version: '2.1.0', retry: 1 }]);
  expect(memory.of(ARM).deployed).toMatchObject({ version: { text: '3.0.0' } });
  expect([memory.starts, memory.of(AGENT).held]).toEqual([[7], undefined]);
});

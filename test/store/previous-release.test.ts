import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AGENT, ARM, claimed, commitOne, LIDAR } from '../support/claimed.ts';
import { NOW } from '../support/decides.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';
import { log, UPGRADE } from './support/logged-history.ts';

/** The commit of 0.2.0. A clone without its history cannot run it. */
const RELEASE = '455e19497dcbc7710145a05a7c9416fa3ad35731';

/** What the previous release reads in a file, after which it reports and commits, as its poller does. */
const PROGRAM = `
  import { openForPoller } from './src/store/index.ts';
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
  }));
  state.start(7);
  state.report({ ...target, name: 'arm', moduleId: 'acme:arm' }, '3.0.0', 8);
  file.close();`;

/** The folder of the previous release; undefined if this clone does not have it. */
function previousRelease(): string | undefined {
  const folder = temporaryFolder();
  const archive = spawnSync('git', ['archive', RELEASE, 'src', 'package.json'], {
    cwd: ROOT,
    maxBuffer: 256 * 1024 * 1024,
  });
  if (archive.status !== 0) return undefined;
  spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'reads.ts'), PROGRAM);
  return folder;
}

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
const HELD = { deployed: '1.0.0', since: 5, elapsedMs: 40, countedAt: undefined };

it('[T339, D79] 0.2.0 uses a file with holds, what is held, vetoes and an action that was taken back, and changes none of them', ({
  skip,
}) => {
  const folder = previousRelease();
  if (folder === undefined) return skip('this clone does not have the commit of 0.2.0');
  const path = join(folder, 'data/machine.db');
  const first = claimed(path);
  first.state.report(LIDAR, '1.0.0', 1);
  const veto = { by: 'lidar', said: 'docking', isOverridable: true };
  log(first.state, NOW, { ...UPGRADE, timing: { vetoes: [veto], answer: 'forbidden' } });
  const { id } = commitOne(first.state);
  first.state.deliver(id, 2);
  first.state.takeBack(id, 3);
  first.state.setHold(HOLD);
  first.state.noteHeld(LIDAR, HELD);
  first.close();
  const ran = spawnSync('node', ['reads.ts', path], { cwd: folder, encoding: 'utf8' });
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
  });
  const { state, setAside, lostRows } = claimed(path);
  const memory = state.memory();
  expect([setAside, lostRows, memory.holds, memory.of(LIDAR).held]).toEqual([
    undefined,
    [],
    [HOLD],
    HELD,
  ]);
  expect(memory.of(ARM).deployed).toMatchObject({ version: { text: '3.0.0' } });
  expect([memory.starts, memory.of(AGENT).held]).toEqual([[7], undefined]);
});

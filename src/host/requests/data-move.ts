import { lstatSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dataFolder, MODULE_DATA } from '../../agent/module-data.ts';
import { LOCAL_MACHINE } from '../../config/machine-id.ts';
import { nameComplaint } from '../../config/text/name.ts';
import type { Result } from '../../core/index.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { syncFolder } from '../../files/sync.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { holdExclusively } from '../../sqlite/exclusive-lock.ts';
import { lockOf } from '../../store/machine-file.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import { usage, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { machineIdOf } from '../machine-id.ts';
import { rowNamed } from '../machine-row.ts';
import { homeOf } from '../home-of.ts';
import { inFile } from '../open-state.ts';

/** Data of a module that was moved, from one folder to the other. */
export interface MovedData {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

const KEPT = 'nothing was moved';
/** What an agent that starts meanwhile waits for. */
const NO_AGENT = 'end it first (systemctl stop platform-agent), and start it again afterwards';

/**
 * Moves what an entry kept before, in `folder` below the folder of all data, such as `local/lidar`, to the folder that it uses
 * now (T341). No agent runs meanwhile.
 */
export function moveData(
  [folder, named]: readonly [folder: string, named: string],
  world: World,
): Result<MovedData, Problem[]> {
  return inFile(world, 'read', (file) => {
    const rows = machineStateIn(file).decisions();
    const row = rowNamed(
      named,
      rows.filter(({ kind }) => kind === 'module'),
    );
    const id = machineIdOf(world);
    const complaint = folderComplaint(folder);
    if (!row.ok || !id.ok || complaint !== undefined) {
      const found = [row, id].flatMap((one) => (one.ok ? [] : one.error));
      return {
        ok: false,
        error: [...(complaint === undefined ? [] : [usage(complaint)]), ...found],
      };
    }
    const home = homeOf(file);
    const { name } = row.value;
    const to = dataFolder({ home, machineId: id.value ?? LOCAL_MACHINE }, name);
    const moved = { name, from: join(home, MODULE_DATA, folder), to };
    return withoutAgent(file.path, () => movedBy(moved));
  });
}

function folderComplaint(folder: string): string | undefined {
  const parts = folder.split('/');
  const wrong = parts.length === 2 ? parts.map(nameComplaint).find((one) => one) : 'no such form';
  if (wrong === undefined) return undefined;
  return `found ${quote(folder)}, expected a folder below ${MODULE_DATA} as modreg doctor names it, such as local/lidar; ${KEPT}`;
}

/** Runs `work` while no agent or poller can start. */
function withoutAgent<T>(path: string, work: () => Result<T, Problem[]>): Result<T, Problem[]> {
  let release: () => void;
  try {
    release = holdExclusively(lockOf(path), 0);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== 'locked') throw error;
    const message = `an agent or a poller of this machine runs, and its modules use their data; ${KEPT}`;
    return refused('locked', message, NO_AGENT);
  }
  try {
    return work();
  } finally {
    release();
  }
}

function movedBy(moved: MovedData): Result<MovedData, Problem[]> {
  const { from, to } = moved;
  const isThere = kindOf(from);
  if (from === to) return refused('usage', `${quote(from)} is the folder that it uses; ${KEPT}`);
  if (isThere !== 'folder') {
    const found = isThere === undefined ? 'is not there' : 'is not a folder';
    return refused('usage', `${quote(from)} ${found}, expected a folder with data; ${KEPT}`);
  }
  const target = kindOf(to);
  const count = target === 'folder' ? readdirSync(to).length : 0;
  if (target === 'other' || count > 0) {
    const found =
      target === 'other' ? 'is not a folder' : `is not empty: it has ${count} files or folders`;
    const hint = `what is in it was written since; move it elsewhere if the module does not need it, and try again`;
    return refused('usage', `${quote(to)} ${found}; ${KEPT}`, hint);
  }
  return renamed(moved);
}

function renamed(moved: MovedData): Result<MovedData, Problem[]> {
  const { from, to } = moved;
  try {
    makeFolders(dirname(to));
    // It replaces an empty folder, and nothing else.
    renameSync(from, to);
    for (const folder of new Set([dirname(from), dirname(to)])) syncFolder(folder);
    return { ok: true, value: moved };
  } catch (error) {
    // A cast: the system's errors have a code.
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const why =
      code === 'EXDEV'
        ? `${quote(to)} is on another file system than ${quote(from)}, and only a move within one is complete or not made at all`
        : `${quote(from)} cannot be moved to ${quote(to)} (${excerpt(code)})`;
    const hint = code === 'EXDEV' ? 'copy it with cp -a, and remove it afterwards' : undefined;
    return refused('state-write', `${why}; ${KEPT}`, hint);
  }
}

function kindOf(path: string): 'folder' | 'other' | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found && (found.isDirectory() ? 'folder' : 'other');
}

function refused(
  kind: Extract<Problem['kind'], 'usage' | 'locked' | 'state-write'>,
  message: string,
  hint?: string,
): { readonly ok: false; readonly error: Problem[] } {
  return { ok: false, error: [{ severity: 'error', kind, message, hint }] };
}

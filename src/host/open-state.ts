import { openForPoller, type ClaimedFile, type MachineFile } from '../store/index.ts';
import type { SavedListsError } from '../registry/saved-lists.ts';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Result } from '../core/index.ts';
import { quote } from '../core/text/quote.ts';
import { platformHome } from '../config/platform-home.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import type { Opening } from '../sqlite/database.ts';
import { openMachineFile } from '../store/machine-file.ts';
import { machineStateIn, type MachineState } from '../store/machine-state.ts';
import { STATE_ERRORS } from '../store/saved-lists-table.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';

const COMMAND_BUSY_TIMEOUT_MS = 1000;

/** What creates the state. */
export const NO_STATE =
  'modreg agent run or modreg poll creates it in $PLATFORM_HOME, or else in $HOME/.platform';

/** The problem of a machine whose folder is not named. */
export const NO_HOME = {
  severity: 'error',
  kind: 'usage',
  message: 'the state of this machine is not found: neither PLATFORM_HOME nor HOME is set',
} as const;

/** Why `machine.db` cannot be used: `usage` if neither PLATFORM_HOME nor HOME is set. */
export interface StateProblem {
  readonly severity: 'error';
  readonly kind: SavedListsError['kind'] | 'usage';
  readonly message: string;
  readonly hint?: string | undefined;
  /** Whether nothing can be read: there is no file, or one that needs an upgrade first. */
  readonly isMissing: boolean;
  /** Whether there is no file, or an empty one. */
  readonly isAbsent: boolean;
}

/** Opens `machine.db` in the platform's home. */
export function openState(
  { environment }: World,
  mode: Opening['mode'],
): Result<MachineFile, StateProblem> {
  const path = statePath(environment);
  if (!path.ok) return path;
  const opening = { mode, busyTimeoutMs: COMMAND_BUSY_TIMEOUT_MS };
  const file = trying(() => openMachineFile(path.value, opening));
  if (file.ok || !file.error.isMissing) return file;
  const home = dirname(path.value);
  if (statSync(home, { throwIfNoEntry: false })?.isDirectory() === false) {
    const message = `the state of this machine is not found: ${quote(home)} is not a folder`;
    const hint = 'set PLATFORM_HOME to a folder';
    const about = { message, hint, isMissing: false, isAbsent: false } as const;
    return { ok: false, error: { severity: 'error', kind: 'usage', ...about } };
  }
  const isAbsent = isEmpty(path.value);
  const isElsewhere = isAbsent && !environment['PLATFORM_HOME'] && !isEmpty(PACKAGE_STATE);
  return { ok: false, error: isElsewhere ? ELSEWHERE : { ...file.error, isAbsent } };
}

function isEmpty(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** The state of the agent of the Debian package, and of a service that `modreg agent install-unit` installed. */
const PACKAGE_STATE = '/var/lib/modreg/machine.db';

/** A user asks about the machine whose agent runs as a service: that of the user has never run (T701). */
const ELSEWHERE: StateProblem = {
  severity: 'error',
  kind: 'usage',
  message: `this user has no state here, and the agent of this machine has its own in ${dirname(PACKAGE_STATE)}`,
  hint: `run the command as root: sudo env PLATFORM_HOME=${dirname(PACKAGE_STATE)} modreg …`,
  isMissing: true,
  isAbsent: false,
};

/** Opens `machine.db` in the platform's home for a poller. */
export function claimState({ environment }: World): Result<ClaimedFile, StateProblem> {
  const path = statePath(environment);
  return path.ok ? trying(() => openForPoller(path.value)) : path;
}

function statePath(environment: World['environment']): Result<string, StateProblem> {
  const home = platformHome(environment);
  if (home !== undefined) return { ok: true, value: join(home, 'machine.db') };
  return { ok: false, error: { ...NO_HOME, isMissing: true, isAbsent: false } };
}

/** Returns the result of `work` on the state of this machine, or why the state cannot be used. */
export function usingState<T>(
  world: World,
  mode: Exclude<Opening['mode'], 'create'>,
  work: (state: MachineState) => T,
): Result<T, StateProblem> {
  return usingFile(world, mode, (file) => work(machineStateIn(file)));
}

/** The same for work that also needs other tables of the file. */
export function usingFile<T>(
  world: World,
  mode: Exclude<Opening['mode'], 'create'>,
  work: (file: MachineFile) => T,
): Result<T, StateProblem> {
  const file = openState(world, mode);
  if (!file.ok) return file;
  try {
    return trying(() => work(file.value));
  } finally {
    file.value.close();
  }
}

/** The same for work that may find problems itself. */
export function inFile<T>(
  world: World,
  mode: Exclude<Opening['mode'], 'create'>,
  work: (file: MachineFile) => Result<T, Problem[]>,
): Result<T, Problem[]> {
  const done = usingFile(world, mode, work);
  return done.ok ? done.value : { ok: false, error: [done.error] };
}

/** What a command reports for an error of a file with state of this machine. */
export function stateProblem({ kind, message }: DatabaseError): Problem {
  return { severity: 'error', kind: STATE_ERRORS[kind], message };
}

function trying<T>(work: () => T): Result<T, StateProblem> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const isMissing = error.kind === 'missing';
    const hint = isMissing ? NO_STATE : undefined;
    const { message } = error;
    const kind = STATE_ERRORS[error.kind];
    return {
      ok: false,
      error: { severity: 'error', kind, message, hint, isMissing, isAbsent: false },
    };
  }
}

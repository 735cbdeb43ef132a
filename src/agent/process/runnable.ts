import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { excerpt, quote } from '../../core/text/quote.ts';
import type { Result } from '../../core/text/result.ts';
import {
  cutElf,
  firstLineOf,
  headOf,
  isCutLine,
  isElf,
  missingForElf,
  missingForScript,
  noProgram,
} from './interpreter.ts';
import { noexecMount } from './noexec-mount.ts';
import { endlessScript } from './script-chain.ts';

/** Where an ELF file names its machine, and the machines that modules run on. */
const ELF_MACHINE_AT = 18;
const ELF_MACHINES: Readonly<Record<string, number>> = { x64: 0x3e, arm64: 0xb7 };

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it is not executable for this user',
};

/** Why a program could not be started, and whose failure that is. */
export interface LaunchFailure {
  readonly blame: 'release' | 'machine';
  readonly reason: string;
}

/** The failure with what it means for the program. */
export function notStarted({ blame, reason }: LaunchFailure): LaunchFailure {
  return { blame, reason: `it cannot be started: ${reason}` };
}

/**
 * Why the file at `path` cannot be run in `folder` as a program of this machine, whose `PATH` is `searchPath`; undefined if it can. The
 * system's own check is not enough: a file that is neither a script with `#!` nor a program is run by a shell, and an empty one
 * succeeds.
 */
export function whyNotRunnable(
  path: string,
  searchPath: string | undefined,
  folder = '.',
): LaunchFailure | undefined {
  try {
    accessSync(path, constants.X_OK);
    if (!statSync(path).isFile()) return wrongFile('it is not a file');
    const file = openSync(path, 'r');
    try {
      return whyNotRun({ file, path, folder }, searchPath);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const mount = code === 'EACCES' ? noexecMount(path) : undefined;
    return mount === undefined ? wrongFile(WORDS[code] ?? code) : onNoexec(mount);
  }
}

function whyNotRun(
  program: OpenProgram,
  searchPath: string | undefined,
): LaunchFailure | undefined {
  const head = headOf(program.file);
  if (isElf(head)) {
    const machine = head.length > ELF_MACHINE_AT ? head.readUInt16LE(ELF_MACHINE_AT) : undefined;
    if (machine !== ELF_MACHINES[process.arch])
      return wrongFile('it is a program of another machine');
  }
  const line = startedBy(program);
  if (!line.ok) return wrongFile(line.error);
  const missing = line.value
    ? missingForScript(line.value, searchPath, program.folder)
    : missingForElf(program.file);
  return lackingMachine(missing);
}

/** A program whose file is open, and the folder in which it runs. */
interface OpenProgram {
  readonly file: number;
  readonly path: string;
  readonly folder: string;
}

/** What the first line of a script names, undefined for an ELF file; or why no machine starts the program (D476). */
export function startedBy({
  file,
  path,
  folder,
}: OpenProgram): Result<FirstLine | undefined, string> {
  const head = headOf(file);
  if (isElf(head)) {
    const why = cutElf(file) ?? noProgram(file);
    return why === undefined ? { ok: true, value: undefined } : { ok: false, error: why };
  }
  const line = firstLineOf(head);
  if (!line) return { ok: false, error: 'it has no first line such as #!/bin/sh' };
  const error = whyNoScript(head, line) ?? endlessScript(path, line.interpreter, folder);
  return error === undefined ? { ok: true, value: line } : { ok: false, error };
}

type FirstLine = NonNullable<ReturnType<typeof firstLineOf>>;

function whyNoScript(head: Buffer, { interpreter, argument }: FirstLine): string | undefined {
  if (isCutLine(head)) return 'its first line is longer than the 255 bytes that Linux reads';
  if (interpreter.endsWith('\r')) return 'its first line ends with a carriage return';
  const isAlone = interpreter.endsWith('/env') && argument.trim() === '';
  return isAlone ? `its first line names no program after ${excerpt(interpreter)}` : undefined;
}

/** The same release runs where programs may be started (A23). */
function onNoexec(mount: string): LaunchFailure {
  const reason = `${quote(mount)} is mounted noexec, so no program on it can be started; mount it without that option (mount -o remount,exec ${quote(mount)}), or set PLATFORM_HOME to a folder on another disk`;
  return { blame: 'machine', reason };
}

function wrongFile(reason: string): LaunchFailure {
  return { blame: 'release', reason };
}

/** The same release runs on a machine that has what this one lacks (A18). */
function lackingMachine(reason: string | undefined): LaunchFailure | undefined {
  return reason === undefined ? undefined : { blame: 'machine', reason };
}

import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from '../../core/index.ts';
import type { Readiness } from '../../core/machine/readiness.ts';
import { quote } from '../../core/text/quote.ts';
import type { Result } from '../../core/text/result.ts';
import { machineOf } from './elf.ts';
import { failureOf, machineFault, wrongRelease, type InstallFailure } from './install-failure.ts';
import { META, PACKAGE, readManifest, typoIn } from './manifest.ts';

/** An installed package, and how it is run. */
export interface Package {
  /** Its folder, absolute. */
  readonly root: string;
  /** The program: absolute, inside `root` after resolving links, executable. */
  readonly entryPoint: string;
  /** What the program gets: those of the policy's `command`. */
  readonly arguments: readonly string[];
  /** A program that must have succeeded once before the first start, absolute; undefined if there is none. */
  readonly firstRun: string | undefined;
  /** How it shows that it is ready. */
  readonly ready: Readiness;
  /** In milliseconds; undefined if the package does not say. */
  readonly stopTimeoutMs: number | undefined;
  /** The fields of its `meta.json` that modreg does not read. */
  readonly ignored: readonly string[];
}

/** What decides how a package is run, besides the package. */
export interface RunOptions {
  /** The program and its arguments, relative to the package: the policy's `command`. Undefined for what the package names. */
  readonly command: readonly [string, ...string[]] | undefined;
  readonly platform: Platform;
}

/** Who names a program. */
type NamedBy = "the policy's command" | typeof META | typeof PACKAGE;

/** Reads an installed package, for a start without a download. */
export function readPackage(root: string, options: RunOptions): Result<Package, InstallFailure> {
  try {
    return { ok: true, value: packageIn(root, options) };
  } catch (error) {
    return { ok: false, error: failureOf(error, root) };
  }
}

/** The package in the folder `root`. Throws a refusal if it cannot be run. */
export function packageIn(root: string, { command, platform }: RunOptions): Package {
  if (!statSync(root, { throwIfNoEntry: false })) {
    throw machineFault('not-installed', `the package ${quote(root)} is not installed`);
  }
  const { program, from, firstRun, ready, stopTimeoutMs, ignored } = readManifest(root);
  const [path, ...rest] = command ?? [];
  const by = path === undefined ? from : "the policy's command";
  const named = path ?? program;
  if (named === undefined) {
    const why =
      typoIn(ignored) ??
      `expected entrypoint in ${META}, bin in ${PACKAGE}, or command in the update policy`;
    const reason = `the package names no program: ${why}`;
    // An operator can name one, and then the same file works.
    throw machineFault('no-program', reason);
  }
  const programs = { root: realpathSync(root), platform };
  return {
    root,
    entryPoint: programIn(named, by, programs),
    arguments: rest,
    firstRun: firstRun === undefined ? undefined : programIn(firstRun, META, programs),
    ready,
    stopTimeoutMs,
    ignored,
  };
}

/** The path of a program that can be run, without links. Throws a refusal. */
function programIn(
  named: string,
  by: NamedBy,
  { root, platform }: { readonly root: string; readonly platform: Platform },
): string {
  const refused = (what: string): Error => {
    const reason = `${by} names the program ${quote(named)}, ${what}`;
    if (by === "the policy's command") return machineFault('bad-command', reason);
    return wrongRelease('no-program', `the package's ${reason}`);
  };
  const path = resolved(root, named);
  if (path === undefined) throw refused('which the package does not have');
  if (!isInside(path, root)) throw refused('which is outside the package');
  const stats = statSync(path);
  if (!stats.isFile()) throw refused('which is not a file');
  if ((stats.mode & 0o111) === 0) throw refused('which is not executable');
  const machine = machineOf(headOf(path));
  if (machine !== undefined && machine !== platform) {
    const reason = `the program ${quote(named)} is for ${machine}, expected ${platform}`;
    throw wrongRelease('wrong-platform', reason);
  }
  return path;
}

function isInside(path: string, root: string): boolean {
  return path.startsWith(`${root}/`);
}

/** The path of a file in the package `root`, without links; undefined if it does not exist, or is outside. */
export function fileIn(root: string, named: string): string | undefined {
  const real = realpathSync(root);
  const path = resolved(real, named);
  return path !== undefined && isInside(path, real) ? path : undefined;
}

const MISSING = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']);

/** The path of a file without links; undefined if it does not exist. */
function resolved(root: string, named: string): string | undefined {
  try {
    return realpathSync(join(root, named));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !MISSING.has(code)) throw error;
    return undefined;
  }
}

function headOf(path: string): Buffer {
  const head = Buffer.alloc(64);
  const file = openSync(path, 'r');
  try {
    return head.subarray(0, readSync(file, head));
  } finally {
    closeSync(file);
  }
}

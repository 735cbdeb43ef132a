import { closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { Platform } from '../core/index.ts';
import { PLATFORM } from '../core/releases/platform.ts';
import { expectArgument, SIGNAL, TEXT } from '../core/text/argument.ts';
import { excerpt, quote } from '../core/text/quote.ts';
import type { Result } from '../core/text/result.ts';
import { notStarted, startedBy } from './process/runnable.ts';
import { filledPackage } from './install/install-package.ts';
import { settled, wrongRelease, type InstallFailure } from './install/install-failure.ts';
import { typoIn } from './install/manifest.ts';
import type { Package } from './install/package.ts';
import { stagingOf } from './install/staging.ts';

/** A package that a machine can run. */
export interface CheckedPackage {
  /** The program that it names, relative to the package. */
  readonly program: string;
  /** The fields of its `meta.json` that modreg does not read. */
  readonly ignored: readonly string[];
}

/**
 * Whether the agent of a machine with this platform can install and start the package in the file at `path`: it is unpacked as
 * the agent does it, into a folder that is removed. What only a machine knows, such as its interpreters, is not checked.
 *
 * Rejects only with the reason of `signal`, or with a TypeError for an argument of the wrong type.
 *
 * @example
 * ```ts
 * import { checkPackage } from 'modreg/agent';
 *
 * const checked = await checkPackage('lidar-1.2.9.tgz', 'linux/arm64');
 * console.log(checked.ok ? `it starts ${checked.value.program}` : checked.error.reason);
 * ```
 */
export async function checkPackage(
  path: string,
  platform: Platform,
  signal: AbortSignal = new AbortController().signal,
): Promise<Result<CheckedPackage, InstallFailure>> {
  expectArgument('checkPackage()', 'path', path, TEXT);
  expectArgument('checkPackage()', 'platform', platform, PLATFORM);
  expectArgument('checkPackage()', 'signal', signal, SIGNAL);
  let home: string | undefined;
  try {
    return await settled({ signal, folder: tmpdir() }, async () => {
      expectRegularFile(path);
      home = await mkdtemp(join(tmpdir(), 'modreg-check-'));
      const options = { platform, command: undefined };
      const order = { ...options, home, reserveMib: 0, signal, onStep: () => undefined };
      const root = join(home, 'package');
      const fill = await stagingOf(path, order);
      await mkdir(root);
      return checked(await filledPackage(root, fill, options));
    });
  } finally {
    if (home !== undefined) await rm(home, { recursive: true, force: true });
  }
}

/** Throws a refusal of a folder, and of a pipe, whose writer would be waited for. */
function expectRegularFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== false) return;
  throw wrongRelease('wrong-type', `${quote(path)} is not a regular file`);
}

/** Refuses also what the agent of a machine notices only at the start (D243). Throws a refusal. */
function checked({ root, entryPoint, firstRun, ignored }: Package): CheckedPackage {
  const typo = typoIn(ignored);
  if (typo !== undefined) throw wrongRelease('bad-manifest', `the package's ${typo}`);
  for (const program of [entryPoint, firstRun]) {
    if (program !== undefined) expectStartable(program, realpathSync(root));
  }
  return { program: relative(realpathSync(root), entryPoint), ignored };
}

/** Throws a refusal unless a machine that has its interpreter could start a program of the package. */
function expectStartable(program: string, root: string): void {
  const refused = (reason: string): Error => {
    const why = notStarted({ blame: 'release', reason }).reason;
    return wrongRelease('no-program', `${quote(relative(root, program))}: ${why}`);
  };
  const file = openSync(program, 'r');
  try {
    const line = startedBy({ file, path: program, folder: root });
    if (!line.ok) throw refused(line.error);
    if (!line.value) return;
    const { interpreter } = line.value;
    // A relative one is looked for from the folder of the package, in which the program runs.
    if (interpreter.startsWith('/')) return;
    const path = resolve(root, interpreter);
    const isThere = existsSync(path);
    if (isThere && statSync(path).isFile()) return;
    const found = isThere ? 'which is not a file' : 'which the package does not have';
    throw refused(`its first line names ${excerpt(interpreter)}, ${found}`);
  } finally {
    closeSync(file);
  }
}

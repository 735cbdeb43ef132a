import { isAbsolute } from 'node:path';
import type { Artifact, Platform, Result } from '../../core/index.ts';
import { PLATFORM } from '../../core/releases/platform.ts';
import {
  expectArgument,
  expectMembers,
  FUNCTION,
  numberIn,
  OBJECT,
  optional,
  type Expected,
} from '../../core/text/argument.ts';
import { expectSpelling } from '../../core/text/spelling.ts';
import { ARTIFACT, FETCH_OPTIONS, type FetchOptions } from './fetch-artifact.ts';
import type { InstallFailure } from './install-failure.ts';
import { installPackage, nameOf } from './install-package.ts';
import type { InstallStep } from './install-step.ts';
import type { Package } from './package.ts';
import { installTurns } from './turns.ts';

/** Where `installArtifact` installs a package, and how. */
export interface InstallOptions extends Omit<FetchOptions, 'onProgress'> {
  /** `$PLATFORM_HOME`, absolute: `downloads` and `staging` are below it. */
  readonly home: string;
  /** The folder of the package, absolute and on the disk of `home`: `folders.root` of a delivery. One that exists is complete, and is kept. */
  readonly root: string;
  /** The platform of this machine. */
  readonly platform: Platform;
  /** The program and its arguments, relative to the package: `run.command` of the policy. By default, what the package names. */
  readonly command?: readonly [string, ...string[]] | undefined;
  /** How many MiB of the disk stay free: `diskReserveMib` of the policy. 256 by default, or a tenth of a smaller disk. */
  readonly reserveMib?: number | undefined;
  /** Called with each step. Must not throw. */
  readonly onStep?: ((step: InstallStep) => void) | undefined;
}

const ABSOLUTE: Expected = {
  is: (value) => typeof value === 'string' && isAbsolute(value),
  words: 'an absolute path',
};
const COMMAND: Expected = {
  is: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string'),
  words: 'an array of a program and its arguments',
};
const OPTIONS: Readonly<Record<keyof InstallOptions, Expected>> = {
  ...FETCH_OPTIONS,
  home: ABSOLUTE,
  root: ABSOLUTE,
  platform: PLATFORM,
  command: optional(COMMAND),
  reserveMib: optional(
    numberIn((mib) => Number.isSafeInteger(mib) && mib >= 0, 'a whole number from 0'),
  ),
  onStep: optional(FUNCTION),
};

/** Of all calls in this process (D378). */
const TURNS = installTurns();

/**
 * Downloads, verifies and unpacks the file of a release, and reads its package, as the agent of modreg does: `root` exists only once
 * the package is complete and on the disk, whatever happens meanwhile. If it exists, nothing is downloaded. After a failure or a
 * kill, the next call continues the download. Calls may run beside each other: those for one file wait for each other, four download,
 * and one unpacks. Two processes must not share a `home`. Nothing of the package is run, also not its `firstRun`.
 *
 * Rejects only with the reason of `signal`, or with a TypeError or a RangeError for a wrong argument.
 *
 * @example
 * ```ts
 * import { installArtifact } from 'modreg/agent';
 *
 * const artifact = {
 *   platform: 'linux/arm64',
 *   url: 'https://registry.example/lidar-1.2.9.tgz',
 *   digest: 'sha256:3f8a91c20b7dd3b2c1e4a5968778695a4b3c2d1e0f1021324354657687980a1b',
 * };
 * const installed = await installArtifact(artifact, {
 *   home: '/var/lib/agent',
 *   root: '/var/lib/agent/packages/acme/lidar/1.2.9-3f8a91c20b7d',
 *   platform: 'linux/arm64',
 * });
 * if (installed.ok) console.log(`start ${installed.value.entryPoint}`);
 * else console.error(`${installed.error.blame}: ${installed.error.reason}`);
 * ```
 */
export async function installArtifact(
  artifact: Artifact | undefined,
  options: InstallOptions,
): Promise<Result<Package, InstallFailure>> {
  const callee = 'installArtifact()';
  expectArgument(callee, 'artifact', artifact, optional(OBJECT));
  if (artifact) expectMembers(callee, 'artifact', artifact, ARTIFACT);
  expectMembers(callee, 'options', options, OPTIONS);
  expectSpelling(callee, 'options', options, OPTIONS);
  const { onStep = () => undefined, signal = new AbortController().signal, ...others } = options;
  const { platform, command, home, root, reserveMib, ...fetch } = others;
  const place = { platform, command, home, root, reserveMib };
  const order = { artifact, ...place, fetch, signal, onStep, turns: TURNS };
  const file = artifact ? nameOf(artifact) : root;
  return await TURNS.ofFile(file, async () => await installPackage(order));
}

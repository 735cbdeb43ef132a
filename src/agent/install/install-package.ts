import { createHash } from 'node:crypto';
import { chmod, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Artifact, Result } from '../../core/index.ts';
import { fetchArtifact, type FetchOptions } from './fetch-artifact.ts';
import { fullDigest } from './file-digest.ts';
import { checkFreeSpace } from './free-space.ts';
import {
  asError,
  failureOf,
  machineFault,
  settled,
  type InstallFailure,
} from './install-failure.ts';
import { PACKAGE, readManifest } from './manifest.ts';
import { fileIn, packageIn, type Package, type RunOptions } from './package.ts';
import { isThere, moveInto, newStaging, privateFolder, syncFileSystem } from './package-store.ts';
import { stagingOf } from './staging.ts';
import type { InstallStep } from './install-step.ts';
import type { InstallTurns } from './turns.ts';
import { PROGRAM_MODE } from './unpack.ts';

/** A package to install. */
export interface InstallOrder extends RunOptions {
  /** Undefined if the release names no file for this machine. */
  readonly artifact: Artifact | undefined;
  /** Where the package belongs: `folders.root` of the delivery. */
  readonly root: string;
  /** `$PLATFORM_HOME`: `downloads`, `staging` and `packages` are below it. */
  readonly home: string;
  /** How many MiB of its disk stay free; undefined for the default. */
  readonly reserveMib?: number | undefined;
  readonly fetch: Omit<FetchOptions, 'signal' | 'onProgress'>;
  readonly signal: AbortSignal;
  readonly turns: Pick<InstallTurns, 'download' | 'unpack'>;
  /** Called with each step. Must not throw. */
  readonly onStep: (step: InstallStep) => void;
}

/** How long a survey, unpacking and writing to the disk may take. */
const PREPARE_MS = 10 * 60_000;

/**
 * Installs a package, unless it is installed: its folder has its name only once it is complete and on the disk. After a failure
 * or a kill, nothing of it has that name, and the next call continues the download. One call at a time for a file. Rejects
 * only with the reason of `signal`.
 */
export async function installPackage(
  order: InstallOrder,
): Promise<Result<Package, InstallFailure>> {
  const { root, home, signal } = order;
  return await settled({ signal, folder: home }, async () => {
    if (await isThere(root)) return packageIn(root, order);
    await install(order);
    const installed = packageIn(root, order);
    order.onStep({ kind: 'installed', ignored: installed.ignored });
    return installed;
  });
}

async function install(order: InstallOrder): Promise<void> {
  const path = await order.turns.download(async () => await downloaded(order));
  await order.turns.unpack(async () => {
    order.signal.throwIfAborted();
    await prepareInTime(path, order);
  });
  await removeDownload(path);
}

async function prepareInTime(path: string, order: InstallOrder): Promise<void> {
  const late = AbortSignal.timeout(PREPARE_MS);
  try {
    await prepare(path, { ...order, signal: AbortSignal.any([order.signal, late]) });
  } catch (error) {
    order.signal.throwIfAborted();
    if (late.aborted) {
      throw machineFault('timeout', `unpacking takes longer than ${PREPARE_MS / 60_000} min`);
    }
    // It would only be refused again.
    if (failureOf(error, order.home).blame === 'release') await removeDownload(path);
    throw error;
  }
}

/** The outcome does not depend on it: what remains is removed after three days. */
async function removeDownload(path: string): Promise<void> {
  await rm(path).catch(() => undefined);
}

/** The path of the downloaded and verified file. */
async function downloaded({
  artifact,
  home,
  fetch,
  signal,
  onStep,
  reserveMib,
}: InstallOrder): Promise<string> {
  if (!artifact) {
    throw machineFault('nothing-to-download', 'the release names no file for this machine');
  }
  signal.throwIfAborted();
  const path = join(await privateFolder(home, 'downloads'), nameOf(artifact));
  const there = (await sizeOf(path)) + (await sizeOf(`${path}.part`));
  await checkFreeSpace(home, { bytes: (artifact.size ?? 0) - there, entries: 1, reserveMib });
  const fetched = await fetchArtifact(artifact, path, {
    ...fetch,
    signal,
    onProgress: (bytes, total) => onStep({ kind: 'downloading', bytes, total }),
  });
  if (!fetched.ok) throw asError(fetched.error);
  onStep({ kind: 'downloaded', bytes: fetched.value.size });
  return path;
}

/** The name of a download. What is named by a digest can be resumed for any release that has it. */
export function nameOf({ digest, url = '' }: Artifact): string {
  const full = fullDigest(digest);
  if (full) return `${full.algorithm}-${full.hex}`;
  return `address-${createHash('sha256').update(url).digest('hex')}`;
}

async function sizeOf(path: string): Promise<number> {
  return (await isThere(path)) ? (await stat(path)).size : 0;
}

/** Makes a package of the downloaded file. */
async function prepare(path: string, order: InstallOrder): Promise<void> {
  const { root, home, onStep } = order;
  const fill = await stagingOf(path, order);
  const staging = await newStaging(home, root);
  try {
    await filledPackage(staging, fill, order);
    onStep({ kind: 'unpacked' });
    await syncFileSystem(staging);
    onStep({ kind: 'synced' });
    await moveInto(staging, root, { home, onRenamed: () => onStep({ kind: 'renamed' }) });
  } catch (error) {
    // What remains if this fails as well is removed with the next staging folders.
    await rm(staging, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

/** Fills the empty folder `staging`, and reads the package in it. Throws a refusal. */
export async function filledPackage(
  staging: string,
  fill: (staging: string) => Promise<void>,
  options: RunOptions,
): Promise<Package> {
  await fill(staging);
  if (options.command === undefined) await makeBinExecutable(staging);
  return packageIn(staging, options);
}

/** Programs of npm packages are made executable when they are installed. */
async function makeBinExecutable(staging: string): Promise<void> {
  const { program, from } = readManifest(staging);
  const path = program !== undefined && from === PACKAGE ? fileIn(staging, program) : undefined;
  if (path !== undefined) await chmod(path, PROGRAM_MODE);
}

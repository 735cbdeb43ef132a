import { chmod, copyFile, open, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Platform } from '../../core/index.ts';
import { decompressed } from './decompressed.ts';
import { typeOf, type FileType } from './file-type.ts';
import { checkFreeSpace } from './free-space.ts';
import { wrongRelease } from './install-failure.ts';
import type { InstallStep } from './install-step.ts';
import { META } from './manifest.ts';
import { survey } from './survey.ts';
import { tarEntries, type TarEntry } from './tar-entries.ts';
import { PROGRAM_MODE, unpack } from './unpack.ts';

interface StagingOrder {
  readonly home: string;
  readonly reserveMib?: number | undefined;
  readonly platform: Platform;
  readonly signal: AbortSignal;
  readonly onStep: (step: InstallStep) => void;
}

/** The name that a file which is a program itself gets in its package. */
const PROGRAM = 'program';

/**
 * Checks the whole file at `path`, and that the disk has space for its content. Returns what writes its content into an empty
 * folder. Throws a refusal.
 */
export async function stagingOf(
  path: string,
  order: StagingOrder,
): Promise<(staging: string) => Promise<void>> {
  const type = await typeAt(path);
  if (type.kind === 'archive') return await archiveStaging(path, type.compression, order);
  return await programStaging(path, type, order);
}

async function typeAt(path: string): Promise<FileType> {
  const file = await open(path, 'r');
  try {
    return await typeOf(file);
  } finally {
    await file.close();
  }
}

async function archiveStaging(
  path: string,
  compression: 'gzip' | 'zstd',
  { home, reserveMib, signal, onStep }: StagingOrder,
): Promise<(staging: string) => Promise<void>> {
  const entries = (): AsyncIterable<TarEntry> =>
    tarEntries(decompressed(path, compression, signal));
  const found = await survey(entries());
  await checkFreeSpace(home, { bytes: found.bytes, entries: found.entries, reserveMib });
  return async (staging) => {
    onStep({ kind: 'unpacking', entries: found.entries, bytes: found.bytes });
    await unpack(entries(), found, staging);
  };
}

/** A program without a package gets a manifest, so that it is read like any other package. */
async function programStaging(
  path: string,
  type: Exclude<FileType, { readonly kind: 'archive' }>,
  { home, reserveMib, platform, onStep }: StagingOrder,
): Promise<(staging: string) => Promise<void>> {
  if (type.kind === 'other') {
    const reason = `the file is ${type.name}, expected a tar archive compressed with gzip or zstd, or a program for Linux`;
    throw wrongRelease('wrong-type', reason);
  }
  if (type.machine !== platform) {
    const reason = `the program is for ${type.machine}, expected ${platform}`;
    throw wrongRelease('wrong-platform', reason);
  }
  const { size } = await stat(path);
  await checkFreeSpace(home, { bytes: size, entries: 2, reserveMib });
  return async (staging) => {
    onStep({ kind: 'unpacking', entries: 1, bytes: size });
    await copyFile(path, join(staging, PROGRAM));
    await chmod(join(staging, PROGRAM), PROGRAM_MODE);
    await writeFile(join(staging, META), JSON.stringify({ entrypoint: PROGRAM }));
  };
}

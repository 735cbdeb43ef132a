import { constants } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseModuleId, type ModuleId } from '../core/index.ts';
import { nameOf, namespaceOf } from '../core/releases/module-id.ts';
import { quote } from '../core/text/quote.ts';
import { firstList } from './first-list.ts';
import { lazyList, type ListEntries } from './formats/decoded-list.ts';
import { expectListSize, expectParsable } from './formats/file-limits.ts';
import { parseJsonBytes } from './formats/json-text.ts';
import { noteOrigin } from './list-origin.ts';
import { RegistryError, type RegistryErrorKind } from './registry-error.ts';
import type { Registry } from './registry.ts';
import { releaseEntries } from './formats/release-document.ts';
import { unknownModule } from './unknown-module.ts';

/**
 * Reads release lists from files, `<folder>/<namespace>/<name>.json`, each in modreg's own format or an npm
 * packument. `clock` returns the time in milliseconds since the epoch, for `fetchedAt`. No file is read before the
 * first `read`, which throws a RegistryError if the folder or a file cannot be read.
 */
export function folderRegistry(folder: string, clock: () => number): Registry {
  return {
    async read(moduleId) {
      const path = join(folder, namespaceOf(moduleId), `${nameOf(moduleId)}.json`);
      const { bytes, stamp } = await readWhole(path).catch(async (error: unknown) => {
        throw isMissing(error) ? await missing(folder, moduleId, error) : unreadable(path, error);
      });
      const entries = entriesIn(bytes, path, moduleId);
      const list = lazyList(entries, {
        source: 'folder' as const,
        from: quote(folder),
        ...firstList(clock()),
      });
      // Hashing each file in each round would cost more than it is worth.
      noteOrigin(list.records, { address: folder, digest: stamp });
      return list;
    },
  };
}

const VERDICTS: Partial<Record<RegistryErrorKind, string>> = {
  'not-a-registry': 'is not a release list',
  'registry-regressed': 'is cut short',
  'list-too-large': 'is too large',
};

/** The content of a file, and text that changes with its size or its time of change. */
interface WholeFile {
  readonly bytes: Uint8Array;
  readonly stamp: string;
}

async function readWhole(path: string): Promise<WholeFile> {
  // Without O_NONBLOCK, opening a named pipe waits for its writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new RegistryError('unreadable-file', `${quote(path)} is not a file`);
    expectListSize(path, stats.size);
    const { size, mtimeMs } = stats;
    return { bytes: await file.readFile(), stamp: `${size} ${mtimeMs}` };
  } finally {
    await file.close();
  }
}

function entriesIn(bytes: Uint8Array, path: string, moduleId: ModuleId): ListEntries {
  try {
    expectParsable(bytes);
    return releaseEntries(parseJsonBytes(bytes), moduleId);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const message = `${quote(path)} ${VERDICTS[error.kind] ?? 'is not a release list'}: ${error.message}`;
    throw new RegistryError(error.kind, message, { cause: error });
  }
}

async function missing(folder: string, moduleId: ModuleId, cause: unknown): Promise<RegistryError> {
  const stats = await stat(folder).catch(() => undefined);
  if (!stats?.isDirectory()) {
    const verdict = stats ? 'is not a folder' : 'does not exist';
    const message = `the registry folder ${quote(folder)} ${verdict}`;
    return new RegistryError('unreadable-file', message, { cause });
  }
  return unknownModule(`the folder ${quote(folder)}`, moduleId, await modulesIn(folder));
}

/** The modules with a file; undefined if a folder cannot be listed, because the result would be incomplete. */
export async function modulesIn(folder: string): Promise<ModuleId[] | undefined> {
  try {
    const files = await readdir(folder, { withFileTypes: true });
    const folders = files.filter((file) => file.isDirectory() || file.isSymbolicLink());
    const perNamespace = folders.map(async ({ name: namespace }) => {
      const names = await readdir(join(folder, namespace));
      return names.flatMap((name) => {
        const id = parseModuleId(`${namespace}:${name.replace(/\.json$/, '')}`);
        return name.endsWith('.json') && id.ok ? [id.value] : [];
      });
    });
    return (await Promise.all(perNamespace)).flat();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

function unreadable(path: string, error: unknown): RegistryError {
  if (error instanceof RegistryError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return new RegistryError('unreadable-file', `cannot read ${quote(path)} (${code})`, {
    cause: error,
  });
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

import { quote } from '../../core/text/quote.ts';
import { wrongRelease } from './install-failure.ts';
import { checkLinks, pathOf, type SurveyedLink } from './archive-path.ts';
import { LIMITS } from './package-limits.ts';
import { badArchive } from './tar-header.ts';
import type { TarEntry } from './tar-entries.ts';

/** What an archive contains. */
export interface Survey {
  /**
   * The only top-level folder besides files of macOS, and a slash, which is not a part of the package; empty if there is more than
   * one entry at the top. What is not in it is not unpacked.
   */
  readonly top: string;
  /** Files, folders and links. */
  readonly entries: number;
  /** What they take on a disk, in bytes. */
  readonly bytes: number;
}

const DISK_BLOCK = 4096;

/**
 * Reads all entries and writes nothing. Throws a refusal unless every entry can be unpacked inside one folder, whatever their
 * order, and without overwriting another entry.
 */
export async function survey(entries: AsyncIterable<TarEntry>): Promise<Survey> {
  /** What each path is. The folders in the names of entries are included. */
  const kinds = new Map<string, TarEntry['kind']>();
  const links: SurveyedLink[] = [];
  let bytes = 0;
  let characters = 0;
  for await (const entry of entries) {
    const { kind, name, target, size } = entry;
    const path = pathOf(name);
    characters += name.length + target.length;
    if (path === '' && kind === 'folder') continue;
    if (size > LIMITS.file) {
      const reason = `the archive has the file ${quote(name)} of ${size} bytes, expected at most ${LIMITS.file}`;
      throw wrongRelease('too-large', reason);
    }
    addEntry(kinds, path, kind);
    if (kind === 'link' || kind === 'hard-link') links.push({ kind, path, target });
    if (kind === 'hard-link') checkHardLink(kinds, path, target);
    bytes += Math.ceil(size / DISK_BLOCK) * DISK_BLOCK;
    checkCounts(kinds.size, characters);
  }
  if (kinds.size === 0) throw badArchive('is empty');
  const top = topOf(kinds);
  checkLinks(links, top);
  return { top, entries: kinds.size, bytes: bytes + kinds.size * DISK_BLOCK };
}

function checkCounts(entries: number, characters: number): void {
  if (entries > LIMITS.entries) {
    throw wrongRelease('too-large', `the archive has more than ${LIMITS.entries} entries`);
  }
  if (characters > LIMITS.paths) {
    const reason = `the names in the archive have more than ${LIMITS.paths} characters`;
    throw wrongRelease('too-large', reason);
  }
}

function addEntry(
  kinds: Map<string, TarEntry['kind']>,
  path: string,
  kind: TarEntry['kind'],
): void {
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    addFolder(kinds, path.slice(0, slash));
  }
  if (kind === 'folder') {
    addFolder(kinds, path);
    return;
  }
  const other = kinds.get(path);
  if (other === 'folder') throw badArchive(`has ${quote(path)} as a folder and as something else`);
  if (other !== undefined) throw badArchive(`has ${quote(path)} twice`);
  kinds.set(path, kind);
}

/** A folder may be listed several times. */
function addFolder(kinds: Map<string, TarEntry['kind']>, path: string): void {
  const other = kinds.get(path) ?? 'folder';
  if (other === 'file') throw badArchive(`has ${quote(path)} as a folder and as something else`);
  if (other !== 'folder') throw badArchive(`writes through the link ${quote(path)}`);
  kinds.set(path, 'folder');
}

function checkHardLink(
  kinds: ReadonlyMap<string, TarEntry['kind']>,
  path: string,
  target: string,
): void {
  const kind = kinds.get(pathOf(target));
  const isFile = kind === 'file' || (kind === 'hard-link' && pathOf(target) !== path);
  if (isFile) return;
  const reason = `links ${quote(path)} to ${quote(target)}, which is no file before it`;
  throw badArchive(reason);
}

/** With files of macOS that are beside the only folder, a package begins in it (T356). Elsewhere they do no harm. */
function topOf(kinds: ReadonlyMap<string, TarEntry['kind']>): string {
  const tops = new Set(Array.from(kinds.keys(), (path) => path.split('/', 1)[0] ?? ''));
  const [top = '', ...others] = [...tops].filter((name) => !isOfMac(name, kinds.get(name)));
  return others.length === 0 && kinds.get(top) === 'folder' ? `${top}/` : '';
}

/** Whether it has what only macOS keeps about files: AppleDouble files of its tar, the folder of its zip archives, or how a folder is shown. */
function isOfMac(name: string, kind: TarEntry['kind'] | undefined): boolean {
  return kind === 'folder' ? name === '__MACOSX' : name.startsWith('._') || name === '.DS_Store';
}

import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open, rename, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../../files/sync.ts';
import { artifactFolder, artifactPath, asDiskError, incomingFolder } from './artifact-store.ts';
import { newPart } from './incoming-artifacts.ts';
import { lackOfSpace } from '../free-disk.ts';
import { SERVER_LIMITS } from '../server-limits.ts';

/** A file that is to be stored. */
export interface AnnouncedArtifact {
  readonly sha256: string;
  readonly size: number;
  /** Whether a release lists it already: what is left of a lost file is then replaced. */
  readonly isListed: boolean;
}

/** What else needs space on the disk, in bytes. */
interface SpaceNeeds {
  /** The bytes that must be free for other uploads. */
  readonly expected: number;
  /** What must stay free. */
  readonly freeDisk: number;
}

/** How the bytes differ from those that were announced. */
export type ArtifactMismatch =
  | { readonly kind: 'more-bytes' }
  | { readonly kind: 'fewer-bytes'; readonly size: number }
  | { readonly kind: 'other-digest'; readonly sha256: string };

/** Written to the disk at once, so that no large file waits in memory for the last write. */
const SYNC_BYTES = 32 * 1024 * 1024;

/**
 * Stores `bytes` beside the database at `path`. They get the name of a file only when they are complete, have the announced
 * digest, and are on the disk (T85). The result is what is wrong with them; nothing was stored then. Throws a DatabaseError
 * if they cannot be written, or if there is not enough space for them.
 */
export async function receiveArtifact(
  path: string,
  announced: AnnouncedArtifact,
  bytes: AsyncIterable<Uint8Array>,
  { expected = 0, freeDisk = SERVER_LIMITS.freeDisk }: Partial<SpaceNeeds> = {},
): Promise<ArtifactMismatch | undefined> {
  const incoming = incomingFolder(path);
  const lack = lackOfSpace(artifactFolder(path), { size: announced.size + expected, freeDisk });
  if (lack) throw lack;
  const { sha256, isListed } = announced;
  const part = newPart(incoming, sha256);
  try {
    const mismatch = await writePart(part.path, announced, bytes);
    if (mismatch) return mismatch;
    const place = isListed ? artifactPath(path, sha256) : `${incoming}/${sha256}`;
    await rename(part.path, place);
    syncFolder(dirname(place));
    return undefined;
  } catch (error) {
    throw asDiskError(path, error);
  } finally {
    rmSync(part.path, { force: true });
    part.end();
  }
}

async function writePart(
  part: string,
  announced: AnnouncedArtifact,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ArtifactMismatch | undefined> {
  // Fails if there is a file or a link with this name.
  const file = await open(part, 'wx', 0o600);
  try {
    const mismatch = await writeBytes(file, announced, bytes);
    if (!mismatch) await file.sync();
    return mismatch;
  } finally {
    await file.close();
  }
}

async function writeBytes(
  file: FileHandle,
  announced: AnnouncedArtifact,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ArtifactMismatch | undefined> {
  const hash = createHash('sha256');
  let size = 0;
  let synced = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > announced.size) return { kind: 'more-bytes' };
    hash.update(chunk);
    await file.writeFile(chunk);
    if (size - synced < SYNC_BYTES) continue;
    await file.datasync();
    synced = size;
  }
  if (size < announced.size) return { kind: 'fewer-bytes', size };
  const sha256 = hash.digest('hex');
  return sha256 === announced.sha256 ? undefined : { kind: 'other-digest', sha256 };
}

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { asDiskError, findArtifact } from './artifact-store.ts';

/** A file of the store, as its response began. */
export interface ServedArtifact {
  /** The path of the database. */
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

/** The file is not what it was when its response began. */
class ChangedArtifact extends Error {}

/**
 * The bytes of a file from `first` to `last`, slice by slice: the next one is read when the client has taken the one before.
 * The file is opened for each slice, so that a client that reads slowly keeps no file open. `size` returns the size of the
 * next slice. If the file cannot be read any more, `failed` is called, and the stream never ends: end the connection then,
 * because the client would take another ending for the end of the file.
 */
export function artifactBody(
  artifact: ServedArtifact,
  { first, last }: { readonly first: number; readonly last: number },
  { size, failed }: { readonly size: () => number; readonly failed: (error: unknown) => void },
): ReadableStream<Uint8Array> {
  let sent = first;
  let isCancelled = false;
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const slice = await readSlice(artifact, sent, Math.min(size(), last + 1 - sent));
          if (isCancelled) return;
          controller.enqueue(slice);
          sent += slice.length;
          if (sent > last) controller.close();
        } catch (error) {
          if (isCancelled) return;
          // The log names what failed (T121).
          failed(asDiskError(artifact.path, error));
          await new Promise(() => undefined);
        }
      },
      cancel() {
        // The client has hung up.
        isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
}

async function readSlice(
  { path, sha256, size }: ServedArtifact,
  at: number,
  length: number,
): Promise<Uint8Array> {
  // Publishing moves a file.
  const found = findArtifact(path, sha256);
  if (found?.size !== size) throw new ChangedArtifact(`sha256:${sha256} has changed on the disk`);
  const file = await open(found.path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) throw new ChangedArtifact(`sha256:${sha256} ends early on the disk`);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { excerpt } from '../../core/text/quote.ts';
import { wrongRelease } from './install-failure.ts';
import { badArchive } from './tar-header.ts';
import { LIMITS } from './package-limits.ts';
import { dividedAtFrames } from './zstd-frames.ts';

/** The longest part of the content. With 64 KiB, an archive takes up to 93 MiB of memory instead of 51, because V8 frees what was read later. */
export const CHUNK_BYTES: number = 16 * 1024;
/** A window of 32 MiB. zstd needs the memory of one window, and uses 8 MiB at level 19. */
const LARGEST_WINDOW = 25;

/** The content of the archive at `path`, chunk by chunk. Throws a refusal if it is damaged or too large. */
export async function* decompressed(
  path: string,
  compression: 'gzip' | 'zstd',
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  const chunkSize = CHUNK_BYTES;
  const decompress =
    compression === 'gzip'
      ? createGunzip({ chunkSize })
      : createZstdDecompress({
          chunkSize,
          params: { [constants.ZSTD_d_windowLogMax]: LARGEST_WINDOW },
        });
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES, signal });
  // Errors arrive at the loop, since all streams are destroyed with the same one.
  pipeline(compression === 'zstd' ? dividedAtFrames(file) : file, decompress, () => undefined);
  let size = 0;
  try {
    for await (const chunk of decompress as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > LIMITS.unpacked) {
        throw wrongRelease(
          'too-large',
          `the archive has more than ${LIMITS.unpacked} bytes when unpacked`,
        );
      }
      yield chunk;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !/^(?:Z_|ZSTD_)/.test(code)) throw error;
    throw badArchive(`cannot be decompressed (${excerpt(code)})`);
  }
}

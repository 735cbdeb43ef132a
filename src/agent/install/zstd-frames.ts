import { wrongRelease } from './install-failure.ts';
import { LIMITS } from './package-limits.ts';
import { badArchive } from './tar-header.ts';

const MAGIC = 0xfd2fb528;
/** The first of 16 numbers that begin a frame without content. */
const SKIPPABLE = 0x184d2a50;
/** The type of a block that repeats its only byte. */
const REPEATED_BYTE = 1;
/** The bytes of the size of a frame, and of the id of its dictionary, by their bits in its descriptor. */
const SIZE_BYTES = [0, 2, 4, 8];
const DICTIONARY_BYTES = [0, 1, 2, 4];
const CHECKSUM_BYTES = 4;

/** What is read next: bytes that say what follows them, or so many whose values do not matter, or the next frame. */
type Reading =
  { readonly kind: 'take' | 'skip'; readonly length: number } | { readonly kind: 'next-frame' };

/**
 * The chunks of a file of zstd, divided where a frame ends: Node ignores what follows a frame in the same chunk (T355). Nothing
 * is checked but how many frames there are, and that nothing else follows one: other damage reaches the decompressor as it is.
 */
export async function* dividedAtFrames(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void> {
  const frames = framesOf();
  let { value: reading } = frames.next(Buffer.alloc(0));
  let taken = Buffer.alloc(0);
  let missing = lengthOf(reading);
  let count = 0;
  for await (const chunk of chunks) {
    let begin = 0;
    for (let at = 0; reading && at < chunk.length;) {
      const part = chunk.subarray(at, at + missing);
      at += part.length;
      missing -= part.length;
      if (reading.kind === 'take') taken = Buffer.concat([taken, part]);
      if (missing > 0) continue;
      ({ value: reading } = frames.next(taken));
      // Node 26 ignores it.
      if (!reading && count > 0) throw badArchive('has bytes after a frame of zstd that are none');
      if (reading?.kind === 'next-frame') {
        count += 1;
        checkCount(count);
        yield chunk.subarray(begin, at);
        begin = at;
        ({ value: reading } = frames.next(taken));
      }
      taken = Buffer.alloc(0);
      missing = lengthOf(reading);
    }
    if (begin < chunk.length) yield chunk.subarray(begin);
  }
}

function lengthOf(reading: Reading | void): number {
  return reading === undefined || reading.kind === 'next-frame' ? 0 : reading.length;
}

/** Tiny frames cost far more time than their bytes. */
function checkCount(frames: number): void {
  if (frames <= LIMITS.frames) return;
  throw wrongRelease('too-large', `the archive has more than ${LIMITS.frames} frames of zstd`);
}

/** The parts of the frames of a file (RFC 8878, 3.1). Gets the bytes of each part that it takes. Ends at what is no frame. */
function* framesOf(): Generator<Reading, void, Buffer> {
  for (;;) {
    const magic = (yield { kind: 'take', length: 4 }).readUInt32LE();
    if ((magic & ~0xf) >>> 0 === SKIPPABLE) {
      const size = (yield { kind: 'take', length: 4 }).readUInt32LE();
      if (size > 0) yield { kind: 'skip', length: size };
    } else if (magic !== MAGIC || !(yield* blocksOfFrame())) {
      return;
    }
    yield { kind: 'next-frame' };
  }
}

/** The parts of one frame after its first four bytes. Returns whether it is one. */
function* blocksOfFrame(): Generator<Reading, boolean, Buffer> {
  const descriptor = (yield { kind: 'take', length: 1 }).readUInt8();
  const isOneSegment = (descriptor & 0x20) !== 0;
  const sizeBytes = SIZE_BYTES[descriptor >> 6] || (isOneSegment ? 1 : 0);
  const dictionary = DICTIONARY_BYTES[descriptor & 3] ?? 0;
  const rest = (isOneSegment ? 0 : 1) + dictionary + sizeBytes;
  if (rest > 0) yield { kind: 'skip', length: rest };
  for (let isLast = false; !isLast;) {
    const block = (yield { kind: 'take', length: 3 }).readUIntLE(0, 3);
    isLast = (block & 1) === 1;
    const type = (block >> 1) & 3;
    const length = type === REPEATED_BYTE ? 1 : block >> 3;
    if (type > 2) return false;
    if (length > 0) yield { kind: 'skip', length };
  }
  if ((descriptor & 4) !== 0) yield { kind: 'skip', length: CHECKSUM_BYTES };
  return true;
}

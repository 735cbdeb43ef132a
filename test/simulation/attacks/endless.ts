import type { VirtualClock } from '../../../src/testing/index.ts';
import type { Work } from './work.ts';

/** What a machine took of answers that do not end. */
export interface Counted {
  /** Of the longest, in bytes. */
  most: number;
  /** For how long it read one, in milliseconds. */
  longest: number;
}

/** How an answer comes. */
export interface Pace {
  readonly bytes: number;
  /** Between two chunks, in milliseconds. */
  readonly everyMs: number;
}

const CHUNK = 16 * 1024;

/** An answer that goes on for as long as somebody reads it: at once, or slowly. */
export function endless(
  isFile: boolean,
  counted: Counted,
  { bytes: size, everyMs }: Pace = { bytes: CHUNK, everyMs: 0 },
  { clock, work }: { readonly clock: VirtualClock; readonly work: Work },
): Response {
  const first = new TextEncoder().encode(isFile ? '#!/bin/sh\n' : '{"releases":["');
  const more = new Uint8Array(size).fill(0x61);
  const begin = clock.monotonic();
  let bytes = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (bytes > 0 && everyMs > 0) {
          await work.waiting(async () => await clock.sleep(everyMs));
        }
        const chunk = bytes === 0 ? first : more;
        bytes += chunk.length;
        counted.most = Math.max(counted.most, bytes);
        counted.longest = Math.max(counted.longest, clock.monotonic() - begin);
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  const type = isFile ? 'application/octet-stream' : 'application/json';
  return new Response(stream, { headers: { 'content-type': type } });
}

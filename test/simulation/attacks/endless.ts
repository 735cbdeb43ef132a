/** How much a machine took of answers that do not end. */
export interface Counted {
  /** Of the longest, in bytes. */
  most: number;
}

const CHUNK = 16 * 1024;

/** An answer that goes on for as long as somebody reads it. */
export function endless(isFile: boolean, counted: Counted): Response {
  const first = new TextEncoder().encode(isFile ? '#!/bin/sh\n' : '{"releases":["');
  const more = new Uint8Array(CHUNK).fill(0x61);
  let bytes = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = bytes === 0 ? first : more;
        bytes += chunk.length;
        counted.most = Math.max(counted.most, bytes);
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  const type = isFile ? 'application/octet-stream' : 'application/json';
  return new Response(stream, { headers: { 'content-type': type } });
}

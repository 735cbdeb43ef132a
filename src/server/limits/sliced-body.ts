/**
 * A body that is sent slice by slice: the next one when the client has taken the one before. Nothing is copied, which
 * `new Response(bytes)` does, so any number of responses share the bytes. `size` returns the size of the next slice.
 */
export function slicedBody(
  bytes: Uint8Array<ArrayBuffer>,
  size: () => number,
): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream(
    {
      pull(controller) {
        controller.enqueue(bytes.subarray(sent, (sent += size())));
        if (sent >= bytes.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

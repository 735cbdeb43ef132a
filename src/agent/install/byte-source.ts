/** Bytes that are read in portions of any length. */
export interface ByteSource {
  /** The next `length` bytes; undefined at the end. Throws the error of `cutShort` if the end is within them. */
  readonly take: (length: number) => Promise<Buffer | undefined>;
  /** The next `length` bytes, part by part. Throws the error of `cutShort` if the end is within them. */
  readonly parts: (length: number) => AsyncGenerator<Buffer, void>;
  /** All that is left, part by part. */
  readonly rest: () => AsyncGenerator<Buffer, void>;
}

export function byteSource(bytes: AsyncIterable<Buffer>, cutShort: () => Error): ByteSource {
  const chunks = bytes[Symbol.asyncIterator]();
  let chunk: Buffer = Buffer.alloc(0);
  /** Up to `length` bytes; undefined at the end. */
  const some = async (length: number): Promise<Buffer | undefined> => {
    while (chunk.length === 0) {
      const next = await chunks.next();
      if (next.done === true) return undefined;
      chunk = next.value;
    }
    const part = chunk.subarray(0, length);
    chunk = chunk.subarray(part.length);
    return part;
  };
  async function* parts(length: number): AsyncGenerator<Buffer, void> {
    for (let left = length; left > 0;) {
      const part = await some(left);
      if (!part) throw cutShort();
      left -= part.length;
      yield part;
    }
  }
  return {
    async take(length) {
      const first = await some(length);
      if (!first || first.length === length) return first;
      const all = [first];
      for await (const part of parts(length - first.length)) all.push(part);
      return Buffer.concat(all);
    },
    parts,
    async *rest() {
      for (let part = await some(Infinity); part; part = await some(Infinity)) yield part;
    },
  };
}

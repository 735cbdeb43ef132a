/** The beginning of a program for a CPU: 62 is x86-64, 183 is AArch64. */
export function elf(machine: number, format: 1 | 2 = 2): Buffer {
  const head = Buffer.alloc(64);
  head.write('\x7fELF', 0, 'latin1');
  head[4] = format;
  head[5] = 1;
  head.writeUInt16LE(2, 16);
  head.writeUInt16LE(machine, 18);
  head.writeUInt32LE(0x40_1000, 24);
  return head;
}

/** The beginning of a program for the CPU of this machine that needs a loader. */
export function elfWithLoader(loader: string): Buffer {
  const head = elf(process.arch === 'arm64' ? 183 : 62);
  head.writeBigUInt64LE(64n, 32);
  head.writeUInt16LE(56, 54);
  head.writeUInt16LE(2, 56);
  // Two segments, of which the second has the path of the loader behind it.
  const segments = Buffer.alloc(2 * 56);
  segments.writeUInt32LE(1, 0);
  segments.writeUInt32LE(3, 56);
  segments.writeBigUInt64LE(BigInt(64 + segments.length), 56 + 8);
  segments.writeBigUInt64LE(BigInt(loader.length + 1), 56 + 32);
  return Buffer.concat([head, segments, Buffer.from(`${loader}\0`)]);
}

/** A program for a CPU of which 4,096 bytes are loaded, as far as `length` bytes of it go. */
export function cutElf(machine: number, length: number): Buffer {
  const whole = Buffer.alloc(4096);
  elf(machine).copy(whole);
  whole.writeBigUInt64LE(64n, 32);
  whole.writeUInt16LE(56, 54);
  whole.writeUInt16LE(1, 56);
  whole.writeUInt32LE(1, 64);
  whole.writeBigUInt64LE(4096n, 64 + 32);
  return whole.subarray(0, length);
}

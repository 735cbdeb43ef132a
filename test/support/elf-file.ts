/** The beginning of a program for a CPU: 62 is x86-64, 183 is AArch64. */
export function elf(machine: number, format: 1 | 2 = 2): Buffer {
  const head = Buffer.alloc(64);
  head.write('\x7fELF', 0, 'latin1');
  head[4] = format;
  head[5] = 1;
  head.writeUInt16LE(machine, 18);
  return head;
}

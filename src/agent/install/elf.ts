import type { Platform } from '../../core/index.ts';

/** The machine that a program of Linux is for: a platform, or the numbers of another one. */
export type Machine = Platform | `machine ${number}, ${32 | 64} bits`;

const MACHINES: ReadonlyMap<number, Platform> = new Map([
  [62, 'linux/amd64'],
  [183, 'linux/arm64'],
]);
const LEAST_BYTES = 20;

/** The machine of a program, by its first bytes; undefined for any other file (ELF, e_machine). */
export function machineOf(head: Buffer): Machine | undefined {
  if (head.length < LEAST_BYTES || head.toString('latin1', 0, 4) !== '\x7fELF') return undefined;
  const bits = head[4] === 2 ? 64 : 32;
  const isLittle = head[5] === 1;
  const machine = isLittle ? head.readUInt16LE(18) : head.readUInt16BE(18);
  const platform = bits === 64 && isLittle ? MACHINES.get(machine) : undefined;
  return platform ?? `machine ${machine}, ${bits} bits`;
}

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { excerpt } from '../../core/text/quote.ts';

/** Longer than the first line of any script that Linux starts. */
const HEAD_BYTES = 256;
/** Where an ELF file names its machine, and the machines that modules run on. */
const ELF_MACHINE_AT = 18;
const ELF_MACHINES: Readonly<Record<string, number>> = { x64: 0x3e, arm64: 0xb7 };

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it is not executable for this user',
};

/**
 * Why the file at `path` cannot be run as a program of this machine, in words; undefined if it can. The system's own check
 * is not enough: a file that is neither a script with `#!` nor a program is run by a shell, and an empty one succeeds.
 */
export function whyNotRunnable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? formatError(headOf(path)) : 'it is not a file';
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return WORDS[code] ?? code;
  }
}

function formatError(head: Buffer): string | undefined {
  if (head.subarray(0, 4).equals(Buffer.from('\u007fELF'))) {
    const machine = head.length > ELF_MACHINE_AT ? head.readUInt16LE(ELF_MACHINE_AT) : undefined;
    return machine === ELF_MACHINES[process.arch]
      ? undefined
      : 'it is a program of another machine';
  }
  const [, interpreter] = /^#![ \t]*([^ \t\n]+)/.exec(head.toString('latin1')) ?? [];
  if (interpreter === undefined) return 'it has no first line such as #!/bin/sh';
  if (interpreter.endsWith('\r')) return 'its first line ends with a carriage return';
  if (existsSync(interpreter)) return undefined;
  return `its first line names ${excerpt(interpreter)}, which does not exist`;
}

function headOf(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(file, head));
  } finally {
    closeSync(file);
  }
}

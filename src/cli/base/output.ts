import { fstatSync, writeSync } from 'node:fs';

/** Standard output or standard error of a command. */
export interface Output {
  /** Whether it is a terminal. */
  readonly isTTY: boolean;
  /** The width of a terminal. */
  readonly columns: number;
  /** The stream of Node. The first call makes it, which takes 3 ms of CPU time. */
  readonly stream: () => NodeJS.WriteStream;
  readonly write: (text: string) => void;
  /** Writes what a command ends with. */
  readonly finish: (text: string) => void;
}

/** A pipe takes that many bytes at once or none. */
const MOST_BYTES = 4096;
/** `/dev/null` of Linux. */
const NULL_DEVICE = 0x103;
const FD = { stdout: 1, stderr: 2 } as const;

/**
 * The output of `process`. What a command ends with is written without a stream if it is short, no stream was made before, and the output
 * is a file or a pipe (D431).
 */
export function outputOf(
  process: NodeJS.Process,
  name: 'stdout' | 'stderr',
  onError: (error: NodeJS.ErrnoException) => void,
): Output {
  let made: NodeJS.WriteStream | undefined;
  const stream = (): NodeJS.WriteStream => {
    made ??= process[name].on('error', onError);
    return made;
  };
  // Only this process has these descriptors.
  const fd = process === globalThis.process && isFileOrPipe(FD[name]) ? FD[name] : undefined;
  const write = (text: string): void => void stream().write(text);
  return {
    get isTTY() {
      return fd === undefined && stream().isTTY;
    },
    get columns() {
      return fd === undefined ? stream().columns : NaN;
    },
    stream,
    write,
    finish: (text) => {
      if (fd === undefined || made) return write(text);
      const rest = writeShort(fd, Buffer.from(text));
      // The stream waits for a reader, and says what is wrong.
      if (rest.length > 0) stream().write(rest);
    },
  };
}

function isFileOrPipe(fd: number): boolean {
  try {
    const found = fstatSync(fd);
    return found.isFile() || found.isFIFO() || found.rdev === NULL_DEVICE;
  } catch {
    return false;
  }
}

/** Writes a short text at once, and returns what is left of it: all of a long one, and what could not be written. */
export function writeShort(fd: number, text: Buffer): Buffer {
  if (text.length > MOST_BYTES) return text;
  let rest = text;
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
  } catch {
    return rest;
  }
  return rest;
}

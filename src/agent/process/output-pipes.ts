import { spawn } from 'node:child_process';
import { closeSync, constants, fchownSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { RunAs } from './run-as.ts';

/** The pipes of a program, which has not been started yet. */
export interface OutputPipes {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The ends for the program: its stdout and stderr. */
  readonly ends: readonly [number, number];
  /** Closes these ends here. The others end once the program and what it gave them to have closed theirs. */
  readonly closeEnds: () => void;
}

/** A shell with two pipes as its 4 and 5. It writes its id, and ends when its 3 is closed. */
const MAKER = `: | { exec 4<&0; : | exec /bin/sh -c 'exec 5<&0; echo $$; read -r _ <&3'; }`;

/**
 * Creates pipes of a user, who can then open them as /dev/stdout and /dev/stderr. Those of Node are sockets, which nobody
 * can open (T347). Undefined if this machine gives none.
 */
export async function outputPipes(owner: RunAs | undefined): Promise<OutputPipes | undefined> {
  const opened: number[] = [];
  const open = (path: string, flags: number): number => {
    const file = openSync(path, flags);
    opened.push(file);
    return file;
  };
  const pipe = (path: string): { readonly from: number; readonly to: number } => {
    // Without a reader, opening the other end would wait.
    const from = open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const to = open(path, constants.O_WRONLY);
    if (owner) fchownSync(to, owner.uid, owner.gid);
    return { from, to };
  };
  try {
    return await withMaker((folder) => {
      const [out, err] = [pipe(`${folder}/4`), pipe(`${folder}/5`)];
      return {
        stdout: readerOf(out.from),
        stderr: readerOf(err.from),
        ends: [out.to, err.to],
        closeEnds: () => [out.to, err.to].forEach((file) => closeSync(file)),
      };
    });
  } catch {
    // The program gets Node's sockets, and runs.
    for (const file of opened) closeSync(file);
    return undefined;
  }
}

function readerOf(file: number): Readable {
  return new Socket({ fd: file, readable: true, writable: false });
}

/** Calls `use` with the folder of the open files of a maker, which ends afterwards. */
async function withMaker<T>(use: (folder: string) => T): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const maker = spawn('/bin/sh', ['-c', MAKER], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  });
  maker.once('error', reject);
  maker.stdout?.once('data', (id: Buffer) => {
    try {
      resolve(use(`/proc/${Number(id.toString())}/fd`));
    } catch (error) {
      reject(error);
    }
  });
  maker.stdout?.once('end', () => reject(new Error('the shell wrote nothing')));
  try {
    return await promise;
  } finally {
    maker.stdio[3]?.destroy();
  }
}

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Row } from './row.ts';

/** A line of a detail table. */
export type Line = Readonly<Record<string, string | number>>;

/** What a part measured. */
export interface Measured {
  /** The result in one line, for the table below it. */
  readonly headline?: string;
  readonly details?: readonly Line[];
  /** Messages of a separate process. */
  readonly log?: string;
  /** The rows for docs/benchmarks.md. */
  readonly rows: readonly Row[];
}

/** A part of a benchmark. */
export interface Part {
  readonly name: string;
  /** The name of its table in docs/benchmarks.md. */
  readonly section: string;
  /** Whether its details are printed, and not only written to the file. */
  readonly isPrinted?: boolean;
  readonly measure: () => Measured | Promise<Measured>;
}

const LARGEST_OUTPUT = 2 ** 24;
const run = promisify(execFile);

/** Runs a script of this folder in a separate process. It prints its rows as JSON. */
export function script(name: string, ...args: readonly string[]): Part['measure'] {
  return async () => {
    const { stdout, stderr } = await node(name, ...args);
    return { rows: JSON.parse(stdout) as Row[], log: stderr };
  };
}

/** Runs a script of this folder with `--expose-gc`. */
export async function node(
  name: string,
  ...args: readonly string[]
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const command = ['--expose-gc', join(import.meta.dirname, name), ...args];
  return await run(process.execPath, command, { encoding: 'utf8', maxBuffer: LARGEST_OUTPUT });
}

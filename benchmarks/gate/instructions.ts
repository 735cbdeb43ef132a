import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Kernel } from './kernels.ts';

/** The script that runs a kernel, in a copy of the sources. */
export const KERNEL_SCRIPT = 'benchmarks/gate/run-kernel.ts';

/** Without threads, timed collections and random seeds, the same program executes the same instructions. */
const DETERMINISTIC = ['--single-threaded', '--predictable', '--hash-seed=1', '--random-seed=1'];

/**
 * The instructions of one run of `kernel`, as the package in the folder `root` executes it. The least of its slices
 * counts, because V8 collects garbage or compiles in some of them. Throws if valgrind is not installed.
 */
export async function instructionsOf(
  { name, runs }: Pick<Kernel, 'name' | 'runs'>,
  root: string,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-gate-'));
  try {
    const callgrind = [
      '--quiet',
      '--tool=callgrind',
      '--instr-atstart=no',
      '--dump-before=umask',
      `--callgrind-out-file=${join(folder, 'slice')}`,
    ];
    const script = join(root, KERNEL_SCRIPT);
    // The files of the kernel itself go into the same folder. The number of other variables must not matter.
    const env = { PATH: process.env['PATH'], TMPDIR: folder };
    const command = [...callgrind, process.execPath, ...DETERMINISTIC, script, name];
    await promisify(execFile)('valgrind', command, { cwd: root, env });
    return Math.round(Math.min(...slicesIn(folder)) / runs);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The counts of the slices. Callgrind numbers its files; those with an even number end with a slice. */
function slicesIn(folder: string): number[] {
  return readdirSync(folder).flatMap((file) => {
    const [, number] = /^slice\.(\d+)$/.exec(file) ?? [];
    if (number === undefined || Number(number) % 2 === 1) return [];
    const [, total] = /^totals: (\d+)$/m.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
    return total === undefined ? [] : [Number(total)];
  });
}

import { spawn } from 'node:child_process';
import { join } from 'node:path';

const TOOL = join(import.meta.dirname, 'run.ts');

/** Runs the tool in `count` processes with the arguments of each. The first that fails ends the others; false then. */
export async function inProcesses(
  count: number,
  argumentsOf: (worker: number) => readonly string[],
): Promise<boolean> {
  const children = Array.from({ length: count }, (_, worker) =>
    spawn(process.execPath, [...process.execArgv, TOOL, ...argumentsOf(worker)], {
      stdio: 'inherit',
    }),
  );
  const ends = children.map(async (child) => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
    const isGood = await promise;
    if (!isGood) for (const other of children) other.kill();
    return isGood;
  });
  return (await Promise.all(ends)).every(Boolean);
}

import { exitCodeOf, formatProblem, problemAsJson } from '../../src/cli/problem.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import type { World } from '../../src/cli/world.ts';
import { quietWorld } from './quiet-world.ts';

/** What a command prints, line by line, and its exit code. */
export interface Printed {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  readonly exit: number;
}

/** Runs a command in this process. `world` replaces parts of a quiet world on linux/arm64. */
export async function printed(
  args: readonly string[],
  world: Partial<World> = {},
): Promise<Printed> {
  const outcome = await runCommandLine(args, { ...quietWorld('linux/arm64'), ...world });
  const { answer, notes, problems } = outcome;
  const lines = args.includes('--json')
    ? problems.map(problemAsJson)
    : problems.flatMap(formatProblem);
  return { stdout: answer, stderr: [...notes, ...lines], exit: exitCodeOf(outcome) };
}

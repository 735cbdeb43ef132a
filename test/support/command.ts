import { exitCodeOf, formatProblem, problemAsJson } from '../../src/base/problem.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import type { World } from '../../src/base/world.ts';
import { quietWorld } from './quiet-world.ts';
import { NOON, site, type Site } from './site.ts';

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

/** The plan at noon of a machine whose report says what is deployed. */
export async function planned(described: Site, ...options: readonly string[]): Promise<Printed> {
  const folder = site(described);
  const files = [`${folder}/machine.json`, '--deployed', `${folder}/deployed.json`];
  // The clock says when releases were first seen.
  const world = { clock: () => Date.parse('2026-11-21T12:00:00Z') };
  const plan = await printed(['plan', ...files, ...NOON, ...options], world);
  const shown = (lines: readonly string[]): string[] =>
    lines.map((line) => line.replaceAll(folder, '.'));
  return { ...plan, stdout: shown(plan.stdout), stderr: shown(plan.stderr) };
}

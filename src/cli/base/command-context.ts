import type { Command } from 'commander';
import type { Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';

/** What the commands of a program share. */
export interface CommandContext {
  readonly world: World;
  /** Adds the options that every command has. */
  readonly common: (command: Command) => Command;
  /** Adds the options that select the registry. */
  readonly registry: (command: Command) => Command;
  readonly finish: (outcome: Outcome) => void;
}

/** Runs a command line, as `runCommandLine` does. */
export type RunCommand = (argv: readonly string[], world: World) => Promise<Outcome>;

import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

/** Adds `--db` and the options that every command has. */
export function withFile(command: Command, { common }: CommandContext): Command {
  return common(command).option(
    '--db <file>',
    "the registry's file (default: $PLATFORM_HOME/registry.db)",
  );
}

/** For a command that can create the file. */
export function withNewFile(command: Command, context: CommandContext): Command {
  return withFile(command, context).option(
    '--create',
    'create the file of --db if it does not exist',
  );
}

/** Collects the values of a repeatable option. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

import type { Command } from 'commander';
import { commandLine } from '../../src/cli/program.ts';
import { quietWorld } from '../../test/support/quiet-world.ts';

/** A command as its help shows it: what manual pages are written from. */
export interface CommandPage {
  /** `['modreg', 'registry', 'publish']` */
  readonly path: readonly string[];
  readonly description: string;
  /** `<module_id> [version] [options]` */
  readonly usage: string;
  readonly options: readonly OptionPage[];
  readonly commands: readonly CommandPage[];
  /** What the help has before and after usage, options and commands: examples, notes. */
  readonly notes: readonly string[];
}

export interface OptionPage {
  /** `-n, --lines <number>` */
  readonly flags: string;
  readonly description: string;
}

/** `modreg` with all its commands. */
export function commandTree(): CommandPage {
  const printed: string[] = [];
  const context = { world: quietWorld('linux/x64'), finish: () => undefined };
  return pageOf(commandLine([], printed, context), [], printed);
}

function pageOf(command: Command, parents: readonly string[], printed: string[]): CommandPage {
  const help = command.createHelp();
  const path = [...parents, command.name()];
  return {
    path,
    description: command.description(),
    usage: command.usage(),
    options: help
      .visibleOptions(command)
      .map((option) => ({ flags: option.flags, description: help.optionDescription(option) })),
    commands: command.commands.map((one) => pageOf(one, path, printed)),
    notes: notesOf(command, printed),
  };
}

function notesOf(command: Command, printed: string[]): string[] {
  printed.length = 0;
  command.outputHelp();
  return printed
    .join('')
    .split(command.helpInformation())
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

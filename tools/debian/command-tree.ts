import type { Command } from 'commander';
import { commandLine } from '../../src/cli/program.ts';
import { quietWorld } from '../../test/support/quiet-world.ts';

/** A command as its help shows it: what manual pages and completions are written from. */
export interface CommandPage {
  /** `['modreg', 'registry', 'publish']` */
  readonly path: readonly string[];
  readonly description: string;
  /** `<module_id> [version] [options]` */
  readonly usage: string;
  /** What its arguments may be, for those that are one of a few words. */
  readonly choices: readonly string[];
  readonly options: readonly OptionPage[];
  readonly commands: readonly CommandPage[];
  /** What the help has before and after usage, options and commands: examples, notes. */
  readonly notes: readonly string[];
}

export interface OptionPage {
  /** `-n, --lines <number>` */
  readonly flags: string;
  /** `['-n', '--lines']` */
  readonly names: readonly string[];
  readonly description: string;
  /** What its value may be; empty if that is not limited to a few words. */
  readonly choices: readonly string[];
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
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    options: help
      .visibleOptions(command)
      .map((option) => ({
        flags: option.flags,
        names: [option.short, option.long].filter((name) => name !== undefined),
        description: help.optionDescription(option),
        choices: option.argChoices ?? [],
      })),
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

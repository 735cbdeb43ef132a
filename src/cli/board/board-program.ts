import type { Command } from 'commander';
import { machinePath } from '../../host/machine-path.ts';
import { MACHINE } from '../base/shared-options.ts';
import type { CommandContext } from '../base/command-context.ts';
import type { BoardOptions } from './board-command.ts';

const EXAMPLES = `Examples:
  modreg board machine.json
  modreg board machine.json --once
  modreg board machine.json --json
`;

/** Adds `modreg board`. */
export function addBoard(modreg: Command, { world, common, finish }: CommandContext): void {
  common(modreg.command('board').argument(...MACHINE))
    .description(
      'Shows what the fake boards of a machine read, each second, until it is stopped. A fake board needs no hardware.',
    )
    .option('--once', 'show it once')
    .addHelpText('before', EXAMPLES)
    .action(async (file: string | undefined, options: BoardOptions) => {
      const { boardCommand } = await import('./board-command.ts');
      finish(await boardCommand(machinePath(file, world), options, world));
    });
}

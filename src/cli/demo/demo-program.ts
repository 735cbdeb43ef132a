import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../base/command-context.ts';
import type { DemoOptions } from './demo-command.ts';

const EXAMPLES = `Examples:
  modreg demo
  modreg demo --fast
`;

/** Adds `modreg demo`, which runs other commands with `run`. */
export function addDemo(
  modreg: Command,
  { world, common, finish }: CommandContext,
  run: RunCommand,
): void {
  common(modreg.command('demo'))
    .description(
      'Shows in a minute what modreg does, with a registry and an agent of its own on this machine.',
    )
    .option('--fast', 'without time to read each step')
    .addHelpText('before', EXAMPLES)
    .action(async (options: DemoOptions) => {
      const { demoCommand } = await import('./demo-command.ts');
      finish(await demoCommand(options, world, run));
    });
}

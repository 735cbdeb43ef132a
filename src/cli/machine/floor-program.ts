import type { Command } from 'commander';
import type { CommandContext } from '../base/command-context.ts';
import type { FloorSkipOptions } from './floor-command.ts';

const EXAMPLES = `Examples:
  modreg floor skip acme:lidar 1.2.0 --reason 'its migration was done by hand'
  modreg floor skip acme_lidar 1.2.0 --cancel
`;

export function addFloor(modreg: Command, { world, common, finish }: CommandContext): void {
  const floor = modreg
    .command('floor')
    .description('Lets modules pass releases that they have to run before any higher one.');
  common(floor.command('skip <module> <version>'))
    .description(
      'Passes a floor that cannot run on this machine, without running it. <module> is the name of its entry or its module_id.',
    )
    .option('--reason <text>', 'why, as plan and why show it')
    .option('--cancel', 'let the floor count again')
    .addHelpText('before', EXAMPLES)
    .action(async (module: string, version: string, options: FloorSkipOptions) => {
      const { floorSkipCommand } = await import('./floor-command.ts');
      finish(floorSkipCommand([module, version], options, world));
    });
}

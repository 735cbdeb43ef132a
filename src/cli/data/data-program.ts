import type { Command } from 'commander';
import type { CommandContext } from '../base/command-context.ts';

const EXAMPLES = `Examples:
  modreg data move local/lidar lidar
  modreg data move rover-1/lidar front-lidar
`;

export function addData(modreg: Command, { world, common, finish }: CommandContext): void {
  const data = modreg.command('data').description('Moves the data that modules keep.');
  common(data.command('move <folder> <module>'))
    .description(
      "Moves what a module kept under another id of the machine, or another name of its entry, to the folder that it uses now. <folder> is below module-data, as modreg doctor names it; <module> is the name of its entry or its module_id. Refused while an agent runs, or if the module's folder is not empty.",
    )
    .addHelpText('before', EXAMPLES)
    .action(async (folder: string, module: string, options: { json?: true }) => {
      const { dataMoveCommand } = await import('./data-move-command.ts');
      finish(dataMoveCommand([folder, module], options, world));
    });
}

import type { Command } from 'commander';
import type { CommandContext } from '../base/command-context.ts';
import type { AddOptions } from './add-command.ts';

const EXAMPLES = `Examples:
  modreg add acme:lidar
  modreg add acme:lidar machine.json --dry-run
  modreg add acme:lidar --version '1.2.*' --name front_lidar
`;

/** Adds `modreg add`. */
export function addAdd(modreg: Command, { world, registry, finish }: CommandContext): void {
  registry(modreg.command('add'))
    .argument('<module_id>')
    .argument('[machine.json]', 'the machine config', 'machine.json')
    .description(
      'Adds a module to a machine config, pinned to its newest release, so that it does not update by itself. Keeps comments.',
    )
    .option('--name <name>', 'the name of the entry (default: <namespace>_<module_name>)')
    .option('--version <constraint>', 'which releases it accepts (default: only the newest one)')
    .option('--platform <platform>', "linux/amd64 or linux/arm64 (default: this machine's)")
    .option('--dry-run', 'show the change without making it')
    .addHelpText('before', EXAMPLES)
    .action(async (moduleId: string, file: string, options: AddOptions) => {
      const { addCommand } = await import('./add-command.ts');
      finish(await addCommand(moduleId, file, options, world));
    });
}

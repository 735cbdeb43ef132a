import type { Command } from 'commander';
import { withDocuments } from '../../host/machine-path.ts';
import { MACHINE } from '../base/shared-options.ts';
import type { CommandContext } from '../base/command-context.ts';
import type { AddOptions } from './add-command.ts';
import type { EntryOptions } from './entry-command.ts';

const ADD_EXAMPLES = `Examples:
  modreg add acme:lidar
  modreg add acme:lidar machine.json --dry-run
  modreg add acme:lidar --version '1.2.*' --name front_lidar
`;

const SET_EXAMPLES = `Examples:
  modreg set acme:lidar '1.2.*'
  modreg set front_lidar 1.2.9 machine.json --dry-run
`;

const REMOVE_EXAMPLES = `Examples:
  modreg remove acme:lidar
  modreg remove front_lidar machine.json --dry-run
`;

/** How the commands that edit an entry name it. */
const ENTRY = '<module> is the name of its entry or its module_id.';

/** Adds `modreg add`. */
export function addAdd(modreg: Command, { world, registry, finish }: CommandContext): void {
  registry(modreg.command('add'))
    .argument('<module_id>')
    .argument(...MACHINE)
    .description(
      'Adds a module to a machine config, pinned to its newest release, so that it does not update by itself. Keeps comments.',
    )
    .option('--name <name>', 'the name of the entry (default: <namespace>_<module_name>)')
    .option('--version <constraint>', 'which releases it accepts (default: only the newest one)')
    .option('--platform <platform>', "linux/amd64 or linux/arm64 (default: this machine's)")
    .option('--dry-run', 'show the change without making it')
    .addHelpText('before', ADD_EXAMPLES)
    .action(async (moduleId: string, file: string | undefined, options: AddOptions) => {
      const { addCommand } = await import('./add-command.ts');
      finish(await addCommand(moduleId, ...withDocuments(file, options, world), world));
    });
}

/** Adds `modreg set`. */
export function addSet(modreg: Command, { world, registry, finish }: CommandContext): void {
  registry(modreg.command('set <module> <constraint>'))
    .argument(...MACHINE)
    .description(
      `Changes the version of a module entry, and shows what is planned with it. Keeps comments. ${ENTRY}`,
    )
    .option('--platform <platform>', "linux/amd64 or linux/arm64 (default: this machine's)")
    .option('--dry-run', 'show the change without making it')
    .addHelpText('before', SET_EXAMPLES)
    .action(
      async (named: string, text: string, file: string | undefined, options: EntryOptions) => {
        const { setCommand } = await import('./entry-command.ts');
        const [path, documents] = withDocuments(file, options, world);
        finish(await setCommand({ named, path }, text, documents, world));
      },
    );
}

/** Adds `modreg remove`. */
export function addRemove(modreg: Command, { world, registry, finish }: CommandContext): void {
  registry(modreg.command('remove <module>'))
    .argument(...MACHINE)
    .description(
      `Removes a module entry from a machine config: the agent stops the module, and keeps its data. Keeps comments. ${ENTRY}`,
    )
    .option('--dry-run', 'show the change without making it')
    .addHelpText('before', REMOVE_EXAMPLES)
    .action(async (named: string, file: string | undefined, options: EntryOptions) => {
      const { removeCommand } = await import('./entry-command.ts');
      const [path, documents] = withDocuments(file, options, world);
      finish(removeCommand({ named, path }, documents));
    });
}

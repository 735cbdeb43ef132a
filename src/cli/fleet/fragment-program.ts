import type { Command } from 'commander';
import type { CommandContext } from '../base/command-context.ts';
import type { FragmentOptions, SetFragmentOptions } from './fragment-commands.ts';

const SET_EXAMPLES = `Examples:
  modreg fleet config fragment set lidar lidar.json --reason "1.3 everywhere" --dry-run
  modreg fleet config fragment set lidar lidar.json --reason "1.3 everywhere"
  modreg fleet config set machine.json --machine rover-7 --fragment lidar --reason "as all rovers"
`;

const SHOW_EXAMPLES = `Examples:
  modreg fleet config fragment show lidar
`;

const LIST_EXAMPLES = `Examples:
  modreg fleet config fragment list
`;

/** Adds `modreg fleet config fragment …`, each with the options of `withRegistry`. */
export function addFragments(
  config: Command,
  { world, finish }: Pick<CommandContext, 'world' | 'finish'>,
  withRegistry: (command: Command) => Command,
): void {
  const fragment = config
    .command('fragment')
    .description('Shows and changes fragments, the parts that documents of machines share.');
  withRegistry(fragment.command('set <name> <file>'))
    .description('Saves a fragment, and the documents of the machines that it changes.')
    .requiredOption('--reason <text>', 'why, for the history of each machine')
    .option('--based-on <number>', 'the revision that was edited; required if there is one')
    .option('--dry-run', 'show which machines it changes, and save nothing')
    .addHelpText('before', SET_EXAMPLES)
    .action(async (name: string, file: string, options: SetFragmentOptions) => {
      const { setFragmentCommand } = await import('./fragment-commands.ts');
      finish(await setFragmentCommand([name, file], options, world));
    });
  withRegistry(fragment.command('show <name>'))
    .description('Shows a fragment, and the machines whose documents use it.')
    .addHelpText('before', SHOW_EXAMPLES)
    .action(async (name: string, options: FragmentOptions) => {
      const { showFragmentCommand } = await import('./fragment-commands.ts');
      finish(await showFragmentCommand(name, options, world));
    });
  withRegistry(fragment.command('list'))
    .description('Lists the fragments, and how many machines use each.')
    .addHelpText('before', LIST_EXAMPLES)
    .action(async (options: FragmentOptions) => {
      const { fragmentsCommand } = await import('./fragment-commands.ts');
      finish(await fragmentsCommand(options, world));
    });
}

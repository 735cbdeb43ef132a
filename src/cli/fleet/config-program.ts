import type { Command } from 'commander';
import type { CommandContext } from '../base/command-context.ts';
import { withKeys } from '../base/catalogue-flags.ts';
import type { SignConfigOptions } from '../../site/sign-config.ts';
import { addFragments } from './fragment-program.ts';
import { addSecrets } from './secret-program.ts';
import type { DiffOptions, SetOptions, ShowOptions } from './config-commands.ts';

const SHOW_EXAMPLES = `Examples:
  modreg fleet config show --machine rover-7
  modreg fleet config show --machine rover-7 --revision 3 --json
`;

const SET_EXAMPLES = `Examples:
  modreg fleet config set machine.json --machine rover-7 --reason "new lidar"
  modreg fleet config set machine.json --policy policy.json --machine rover-7 --reason "at night only" --based-on 3
  modreg fleet config set machine.json --machine rover-7 --reason "new lidar" --dry-run
`;

const HISTORY_EXAMPLES = `Examples:
  modreg fleet config history --machine rover-7
`;

const DIFF_EXAMPLES = `Examples:
  modreg fleet config diff --machine rover-7
  modreg fleet config diff --machine rover-7 --from 1 --to 3
`;

const RESTORE_EXAMPLES = `Examples:
  modreg fleet config restore 2 --machine rover-7 --reason "the new lidar is broken"
`;

const SIGN_EXAMPLES = `Examples:
  modreg fleet config sign --machine rover-7
  modreg fleet config sign --machine rover-7 --key operator.key --seen sha256:0385…
`;

const DRY_RUN = 'show what changes on the machine, and save nothing';

/** Adds `modreg fleet config …`, each with the options of `with`. */
export function addFleetConfig(
  fleet: Command,
  { world, finish }: Pick<CommandContext, 'world' | 'finish'>,
  withRegistry: (command: Command) => Command,
): void {
  const config = fleet
    .command('config')
    .description('Shows and changes the documents that a registry serves to its machines.');
  const of = (command: Command): Command =>
    withRegistry(command).requiredOption('--machine <name>', 'the id of the machine');
  of(config.command('show'))
    .description('Shows the documents of a machine, and whether the machine runs them.')
    .option('--revision <number>', 'this revision (default: the newest)')
    .option('--own', 'only its own documents, without its fragments')
    .addHelpText('before', SHOW_EXAMPLES)
    .action(async (options: ShowOptions) => {
      const { showConfigCommand } = await import('./config-commands.ts');
      finish(await showConfigCommand(options, world));
    });
  of(config.command('set <machine.json>'))
    .description('Saves a machine config, and terms of a policy, as the next revision.')
    .option('--policy <file>', 'terms of an update policy (default: the machine keeps its own)')
    .requiredOption('--reason <text>', 'why, for the history')
    .option('--based-on <number>', 'the revision that was edited; required if there is one')
    .option(
      '--fragment <name...>',
      'its fragments, in this order (default: those of the newest revision)',
    )
    .option('--no-fragments', 'without fragments')
    .option('--dry-run', DRY_RUN)
    .addHelpText('before', SET_EXAMPLES)
    .action(async (file: string, options: SetOptions) => {
      const { setConfigCommand } = await import('./config-commands.ts');
      finish(await setConfigCommand(file, options, world));
    });
  addHistory(of, config, { world, finish });
  addChanges(of, config, { world, finish });
  addFragments(config, { world, finish }, withRegistry);
  addSecrets(config, { world, finish }, of);
}

function addHistory(
  of: (command: Command) => Command,
  config: Command,
  { world, finish }: Pick<CommandContext, 'world' | 'finish'>,
): void {
  of(config.command('history'))
    .description('Lists the revisions of a machine: who saved each, when and why.')
    .addHelpText('before', HISTORY_EXAMPLES)
    .action(async (options: ShowOptions) => {
      const { configHistoryCommand } = await import('./config-commands.ts');
      finish(await configHistoryCommand(options, world));
    });
}

function addChanges(
  of: (command: Command) => Command,
  config: Command,
  { world, finish }: Pick<CommandContext, 'world' | 'finish'>,
): void {
  of(config.command('diff'))
    .description(
      'Shows what changed between two revisions (default: the newest and the one before).',
    )
    .option('--from <number>', 'the earlier revision')
    .option('--to <number>', 'the later revision')
    .addHelpText('before', DIFF_EXAMPLES)
    .action(async (options: DiffOptions) => {
      const { configDiffCommand } = await import('./config-commands.ts');
      finish(await configDiffCommand(options, world));
    });
  of(config.command('restore <revision>'))
    .description('Saves an earlier revision as the next one.')
    .requiredOption('--reason <text>', 'why, for the history')
    .option('--dry-run', DRY_RUN)
    .addHelpText('before', RESTORE_EXAMPLES)
    .action(async (revision: string, options: SetOptions) => {
      const { restoreConfigCommand } = await import('./config-commands.ts');
      finish(await restoreConfigCommand(revision, options, world));
    });
  withKeys(of(config.command('sign')))
    .description('Shows what operators sign of the newest revision. With a key, signs it.')
    .option('--seen <digest>', 'the digest that was shown, so that nothing else is signed')
    .addHelpText('before', SIGN_EXAMPLES)
    .action(async (options: SignConfigOptions) => {
      const { signConfigCommand } = await import('./config-commands.ts');
      finish(await signConfigCommand(options, world));
    });
}

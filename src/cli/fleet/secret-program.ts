import type { Command } from 'commander';
import type { CommandContext } from '../base/command-context.ts';
import type { SecretOptions, SetSecretOptions } from './secret-commands.ts';

const SET_EXAMPLES = `Examples:
  modreg fleet config secret set MAPS_KEY --machine rover-7 < key.txt
`;

const LIST_EXAMPLES = `Examples:
  modreg fleet config secret list --machine rover-7
`;

const REMOVE_EXAMPLES = `Examples:
  modreg fleet config secret remove MAPS_KEY --machine rover-7
`;

/** Adds `modreg fleet config secret …`, each with the options of `of`. */
export function addSecrets(
  config: Command,
  { world, finish }: Pick<CommandContext, 'world' | 'finish'>,
  of: (command: Command) => Command,
): void {
  const secret = config
    .command('secret')
    .description('Sets and removes the values of ${secret.NAME} in the documents of a machine.');
  of(secret.command('set <name>'))
    .description('Sets a value, read from stdin. The newest documents must name it.')
    .option(
      '--value-file <file>',
      'a file with the value, which no other user may read (default: stdin)',
    )
    .addHelpText('before', SET_EXAMPLES)
    .action(async (name: string, options: SetSecretOptions) => {
      const { setSecretCommand } = await import('./secret-commands.ts');
      finish(await setSecretCommand(name, options, world));
    });
  of(secret.command('list'))
    .description(
      'Lists the secrets that the documents name, and which have a value. Shows no value.',
    )
    .addHelpText('before', LIST_EXAMPLES)
    .action(async (options: SecretOptions) => {
      const { secretsCommand } = await import('./secret-commands.ts');
      finish(await secretsCommand(options, world));
    });
  of(secret.command('remove <name>'))
    .description('Removes a value: here now, on the machine when it asks next.')
    .addHelpText('before', REMOVE_EXAMPLES)
    .action(async (name: string, options: SecretOptions) => {
      const { removeSecretCommand } = await import('./secret-commands.ts');
      finish(await removeSecretCommand(name, options, world));
    });
}

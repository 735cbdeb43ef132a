import { Option, type Command } from 'commander';
import type { CommandContext } from '../base/command-context.ts';
import { withFile } from '../base/catalogue-flags.ts';
import { ROLES } from '../../server/accounts/role.ts';
import type { CatalogueOptions } from '../../site/catalogue-options.ts';
import type { SetAccountOptions } from './account-command.ts';

const SET_EXAMPLES = `Examples:
  modreg registry account set ada --role operator --password-file ada.txt
  modreg registry account set ada --role viewer
  modreg registry account set ada --password-file - < ada.txt
`;

const LIST_EXAMPLES = `Examples:
  modreg registry account list
`;

const CONFIRM_EXAMPLES = `Examples:
  modreg registry account confirm ada
`;

const REMOVE_EXAMPLES = `Examples:
  modreg registry account remove ada
`;

/** Adds `modreg registry account …`. */
export function addAccounts(registry: Command, context: CommandContext): void {
  const account = registry
    .command('account')
    .description('Manages who signs in to the page of the site with a name and a password.');
  withFile(account.command('set <name>'), context)
    .description('Adds an account, or changes its role or its password and ends its sessions.')
    .addHelpText('before', SET_EXAMPLES)
    .addOption(
      new Option(
        '--role <role>',
        'looks, gives commands and changes versions, or does all; required for a new account',
      ).choices(ROLES),
    )
    .option(
      '--password-file <file>',
      'the password, one line of 12 characters or more; - is stdin; required for a new account',
    )
    .action(async (name: string, options: SetAccountOptions) => {
      const { accountSetCommand } = await import('./account-command.ts');
      context.finish(await accountSetCommand(name, options, context.world));
    });
  addOthers(account, context);
}

function addOthers(account: Command, context: CommandContext): void {
  withFile(account.command('list'), context)
    .description('Shows the accounts, and what each may do.')
    .addHelpText('before', LIST_EXAMPLES)
    .action(async (options: CatalogueOptions) => {
      const { accountListCommand } = await import('./account-command.ts');
      context.finish(accountListCommand(options, context.world));
    });
  withFile(account.command('confirm <name>'), context)
    .description('Lets an account sign in again after modreg registry restore.')
    .addHelpText('before', CONFIRM_EXAMPLES)
    .action(async (name: string, options: CatalogueOptions) => {
      const { accountConfirmCommand } = await import('./account-command.ts');
      context.finish(accountConfirmCommand(name, options, context.world));
    });
  withFile(account.command('remove <name>'), context)
    .description('Removes an account and ends its sessions.')
    .addHelpText('before', REMOVE_EXAMPLES)
    .action(async (name: string, options: CatalogueOptions) => {
      const { accountRemoveCommand } = await import('./account-command.ts');
      context.finish(accountRemoveCommand(name, options, context.world));
    });
}

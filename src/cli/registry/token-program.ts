import type { Command } from 'commander';
import type { CommandContext } from '../base/command-context.ts';
import { collect, withFile, withNewFile } from '../base/catalogue-flags.ts';
import type { CatalogueOptions } from '../../site/catalogue-options.ts';
import type { InviteOptions } from './invite-command.ts';
import type { TokenOptions } from './token-command.ts';

const CREATE_EXAMPLES = `Examples:
  modreg registry token create --name ci --scope publish:acme --scope yank:acme --expires 90d
  modreg registry token create --name mirror --scope import
  modreg registry token create --machine rover-7 --out credentials.json
`;

const LIST_EXAMPLES = `Examples:
  modreg registry token list
`;

const REVOKE_EXAMPLES = `Examples:
  modreg registry token revoke ci
  modreg registry token revoke t3
`;

const INVITE_EXAMPLES = `Examples:
  modreg registry invite --name rover-7
  modreg registry invite --name rover-7 --group canary
`;

/** Adds `modreg registry invite`. */
export function addInvite(registry: Command, context: CommandContext): void {
  withFile(registry.command('invite'), context)
    .description('Prints a code with which a machine joins: valid once, for an hour.')
    .addHelpText('before', INVITE_EXAMPLES)
    .option('--name <machine>', 'the id of the machine, such as rover-7; required')
    .option('--group <group>', 'the group that the registry counts it in')
    .action(async (options: InviteOptions) => {
      const { inviteCommand } = await import('./invite-command.ts');
      context.finish(inviteCommand(options, context.world));
    });
}

/** Adds `modreg registry token …`. */
export function addTokens(registry: Command, context: CommandContext): void {
  const token = registry
    .command('token')
    .description(
      'Manages the tokens that publish, change rollouts, report and read reports over HTTP.',
    );
  withNewFile(token.command('create'), context)
    .description('Creates a token. It is printed only once.')
    .addHelpText('before', CREATE_EXAMPLES)
    .option('--name <name>', 'what the token is for, such as ci; required without --machine')
    .option(
      '--scope <scope>',
      'publish, yank, rollout or import, each with or without :<namespace>, outcomes:<namespace>, machine:<id>, group:<group>, fleet:read, wall, config, commands, trust, or logs:read; repeatable, required without --machine',
      collect,
    )
    .option('--machine <id>', 'for the machine with this id: the default of --name, and its scope')
    .option('--out <file>', 'write the credentials of the machine to this file, and print no token')
    .option('--expires <duration>', 'how long the token is valid, such as 90d (default: for ever)')
    .action(async (options: TokenOptions) => {
      const { tokenCreateCommand } = await import('./token-command.ts');
      context.finish(tokenCreateCommand(options, context.world));
    });
  withFile(token.command('list'), context)
    .addHelpText('before', LIST_EXAMPLES)
    .description('Shows what each token may do and when it was last used, but not the token.')
    .action(async (options: CatalogueOptions) => {
      const { tokenListCommand } = await import('./token-command.ts');
      context.finish(tokenListCommand(options, context.world));
    });
  withFile(token.command('revoke <token>'), context)
    .addHelpText('before', REVOKE_EXAMPLES)
    .description(
      'Revokes a token, named by its id, its name or its text: the registry refuses it from now on.',
    )
    .action(async (named: string, options: CatalogueOptions) => {
      const { tokenRevokeCommand } = await import('./token-command.ts');
      context.finish(tokenRevokeCommand(named, options, context.world));
    });
}

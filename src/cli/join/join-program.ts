import type { Command } from 'commander';
import type { CommandContext } from '../base/command-context.ts';
import type { JoinOptions } from './join-command.ts';

const EXAMPLES = `Examples:
  modreg join https://registry.example --name rover-7
  modreg join https://registry.example --name rover-7 --code modreg_k7q2-m4x9-w3bd-5nfz --service
`;

/** Adds `modreg join`. */
export function addJoin(modreg: Command, { world, common, finish }: CommandContext): void {
  common(modreg.command('join <registry>'))
    .description(
      'Joins this machine to a registry: writes its credentials, a policy and an empty machine config.',
    )
    .addHelpText('before', EXAMPLES)
    .option('--name <machine>', 'the id of this machine, such as rover-7; required')
    .option(
      '--code <code>',
      'what modreg registry invite printed (default: it is asked for on the terminal)',
    )
    .option(
      '--trust <digest>',
      'the digest that modreg keys init printed: pins the keys (default: that of $MODREG_TRUST)',
    )
    .option('--to <folder>', 'the folder of the documents', '/etc/modreg')
    .option('--service', 'install and start the agent as a service of systemd')
    .action(async (registry: string, options: JoinOptions) => {
      const { joinCommand } = await import('./join-command.ts');
      finish(await joinCommand(registry, options, world));
    });
}

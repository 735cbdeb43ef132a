import type { Command } from 'commander';
import type { CommandKind } from '../../core/trust/command-text.ts';
import { withNamedKeys } from '../base/catalogue-flags.ts';
import type { CommandContext } from '../base/command-context.ts';
import type { GiveOptions } from './machine-commands.ts';

const COMMANDS_EXAMPLES = `Examples:
  modreg fleet commands --machine rover-7
  modreg fleet commands --group canary
  modreg fleet commands --machine rover-7 --json
`;

/** What each command does on the machine, and an example. */
const KINDS: Readonly<Record<CommandKind, readonly [description: string, example: string]>> = {
  hold: [
    'Has a machine hold a module, or all of it, as modreg hold does there.',
    "hold --machine rover-7 --for 12h --reason 'trade fair'",
  ],
  unhold: [
    'Has a machine end a hold that its site made.',
    "unhold acme:lidar --machine rover-7 --reason 'the measurement is done'",
  ],
  upgrade: [
    'Has a machine read the list of a module, and make its upgrade now, as modreg upgrade --now does there.',
    "upgrade acme:lidar --machine rover-7 --reason 'the fix of the lidar'",
  ],
  restart: [
    'Has a machine restart a module or platform-server, as modreg restart does there.',
    "restart acme:lidar --machine rover-7 --reason 'it shows no points'",
  ],
  rollback: [
    'Has a machine go back to the previous version of a module, as modreg rollback does there.',
    "rollback acme:lidar --machine rover-7 --reason '1.4.0 is too slow'",
  ],
  unquarantine: [
    'Has a machine select a version again that failed there, as modreg quarantine lift does there.',
    "unquarantine acme:lidar 1.4.0 --machine rover-7 --reason 'the cable is replaced'",
  ],
};

/** What each names on the machine. */
const ARGUMENTS: Readonly<Record<CommandKind, string>> = {
  hold: '[module]',
  unhold: '[module]',
  upgrade: '<module>',
  restart: '<module>',
  rollback: '<module>',
  unquarantine: '<module> <version>',
};

/** Adds the commands to a machine, each with the options of `withRegistry`. */
export function addFleetCommands(
  fleet: Command,
  { world, finish }: Pick<CommandContext, 'world' | 'finish'>,
  withRegistry: (command: Command) => Command,
): void {
  const of = (command: Command): Command =>
    withRegistry(command)
      .option('--machine <name>', 'the id of the machine')
      .option('--group <name>', 'each machine that is in the group now, in place of one');
  for (const [kind, named] of Object.entries(ARGUMENTS) as [CommandKind, string][]) {
    const [description, example] = KINDS[kind];
    const command = of(fleet.command(`${kind} ${named}`))
      .description(description)
      .requiredOption('--reason <text>', 'why, for the machine and the list of commands')
      .option(
        '--expires <duration>',
        'the machine takes it within this time, up to 24h (default: 1h)',
      )
      .addHelpText('before', `Examples:\n  modreg fleet ${example}\n`);
    if (kind === 'hold') command.requiredOption('--for <duration>', 'how long, up to 30d');
    else withNamedKeys(command);
    command.action(async () => {
      const { giveCommand } = await import('./machine-commands.ts');
      const [module, version] = command.processedArgs as (string | undefined)[];
      finish(await giveCommand({ kind, module, version }, command.opts<GiveOptions>(), world));
    });
  }
  of(fleet.command('commands'))
    .description(
      'Lists the commands that a machine, or a group, was given, with what became of them.',
    )
    .addHelpText('before', COMMANDS_EXAMPLES)
    .action(async (options: GiveOptions) => {
      const { fleetCommandsCommand } = await import('./machine-commands.ts');
      finish(await fleetCommandsCommand(options, world));
    });
}

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
    'Holds a module, or a whole machine: modreg hold, from here.',
    "hold --machine rover-7 --for 12h --reason 'trade fair'",
  ],
  unhold: [
    'Ends a hold that modreg fleet hold made.',
    "unhold acme:lidar --machine rover-7 --reason 'the measurement is done'",
  ],
  upgrade: [
    'Upgrades a module now: modreg upgrade --now, from here.',
    "upgrade acme:lidar --machine rover-7 --reason 'the fix of the lidar'",
  ],
  restart: [
    'Restarts a module or platform-server: modreg restart, from here.',
    "restart acme:lidar --machine rover-7 --reason 'it shows no points'",
  ],
  rollback: [
    'Rolls a module back to its previous version: modreg rollback, from here.',
    "rollback acme:lidar --machine rover-7 --reason '1.4.0 is too slow'",
  ],
  unquarantine: [
    'Lifts the quarantine of a version that failed: modreg quarantine lift, from here.',
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
      .option('--group <name>', 'each machine that is in the group now');
  for (const [kind, named] of Object.entries(ARGUMENTS) as [CommandKind, string][]) {
    const [description, example] = KINDS[kind];
    const command = of(fleet.command(`${kind} ${named}`))
      .description(description)
      .requiredOption('--reason <text>', 'why; the machine and fleet commands show it')
      .option('--expires <duration>', 'how long the machine may take it, up to 24h (default: 1h)')
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
    .description('Lists the commands that a machine or a group was given, and their results.')
    .addHelpText('before', COMMANDS_EXAMPLES)
    .action(async (options: GiveOptions) => {
      const { fleetCommandsCommand } = await import('./machine-commands.ts');
      finish(await fleetCommandsCommand(options, world));
    });
}

import type { Command } from 'commander';
import type { Outcome } from '../problem.ts';
import type { WatchOptions } from '../plan/watch-command.ts';
import type { World } from '../world.ts';

const WATCH_EXAMPLES = `Examples:
  modreg watch machine.json
  modreg watch machine.json --deployed deployed.json --interval 30s
  modreg watch machine.json --json >> actions.ndjson
`;

const STATUS_EXAMPLES = `Examples:
  modreg status
  modreg status --json
`;

const QUARANTINE_EXAMPLES = `Examples:
  modreg quarantine list
  modreg quarantine lift acme:lidar 1.2.9
`;

const ROLLBACK_EXAMPLES = `Examples:
  modreg rollback acme:lidar
  modreg rollback acme_lidar --json
`;

/** What the commands are made with. */
interface Making {
  readonly world: World;
  /** Adds the options of every command. */
  readonly common: (command: Command) => Command;
  /** Adds the options that say which registry is asked. */
  readonly registry: (command: Command) => Command;
  readonly finish: (outcome: Outcome) => void;
}

/** Adds the commands about the machine that they run on. */
export function addMachineCommands(modreg: Command, making: Making): void {
  addWatch(modreg, making);
  const { world, common, finish } = making;
  common(modreg.command('status'))
    .description("Shows what runs on this machine, what should, and the poller's last round.")
    .addHelpText('beforeAll', STATUS_EXAMPLES)
    .action(async (options: { json?: true }) => {
      const { statusCommand } = await import('./status-command.ts');
      finish(statusCommand(options, world));
    });
  addQuarantine(modreg, making);
  common(modreg.command('rollback <module>'))
    .description(
      'Goes back to what ran before, until a newer release appears. The module is named by its entry or its module_id.',
    )
    .addHelpText('beforeAll', ROLLBACK_EXAMPLES)
    .action(async (named: string, options: { json?: true }) => {
      const { rollbackCommand } = await import('./rollback-command.ts');
      finish(rollbackCommand(named, options, world));
    });
}

function addWatch(modreg: Command, { world, registry, finish }: Making): void {
  registry(modreg.command('watch <machine.json>'))
    .description('Prints what a poller of this machine would do, when it would. Changes nothing.')
    .option('--platform <platform>', "linux/amd64 or linux/arm64 (default: this machine's)")
    .option(
      '--deployed <file>',
      'what runs, read before each round (default: what this machine remembers)',
    )
    .option('--interval <duration>', 'between two rounds, 5s at least (default: 1m)')
    .addHelpText('beforeAll', WATCH_EXAMPLES)
    .action(async (file: string, options: WatchOptions) => {
      const { watchCommand } = await import('../plan/watch-command.ts');
      finish(await watchCommand(file, options, world));
    });
}

function addQuarantine(modreg: Command, { world, common, finish }: Making): void {
  const quarantine = modreg
    .command('quarantine')
    .description('The versions that failed on this machine, which are not chosen again.')
    .addHelpText('beforeAll', QUARANTINE_EXAMPLES);
  common(quarantine.command('list'))
    .description('Shows them, and until when they are refused.')
    .action(async (options: { json?: true }) => {
      const { quarantineListCommand } = await import('./quarantine-command.ts');
      finish(quarantineListCommand(options, world));
    });
  common(quarantine.command('lift <module_id> <version>'))
    .description('Lets a version be chosen again.')
    .action(async (moduleId: string, version: string, options: { json?: true }) => {
      const { quarantineLiftCommand } = await import('./quarantine-command.ts');
      finish(quarantineLiftCommand(moduleId, version, options, world));
    });
}

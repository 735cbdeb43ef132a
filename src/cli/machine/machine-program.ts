import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { WhyOptions } from '../history/why-command.ts';
import type { WatchOptions } from '../plan/watch-command.ts';
import type { RollbackOptions } from './rollback-command.ts';

const WHY_EXAMPLES = `Examples:
  modreg why acme:lidar
  modreg why acme:lidar --at 2026-11-22T02:00:00Z
  modreg why acme_lidar --json
  modreg why acme:lidar --record decision.json
`;

const REPLAY_EXAMPLES = `Examples:
  modreg replay decision.json
`;

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
  modreg rollback acme:lidar --for 7d
  modreg rollback acme_lidar --json
`;

export function addStatus(modreg: Command, { world, common, finish }: CommandContext): void {
  common(modreg.command('status'))
    .description(
      "Shows the deployed version and the target of each module, and the poller's last round.",
    )
    .addHelpText('beforeAll', STATUS_EXAMPLES)
    .action(async (options: { json?: true }) => {
      const { statusCommand } = await import('./status-command.ts');
      finish(statusCommand(options, world));
    });
}

export function addRollback(modreg: Command, { world, common, finish }: CommandContext): void {
  common(modreg.command('rollback <module>'))
    .description(
      'Rolls a module back to its previous version. Newer versions that are published by now are refused. <module> is the name of its entry or its module_id.',
    )
    .option('--for <duration>', 'how long they are refused (default: until the rollback is lifted)')
    .addHelpText('beforeAll', ROLLBACK_EXAMPLES)
    .action(async (named: string, options: RollbackOptions) => {
      const { rollbackCommand } = await import('./rollback-command.ts');
      finish(rollbackCommand(named, options, world));
    });
}

export function addWhy(modreg: Command, { world, common, finish }: CommandContext): void {
  common(modreg.command('why <module>'))
    .description(
      'Shows the decisions about a module, and what made each change. <module> is the name of its entry or its module_id.',
    )
    .option('--at <time>', 'the decision at this time, in full, such as 2026-11-21T01:02:03Z')
    .addHelpText('beforeAll', WHY_EXAMPLES)
    .option('--record <file>', 'write the complete input of the decision to a new file, for replay')
    .action(async (named: string, options: WhyOptions & { readonly record?: string }) => {
      if (options.record !== undefined) {
        const { recordCommand } = await import('../history/record-command.ts');
        finish(await recordCommand(named, options.record, options, world));
        return;
      }
      const { whyCommand } = await import('../history/why-command.ts');
      finish(whyCommand(named, options, world));
    });
}

export function addReplay(modreg: Command, { common, finish }: CommandContext): void {
  common(modreg.command('replay <file>'))
    .description(
      'Decides again with the input that modreg why --record wrote. Exits 11 if the result differs.',
    )
    .addHelpText('beforeAll', REPLAY_EXAMPLES)
    .action(async (file: string, options: { json?: true }) => {
      const { replayCommand } = await import('../history/replay-command.ts');
      finish(replayCommand(file, options));
    });
}

export function addWatch(modreg: Command, { world, registry, finish }: CommandContext): void {
  registry(modreg.command('watch <machine.json>'))
    .description(
      'Prints each action that a poller of this machine would take, when it is due. Changes nothing.',
    )
    .option('--platform <platform>', "linux/amd64 or linux/arm64 (default: this machine's)")
    .option(
      '--deployed <file>',
      'the deployed versions, read before each round (default: as recorded in machine.db)',
    )
    .option('--interval <duration>', 'the time between two rounds, at least 5s (default: 1m)')
    .addHelpText('beforeAll', WATCH_EXAMPLES)
    .action(async (file: string, options: WatchOptions) => {
      const { watchCommand } = await import('../plan/watch-command.ts');
      finish(await watchCommand(file, options, world));
    });
}

export function addQuarantine(modreg: Command, { world, common, finish }: CommandContext): void {
  const quarantine = modreg
    .command('quarantine')
    .description('Lists or lifts the quarantine of versions that failed on this machine.')
    .addHelpText('beforeAll', QUARANTINE_EXAMPLES);
  common(quarantine.command('list'))
    .description('Shows the versions in quarantine, and until when they are refused.')
    .action(async (options: { json?: true }) => {
      const { quarantineListCommand } = await import('./quarantine-command.ts');
      finish(quarantineListCommand(options, world));
    });
  common(quarantine.command('lift <module_id> <version>'))
    .description('Lifts the quarantine of a version, so that it may be selected again.')
    .action(async (moduleId: string, version: string, options: { json?: true }) => {
      const { quarantineLiftCommand } = await import('./quarantine-command.ts');
      finish(quarantineLiftCommand(moduleId, version, options, world));
    });
}

import type { Command } from 'commander';
import { collect } from './base/catalogue-flags.ts';
import type { CommandContext } from './base/command-context.ts';
import type { WhyOptions } from './history/why-command.ts';
import type { HoldOptions } from './machine/hold-command.ts';
import type { QuarantineAddOptions } from './machine/quarantine-command.ts';
import type { RestartOptions } from './machine/restart-command.ts';
import type { RollbackOptions } from './machine/rollback-command.ts';
import type { StatusOptions } from './machine/status-command.ts';
import type { UpgradeOptions } from './machine/upgrade-command.ts';

/** How every command about the machine names a module. */
const MODULE = '<module> is the name of its entry or its module_id.';

const WHY_EXAMPLES = `Examples:
  modreg why acme:lidar
  modreg why acme:lidar --at 2026-11-22T02:00:00Z
  modreg why acme_lidar --json
  modreg why acme:lidar --record decision.json
`;

const REPLAY_EXAMPLES = `Examples:
  modreg replay decision.json
`;

const STATUS_EXAMPLES = `Examples:
  modreg status
  modreg status --json
  modreg status --exit-code --max-age 2h
`;

const LIST_EXAMPLES = `Examples:
  modreg quarantine list
  modreg quarantine list --json
`;

const ADD_EXAMPLES = `Examples:
  modreg quarantine add acme:lidar 1.2.9 --reason 'stops the motor'
  modreg quarantine add acme_lidar 1.2.9 --for 7d
  modreg quarantine add acme_lidar '1.3.*'
`;

const LIFT_EXAMPLES = `Examples:
  modreg quarantine lift acme:lidar 1.2.9
`;

const ROLLBACK_EXAMPLES = `Examples:
  modreg rollback acme:lidar
  modreg rollback acme:lidar --to 1.2.3 --for 7d
  modreg rollback acme_lidar --json
`;

const RESTART_EXAMPLES = `Examples:
  modreg restart acme:lidar
  modreg restart acme:lidar --now
  modreg restart acme_lidar --cancel
`;

const UPGRADE_EXAMPLES = `Examples:
  modreg upgrade acme:lidar
  modreg upgrade acme:lidar --now
  modreg upgrade acme_lidar --now --despite 'person in cell' --reason 'burns'
`;

const HOLD_EXAMPLES = `Examples:
  modreg hold --for 12h --reason 'trade fair'
  modreg hold acme:lidar --until 2026-11-22T06:00:00Z --reason 'measurement is running'
`;

const UNHOLD_EXAMPLES = `Examples:
  modreg unhold
  modreg unhold acme:lidar
`;

export function addStatus(modreg: Command, { world, common, finish }: CommandContext): void {
  common(modreg.command('status'))
    .description('Shows the deployed version and the target of each module, and the last round.')
    .option(
      '--exit-code',
      'exit 10 if a replacement is due or held; 12 if a module is stuck, no process polls for the machine, or its last round is old',
    )
    .option('--max-age <duration>', 'how old the last round may be (default: 30m)')
    .addHelpText('before', STATUS_EXAMPLES)
    .action(async (options: StatusOptions) => {
      const { statusCommand } = await import('./machine/status-command.ts');
      finish(statusCommand(options, world));
    });
}

export function addRollback(modreg: Command, { world, common, finish }: CommandContext): void {
  common(modreg.command('rollback <module>'))
    .description(
      `Rolls a module back to its previous version. Newer versions that are published by now are refused. ${MODULE}`,
    )
    .option(
      '--to <version>',
      'roll back to this version (default: the one that was deployed before)',
    )
    .option('--for <duration>', 'how long they are refused (default: until the rollback is lifted)')
    .addHelpText('before', ROLLBACK_EXAMPLES)
    .action(async (named: string, options: RollbackOptions) => {
      const { rollbackCommand } = await import('./machine/rollback-command.ts');
      finish(rollbackCommand(named, options, world));
    });
}

export function addRestart(modreg: Command, { world, common, finish }: CommandContext): void {
  common(modreg.command('restart <module>'))
    .description(
      `Requests a restart of the deployed version of a module, in its next maintenance window. ${MODULE}`,
    )
    .option(
      '--now',
      'do not wait for a window, for the end of a blackout, for the agent to allow maintenance, or for a busy server',
    )
    .option('--cancel', 'withdraw the request, unless the agent has the restart already')
    .addHelpText('before', RESTART_EXAMPLES)
    .action(async (named: string, options: RestartOptions) => {
      const { restartCommand } = await import('./machine/restart-command.ts');
      finish(restartCommand(named, options, world));
    });
}

export function addUpgrade(modreg: Command, { world, common, finish }: CommandContext): void {
  common(modreg.command('upgrade <module>'))
    .description(
      `Reads the list of a module now, and shows what is selected and what holds it. With --now, it does not wait for the right time. ${MODULE}`,
    )
    .option(
      '--now',
      'make the replacement that is held now, whatever window, blackout, cooldown, ceiling, answer or busy server holds it; the request ends after an hour at the latest',
    )
    .option(
      '--despite <veto>',
      'with --now: also while a module must not be stopped, for this reason; repeatable',
      collect,
    )
    .option('--reason <text>', 'with --now: why, as status, plan and why show it')
    .addHelpText('before', UPGRADE_EXAMPLES)
    .action(async (named: string, options: UpgradeOptions) => {
      const { upgradeCommand } = await import('./machine/upgrade-command.ts');
      finish(await upgradeCommand(named, options, world));
    });
}

export function addHold(modreg: Command, { world, common, finish }: CommandContext): void {
  common(modreg.command('hold [module]'))
    .description(
      'Holds a module or the whole machine: nothing is installed, upgraded, downgraded or restarted until the hold ends. A rollback is not held. [module] is the name of its entry or its module_id.',
    )
    .option(
      '--for <duration>',
      'how long, such as 12h, at most 30d; time counts when the machine is off as well',
    )
    .option(
      '--until <time>',
      "until when, such as 2026-11-22T06:00:00Z or '2026-11-22T06:00 Europe/Berlin', at most 30 days from now",
    )
    .requiredOption('--reason <text>', 'why, as status, plan and why show it')
    .addHelpText('before', HOLD_EXAMPLES)
    .action(async (named: string | undefined, options: HoldOptions) => {
      const { holdCommand } = await import('./machine/hold-command.ts');
      finish(holdCommand(named, options, world));
    });
}

export function addUnhold(modreg: Command, { world, common, finish }: CommandContext): void {
  common(modreg.command('unhold [module]'))
    .description('Ends the hold of a module, or that of the whole machine.')
    .addHelpText('before', UNHOLD_EXAMPLES)
    .action(async (named: string | undefined, options: { json?: true }) => {
      const { unholdCommand } = await import('./machine/hold-command.ts');
      finish(unholdCommand(named, options, world));
    });
}

export function addWhy(modreg: Command, { world, common, finish }: CommandContext): void {
  common(modreg.command('why <module>'))
    .description(`Shows the decisions about a module, and what made each change. ${MODULE}`)
    .option(
      '--at <time>',
      'the decision at this time, in full, such as -2h or 2026-11-21T01:02:03Z',
    )
    .option('-n, --lines <number>', 'only so many of the newest decisions')
    .addHelpText('before', WHY_EXAMPLES)
    .option('--record <file>', 'write the complete input of the decision to a new file, for replay')
    .action(async (named: string, options: WhyOptions & { readonly record?: string }) => {
      if (options.record !== undefined) {
        const { recordCommand } = await import('./history/record-command.ts');
        finish(await recordCommand(named, options.record, options, world));
        return;
      }
      const { whyCommand } = await import('./history/why-command.ts');
      finish(whyCommand(named, options, world));
    });
}

export function addReplay(modreg: Command, { common, finish }: CommandContext): void {
  common(modreg.command('replay <file>'))
    .description(
      'Decides again with the input that modreg why --record wrote. Exits 11 if the result differs.',
    )
    .addHelpText('before', REPLAY_EXAMPLES)
    .action(async (file: string, options: { json?: true }) => {
      const { replayCommand } = await import('./history/replay-command.ts');
      finish(replayCommand(file, options));
    });
}

export function addQuarantine(modreg: Command, { world, common, finish }: CommandContext): void {
  const quarantine = modreg
    .command('quarantine')
    .description('Shows and changes which versions are refused on this machine.');
  common(quarantine.command('list'))
    .description('Shows the versions in quarantine, and until when they are refused.')
    .addHelpText('before', LIST_EXAMPLES)
    .action(async (options: { json?: true }) => {
      const { quarantineListCommand } = await import('./machine/quarantine-command.ts');
      finish(quarantineListCommand(options, world));
    });
  common(quarantine.command('add <module> <version>'))
    .description(
      `Refuses a version, as if it had failed on this machine. If it is deployed, it is rolled back. ${MODULE}`,
    )
    .option('--reason <text>', 'why, as status and quarantine list show it')
    .option('--for <duration>', 'how long it is refused (default: until the quarantine is lifted)')
    .addHelpText('before', ADD_EXAMPLES)
    .action(async (module: string, version: string, options: QuarantineAddOptions) => {
      const { quarantineAddCommand } = await import('./machine/quarantine-command.ts');
      finish(quarantineAddCommand([module, version], options, world));
    });
  common(quarantine.command('lift <module> <version>'))
    .description(`Lifts the quarantine of a version, so that it may be selected again. ${MODULE}`)
    .addHelpText('before', LIFT_EXAMPLES)
    .action(async (module: string, version: string, options: { json?: true }) => {
      const { quarantineLiftCommand } = await import('./machine/quarantine-command.ts');
      finish(quarantineLiftCommand([module, version], options, world));
    });
}

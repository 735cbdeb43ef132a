import { Option, type Command } from 'commander';
import type { CommandContext } from '../base/command-context.ts';
import type { FleetServeOptions } from './serve-command.ts';
import type { FleetCheckOptions } from './check-command.ts';
import type { FleetImportOptions } from './import-command.ts';
import type { ChangeOptions } from '../../site/remote-registry.ts';
import type { FleetOptions } from '../../site/fleet-options.ts';
import { withFile, withServing } from '../base/catalogue-flags.ts';
import { addFleetCommands } from './command-program.ts';
import { addFleetConfig } from './config-program.ts';
import { SEVERITIES } from '../../logs/log-record.ts';
import type { FailuresOptions } from './failures-command.ts';
import type { FleetLogsOptions } from './logs-command.ts';
import type { MachinesOptions } from './machines-command.ts';
import type { WhatIfOptions } from './what-if-command.ts';

const STATUS_EXAMPLES = `Examples:
  modreg fleet status --registry https://registry.example
`;

const MACHINES_EXAMPLES = `Examples:
  modreg fleet machines --stuck
  modreg fleet machines --failing
  modreg fleet machines --module acme:lidar --version 1.2.9 --json
  modreg fleet machines --group canary
  modreg fleet machines --retired
`;

const FAILURES_EXAMPLES = `Examples:
  modreg fleet failures
  modreg fleet failures acme:lidar 1.3.0 --since 7d
  modreg fleet failures --namespace acme
`;

const LOGS_EXAMPLES = `Examples:
  modreg fleet logs --machine rover-7 -n 20
  modreg fleet logs acme_lidar --machine rover-7 --level warn --since -2d
  modreg fleet logs --grep "no space left" --json
`;

const RETIRE_EXAMPLES = `Examples:
  modreg fleet retire rover-2
  modreg fleet retire rover-2 --db registry.db --json
`;

const WHAT_IF_EXAMPLES = `Examples:
  modreg fleet what-if acme:lidar 1.4.0
  modreg fleet what-if acme:lidar 1.4.0 --json
  modreg fleet what-if acme:lidar 1.4.0 --release release.json
`;

const SERVE_EXAMPLES = `Examples:
  modreg fleet serve --nats nats://10.0.0.1:4222,nats://10.0.0.2:4222,nats://10.0.0.3:4222
`;

const IMPORT_EXAMPLES = `Examples:
  modreg fleet import --db registry.db --nats nats://10.0.0.1:4222,nats://10.0.0.2:4222
`;

const CHECK_EXAMPLES = `Examples:
  modreg fleet check --nats nats://10.0.0.1:4222,nats://10.0.0.2:4222,nats://10.0.0.3:4222
`;

/** Adds `modreg fleet …`. */
export function addFleet(modreg: Command, context: CommandContext): void {
  const { world, common, finish } = context;
  const fleet = modreg
    .command('fleet')
    .description(
      'Shows, configures and commands the machines of a registry. Serves a registry as a cluster.',
    );
  const withRegistry = (command: Command): Command =>
    common(command).option(
      '--registry <address>',
      'the registry that machines report to (default: $MODREG_REGISTRY)',
    );
  withRegistry(fleet.command('status'))
    .description('Counts machines by module, version and decision.')
    .addHelpText('before', STATUS_EXAMPLES)
    .action(async (options: FleetOptions) => {
      const { fleetStatusCommand } = await import('./status-command.ts');
      finish(await fleetStatusCommand(options, world));
    });
  addMachines(withRegistry(fleet.command('machines')), { world, finish });
  addFailures(withRegistry(fleet.command('failures [module_id] [version]')), { world, finish });
  addLogs(withRegistry(fleet.command('logs [module]')), { world, finish });
  addRetire(withRegistry(fleet.command('retire <machine>')), context);
  addWhatIf(withRegistry(fleet.command('what-if <module_id> <version>')), { world, finish });
  addFleetConfig(fleet, context, withRegistry);
  addFleetCommands(fleet, context, withRegistry);
  addServe(fleet, context);
  addCheck(fleet, context);
  addImport(fleet, context);
}

function addMachines(
  command: Command,
  { world, finish }: Pick<CommandContext, 'world' | 'finish'>,
): void {
  command
    .description('Lists machines, with their modules that match.')
    .option('--module <module_id>', 'only machines with this module')
    .option('--version <version>', 'only machines that have this version')
    .option('--group <group>', 'only machines of this group')
    .option('--stuck', 'only machines with a module that is stuck')
    .option('--failing', 'only machines on which something fails')
    .option('--quiet', 'only machines without contact for three times their interval')
    .option(
      '--silent',
      'only machines without contact for longer than --silent-after of the registry',
    )
    .option('--retired', 'only retired machines, which no other list has')
    .option('--limit <number>', 'the most machines to list, up to 100000 (default: 100)')
    .addHelpText('before', MACHINES_EXAMPLES)
    .action(async (options: MachinesOptions) => {
      const { fleetMachinesCommand } = await import('./machines-command.ts');
      finish(await fleetMachinesCommand(options, world));
    });
}

function addFailures(
  command: Command,
  { world, finish }: Pick<CommandContext, 'world' | 'finish'>,
): void {
  command
    .description('Shows what failed lately: why, on which machines, and what is tried again.')
    .option('--since <duration>', 'how far back, up to 90d (default: 24h)')
    .option('--namespace <namespace>', 'only of the modules of this namespace')
    .addHelpText('before', FAILURES_EXAMPLES)
    .action(
      async (module: string | undefined, version: string | undefined, options: FailuresOptions) => {
        const { fleetFailuresCommand } = await import('./failures-command.ts');
        finish(await fleetFailuresCommand({ module, version }, options, world));
      },
    );
}

function addLogs(
  command: Command,
  { world, finish }: Pick<CommandContext, 'world' | 'finish'>,
): void {
  command
    .description('Shows the newest log lines that machines sent to the registry.')
    .option('--machine <name>', 'the id of the machine (default: all machines)')
    .option('-n, --lines <number>', 'how many lines, at most 10000 (default: 100)')
    .option('--since <time>', 'only lines since then, such as -2h or 2026-11-21T01:02:03Z')
    .addOption(
      new Option('--level <level>', 'only lines of this level or above').choices(SEVERITIES),
    )
    .option('--grep <text>', 'only lines with this text; case is ignored')
    .addHelpText('before', LOGS_EXAMPLES)
    .action(async (module: string | undefined, options: FleetLogsOptions) => {
      const { fleetLogsCommand } = await import('./logs-command.ts');
      finish(await fleetLogsCommand(module, options, world));
    });
}

function addRetire(
  command: Command,
  { world, finish }: Pick<CommandContext, 'world' | 'finish'>,
): void {
  command
    .description(
      'Retires a machine that is gone: counts and rollouts leave it out until it reports again. Its outcomes stay.',
    )
    .option('--db <file>', "the registry's file, in place of an address")
    .addHelpText('before', RETIRE_EXAMPLES)
    .action(async (machine: string, options: ChangeOptions) => {
      const { fleetRetireCommand } = await import('./retire-command.ts');
      finish(await fleetRetireCommand(machine, options, world));
    });
}

function addWhatIf(
  command: Command,
  { world, finish }: Pick<CommandContext, 'world' | 'finish'>,
): void {
  command
    .description(
      'Shows which machines would get a release, when, and what stops. It need not be published.',
    )
    .option(
      '--release <file>',
      'the release as it will be published: a JSON file for registry publish',
    )
    .addHelpText('before', WHAT_IF_EXAMPLES)
    .action(async (moduleId: string, version: string, options: WhatIfOptions) => {
      const { whatIfCommand } = await import('./what-if-command.ts');
      finish(await whatIfCommand(moduleId, version, options, world));
    });
}

/** The options of a command that connects to a cluster. */
function withCluster(command: Command): Command {
  return command
    .option(
      '--nats <addresses>',
      'the nodes of the cluster, separated by commas (default: $MODREG_NATS)',
    )
    .option('--nats-creds <file>', 'the credentials for the cluster');
}

function withSecrets(command: Command): Command {
  return command.option(
    '--secrets-key <file>',
    'the key for secrets of machines, the same on all fronts (mode 0600)',
  );
}

function withMonitors(command: Command): Command {
  return command.option(
    '--monitor <addresses>',
    'the monitoring addresses of the nodes (default: port 8222 of each)',
  );
}

function addImport(fleet: Command, context: CommandContext): void {
  withSecrets(withCluster(withFile(fleet.command('import'), context)))
    .description('Moves the catalogue of a single server to an empty cluster.')
    .option('--replace', 'remove the events that the cluster has; stop all fronts first')
    .addHelpText('before', IMPORT_EXAMPLES)
    .action(async (options: FleetImportOptions) => {
      const { fleetImportCommand } = await import('./import-command.ts');
      context.finish(await fleetImportCommand(options, context.world));
    });
}

function addServe(fleet: Command, context: CommandContext): void {
  withSecrets(withMonitors(withCluster(withServing(fleet.command('serve'), context))))
    .description('Serves a registry as one of the fronts of a cluster, until SIGTERM.')
    .addHelpText('before', SERVE_EXAMPLES)
    .action(async (options: FleetServeOptions) => {
      const { fleetServeCommand } = await import('./serve-command.ts');
      context.finish(await fleetServeCommand(options, context.world));
    });
}

function addCheck(fleet: Command, { world, common, finish }: CommandContext): void {
  withMonitors(withCluster(common(fleet.command('check'))))
    .description('Checks that a NATS cluster has the settings that modreg needs. Changes nothing.')
    .addHelpText('before', CHECK_EXAMPLES)
    .action(async (options: FleetCheckOptions) => {
      const { fleetCheckCommand } = await import('./check-command.ts');
      finish(await fleetCheckCommand(options, world));
    });
}

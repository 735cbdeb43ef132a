import { Option, type Command } from 'commander';
import { SEVERITIES } from '../../logs/log-record.ts';
import { machinePath, withDocuments } from '../../host/machine-path.ts';
import { MACHINE } from '../base/shared-options.ts';
import type { CommandContext } from '../base/command-context.ts';
import type { AgentLogsOptions } from './logs-command.ts';
import type { AgentRunOptions } from './run-terms.ts';
import type { AgentSystemOptions } from './system-command.ts';
import type { InstallUnitOptions } from './systemd/install-unit-command.ts';
import type { UninstallUnitOptions } from './systemd/uninstall-unit-command.ts';

const RUN_EXAMPLES = `Examples:
  modreg agent run machine.json
  modreg agent run machine.json --interval 10s --json
`;

const SYSTEM_EXAMPLES = `Examples:
  modreg agent system machine.json --dry-run
  modreg agent system machine.json
`;

const STATUS_EXAMPLES = `Examples:
  modreg agent status
  modreg agent status --json
`;

const LOGS_EXAMPLES = `Examples:
  modreg agent logs
  modreg agent logs acme_lidar --follow
  modreg agent logs --since -2h --level warn --grep timeout
  modreg agent logs --lines 10000 --json
`;

const INSTALL_EXAMPLES = `Examples:
  modreg agent install-unit /etc/modreg/machine.json --start
  modreg agent install-unit /etc/modreg/machine.json --registry https://registry.example
`;

const UNINSTALL_EXAMPLES = `Examples:
  modreg agent uninstall-unit
  modreg agent uninstall-unit --purge
`;

/** Adds `modreg agent …`. */
export function addAgent(
  modreg: Command,
  { world, registry, common, finish }: CommandContext,
): void {
  const agent = modreg
    .command('agent')
    .description(
      'Runs the modules of this machine, and keeps them at the releases that are decided.',
    );
  addRun(agent, { world, registry, common, finish });
  addShown(agent, { world, registry, common, finish });
}

function addShown(agent: Command, { world, registry, common, finish }: CommandContext): void {
  common(agent.command('status'))
    .description('Shows each module: its version, its processes, and its next or failed update.')
    .addHelpText('before', STATUS_EXAMPLES)
    .action(async (options: { json?: true }) => {
      const { agentStatusCommand } = await import('./status-command.ts');
      finish(agentStatusCommand(options, world));
    });
  common(agent.command('logs [module]'))
    .description(
      'Shows the newest lines that the agent has printed: its own, and those of the modules.',
    )
    .option('-n, --lines <number>', 'how many lines, at most 10000 (default: 100)')
    .option('--since <time>', 'only lines since then, such as -2h or 2026-11-21T01:02:03Z')
    .addOption(
      new Option('--level <level>', 'only lines that are at least so severe').choices(SEVERITIES),
    )
    .option('--grep <text>', 'only lines that have this text, in any case')
    .option('-f, --follow', 'continue with the lines that follow (Ctrl-C stops)')
    .addHelpText('before', LOGS_EXAMPLES)
    .action(async (module: string | undefined, options: AgentLogsOptions) => {
      const { agentLogsCommand } = await import('./logs-command.ts');
      finish(await agentLogsCommand(module, options, world));
    });
  addSystem(agent, { world, registry, common, finish });
}

function addRun(agent: Command, { world, registry, finish }: CommandContext): void {
  registry(agent.command('run').argument(...MACHINE))
    .description(
      'Downloads, starts, watches, replaces and rolls back the modules of this machine, until it is stopped.',
    )
    .option('--interval <duration>', 'the time between two rounds, at least 5s (default: 1m)')
    .option('--platform <platform>', "linux/amd64 or linux/arm64 (default: this machine's)")
    .option(
      '--reports <address>',
      'report to this registry what the machine runs (default: $MODREG_REPORTS, else nowhere)',
    )
    .option(
      '--config-from <registry>',
      'follow the machine config and the terms that this registry serves (default: none)',
    )
    .option('--metrics <host:port>', 'serve /metrics there, such as 127.0.0.1:9464')
    .option('--page', 'also serve the page of the machine, as modreg page does')
    .option('--page-port <port>', 'the port of the page (default: 4890)')
    .addHelpText('beforeAll', RUN_EXAMPLES)
    .action(async (file: string | undefined, options: AgentRunOptions) => {
      const { agentRunCommand } = await import('./run-command.ts');
      finish(await agentRunCommand(...withDocuments(file, options, world), world));
    });
}

function addSystem(agent: Command, { world, registry, common, finish }: CommandContext): void {
  common(agent.command('system').argument(...MACHINE))
    .description(
      'Applies the settings of the system once: networks, limits of the journal, unattended upgrades.',
    )
    .option('--dry-run', 'only show what would change, without keys and passwords')
    .addHelpText('before', SYSTEM_EXAMPLES)
    .action(async (file: string | undefined, options: AgentSystemOptions) => {
      const { agentSystemCommand } = await import('./system-command.ts');
      finish(await agentSystemCommand(machinePath(file, world), options, world));
    });
  addService(agent, { world, registry, common, finish });
}

function addService(agent: Command, { world, registry, common, finish }: CommandContext): void {
  registry(agent.command('install-unit').argument(...MACHINE))
    .description(
      'Installs the agent as the service platform-agent of systemd, which starts with the machine.',
    )
    .option('--interval <duration>', 'the time between two rounds, at least 5s (default: 30s)')
    .option('--start', 'start the service at once, or again')
    .option(
      '--trust <digest>',
      'write this digest of a trust document into the policy (default: that of $MODREG_TRUST)',
    )
    .addHelpText('beforeAll', INSTALL_EXAMPLES)
    .action(async (file: string | undefined, options: InstallUnitOptions) => {
      const { installUnitCommand } = await import('./systemd/install-unit-command.ts');
      const [path, documents] = withDocuments(file, options, world);
      const outcome = installUnitCommand(path, documents, world);
      if (outcome.problems.length > 0) return finish(outcome);
      const { offeredPin } = await import('./systemd/policy-pin.ts');
      const warning = await offeredPin(path, documents, world);
      finish(warning ? { ...outcome, problems: [warning] } : outcome);
    });
  common(agent.command('uninstall-unit'))
    .description('Stops and removes the service platform-agent, and what install-unit wrote.')
    .option('--purge', 'also remove the state of the agent, packages, and what modules keep')
    .addHelpText('before', UNINSTALL_EXAMPLES)
    .action(async (options: UninstallUnitOptions) => {
      const { uninstallUnitCommand } = await import('./systemd/uninstall-unit-command.ts');
      finish(uninstallUnitCommand(options, world));
    });
}

import type { Command } from 'commander';
import { withDocuments } from '../../host/machine-path.ts';
import type { CommandContext } from '../base/command-context.ts';
import { MACHINE } from '../base/shared-options.ts';
import type { WatchOptions } from '../plan/watch-command.ts';
import type { PollOptions } from './poll-terms.ts';

const WATCH_EXAMPLES = `Examples:
  modreg watch machine.json
  modreg watch machine.json --deployed deployed.json --interval 30s
  modreg watch machine.json --json >> actions.ndjson
`;

const POLL_EXAMPLES = `Examples:
  modreg poll machine.json --exec ./hook --deployed none
  modreg poll machine.json --exec ./hook --deployed deployed.json --timeout 10m
  modreg poll machine.json --prepare ./download --exec ./switch --deployed none
`;

export function addWatch(modreg: Command, { world, registry, finish }: CommandContext): void {
  registry(modreg.command('watch').argument(...MACHINE))
    .description(
      'Prints each action that an agent of this machine would take, when it is due. Changes nothing.',
    )
    .option('--platform <platform>', "linux/amd64 or linux/arm64 (default: this machine's)")
    .option(
      '--deployed <file>',
      'the deployed versions, read before each round (default: as recorded in machine.db)',
    )
    .option('--interval <duration>', 'the time between two rounds, at least 5s (default: 1m)')
    .option('--strict', 'refuse documents with warnings')
    .addHelpText('before', WATCH_EXAMPLES)
    .action(async (file: string | undefined, options: WatchOptions) => {
      const { watchCommand } = await import('../plan/watch-command.ts');
      finish(await watchCommand(...withDocuments(file, options, world), world));
    });
}

export function addPoll(modreg: Command, { world, registry, finish }: CommandContext): void {
  registry(modreg.command('poll').argument(...MACHINE))
    .description(
      'Polls this machine, and runs a program for each action when it is due: an install, upgrade, downgrade, rollback or restart.',
    )
    .requiredOption(
      '--exec <program>',
      'the program; it gets the action as JSON on stdin. Exit code 0: done. 75: try again later. 1 to 125: the release failed, with the last line of stderr as the reason',
    )
    .option(
      '--prepare <program>',
      'a program that runs before, for example to download; it gets the same JSON and stops nothing. Then --exec runs only if the action may still be begun',
    )
    .option(
      '--deployed <file>',
      'the versions that are deployed before the first action, or the word none if nothing is',
    )
    .option('--timeout <duration>', 'how long each program may take (default: 30m)')
    .option('--interval <duration>', 'the time between two rounds, at least 5s (default: 1m)')
    .option('--platform <platform>', "linux/amd64 or linux/arm64 (default: this machine's)")
    .option('--metrics <host:port>', 'serve /metrics there, such as 127.0.0.1:9464')
    .option(
      '--reports <address>',
      'report to this registry what the machine runs (default: $MODREG_REPORTS, else nowhere)',
    )
    .option(
      '--config-from <registry>',
      'follow the machine config and the terms that this registry serves (default: none)',
    )
    .addHelpText('beforeAll', POLL_EXAMPLES)
    .action(async (file: string | undefined, options: PollOptions) => {
      const { pollCommand } = await import('./poll-command.ts');
      finish(await pollCommand(...withDocuments(file, options, world), world));
    });
}

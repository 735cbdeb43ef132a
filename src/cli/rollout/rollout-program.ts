import type { Command } from 'commander';
import type { CommandContext } from '../base/command-context.ts';
import type { ChangeName, RolloutOptions } from './rollout-command.ts';

const EXAMPLES: Readonly<Record<string, string>> = {
  start: `
  modreg rollout start acme:lidar 1.3.0
  modreg rollout start acme:lidar 1.3.0 --soak 4h
  modreg rollout start acme:lidar 1.3.0 --first canary,lab`,
  status: `
  modreg rollout status
  modreg rollout status acme:lidar 1.3.0 --json`,
  halt: `
  modreg rollout halt acme:lidar 1.3.0 --reason 'the motor is loud'`,
  resume: `
  modreg rollout resume acme:lidar 1.3.0 --failures 5`,
  raise: `
  modreg rollout raise acme:lidar 1.3.0
  modreg rollout raise acme:lidar 1.3.0 --to 50
  modreg rollout raise acme:lidar 1.3.0 --failures 1`,
  retract: `
  modreg rollout retract acme:lidar 1.3.0 --reason 'stops the motor'`,
};

/** A command that changes one rollout, and its option. */
interface Change {
  readonly name: ChangeName | 'start';
  readonly description: string;
  readonly option: readonly [flags: string, description: string];
  readonly other?: readonly [flags: string, description: string];
}

/** Of each command that begins a rollout. */
export const FIRST = [
  '--first <groups>',
  'the groups that get it first, each for its soak, such as canary,lab',
] as const;

const REASON = ['--reason <text>', 'the reason that machines and people see'] as const;

const FAILURES = [
  '--failures <number>',
  'how many machines failed or became silent, as status shows it',
] as const;

const CHANGES: readonly Change[] = [
  {
    name: 'start',
    description:
      'Starts the rollout of a yanked release, which is then no longer yanked. A new one: modreg registry publish --rollout.',
    option: ['--soak <duration>', 'how long each step lasts at least (default: 1h)'],
    other: FIRST,
  },
  {
    name: 'halt',
    description: 'Halts a rollout: no further machine installs the release.',
    option: REASON,
  },
  { name: 'resume', description: 'Resumes a halted rollout.', option: FAILURES },
  {
    name: 'raise',
    description: 'Takes the next step now.',
    option: ['--to <percent>', 'a higher step, up to 100'],
    other: FAILURES,
  },
  {
    name: 'retract',
    description: 'Ends a rollout for good: no further machine upgrades to the release.',
    option: REASON,
  },
];

/** Adds `modreg rollout …`. */
export function addRollout(modreg: Command, { world, common, finish }: CommandContext): void {
  const group = modreg
    .command('rollout')
    .description('Gives a release to more and more machines, and halts if it fails.');
  for (const { name, description, option, other } of CHANGES) {
    const command = withRegistry(common(group.command(`${name} <module_id> <version>`)));
    command.description(description).option(...option);
    if (other) command.option(...other);
    command.action(async (moduleId: string, version: string, options: RolloutOptions) => {
      const { changeCommand, startCommand } = await import('./rollout-command.ts');
      const release = [moduleId, version] as const;
      finish(
        name === 'start'
          ? await startCommand(release, options, world)
          : await changeCommand(name, release, options, world),
      );
    });
  }
  withRegistry(common(group.command('status [module_id] [version]')))
    .description('Shows a rollout, its machines and its next step; all rollouts without a module.')
    .action(async (moduleId: string | undefined, version: string, options: RolloutOptions) => {
      const { statusCommand } = await import('./rollout-command.ts');
      finish(await statusCommand([moduleId, version], options, world));
    });
  for (const command of group.commands) {
    command.addHelpText('before', `Examples:${EXAMPLES[command.name()]}\n`);
  }
}

function withRegistry(command: Command): Command {
  return command.option(
    '--registry <address>',
    'the registry that has the rollout (default: $MODREG_REGISTRY)',
  );
}

import { Command, CommanderError } from 'commander';
import { withDocuments } from '../host/machine-path.ts';
import type { AcceptOptions } from './registry/accept-command.ts';
import type { Outcome } from '../base/problem.ts';
import type { CompareOptions } from './resolve/compare-command.ts';
import type { CommandContext } from './base/command-context.ts';
import { groupCommands } from './base/command-groups.ts';
import { addAdd, addRemove, addSet } from './edit/edit-program.ts';
import { addAgent } from './agent/agent-program.ts';
import { addCheck, addSchema } from './check/check-program.ts';
import { addBoard } from './board/board-program.ts';
import { addData } from './data/data-program.ts';
import { addJoin } from './join/join-program.ts';
import { addKeys } from './keys/keys-program.ts';
import { addFloor } from './machine/floor-program.ts';
import { addCompletion } from './completion/completion-program.ts';
import { addDemo } from './demo/demo-program.ts';
import { addFleet } from './fleet/fleet-program.ts';
import { addRollout } from './rollout/rollout-program.ts';
import { addDoctor } from './doctor/doctor-program.ts';
import {
  addHold,
  addQuarantine,
  addReplay,
  addRestart,
  addRollback,
  addStatus,
  addUnhold,
  addUpgrade,
  addWhy,
} from './machine-program.ts';
import { addModule } from './module/module-program.ts';
import { addPage } from './page/page-program.ts';
import { addPoll, addWatch } from './poll/poll-program.ts';
import { addRegistryCommands } from './registry-program.ts';
import type { PlanOptions } from './plan/plan-command.ts';
import type { ResolveOptions } from './resolve/resolve-command.ts';
import {
  MACHINE,
  WHOLE_POLICY,
  withCommonOptions,
  withListOptions,
  withRegistryOptions,
} from './base/shared-options.ts';
import { commandLineProblem, exitCodeLines } from './base/usage.ts';
import { addVersion, versionLine } from './version-program.ts';
import type { World } from '../base/world.ts';

const RESOLVE_EXAMPLES = `Examples:
  modreg resolve acme:lidar '1.2.*'
  modreg resolve acme:lidar latest --explain
  modreg resolve acme:lidar '1.2.*' --registry https://registry.example --max-age 5m
  modreg resolve npm:typescript '5.4.*' --registry ./registry --json
`;

const COMPARE_EXAMPLES = `Examples:
  modreg compare acme:lidar
  modreg compare acme:lidar --deployed 1.2.3
`;

const PLAN_EXAMPLES = `Examples:
  modreg plan machine.json --deployed deployed.json
  modreg plan machine.json --deployed deployed.json --at 2026-11-22T02:00:00Z
  modreg plan machine.json --deployed deployed.json --exit-code --json
`;

const ACCEPT_EXAMPLES = `Examples:
  modreg accept acme:lidar --registry https://registry.example
`;

const CONSTRAINTS = `
Constraints:
  X.Y.Z                   this version only; never updates
  X.Y.*                   the newest patch of X.Y
  X.*                     the newest release of X
  latest                  the newest release
  latest-with-prerelease  the newest release or prerelease
`;

/** The width of help that is not shown on a terminal. */
const HELP_WIDTH = 80;

/** Runs the command that `argv` names. It throws only on a bug in modreg. */
export async function runCommandLine(argv: readonly string[], world: World): Promise<Outcome> {
  if (argv[0] === 'help' && argv[1] === 'exit-codes') {
    return { answer: exitCodeLines(), notes: [], problems: [] };
  }
  // For the scripts of `modreg completion`; no help names it.
  if (argv[0] === '__complete' && argv[1] === '--') {
    const { completeCommand } = await import('./completion/complete-command.ts');
    const words = argv.slice(2);
    return await completeCommand(
      words,
      commandLine(words.slice(0, -1), [], { world, finish: () => undefined }),
      world,
    );
  }
  let outcome: Outcome = { answer: [], notes: [], problems: [] };
  const help: string[] = [];
  const modreg = commandLine(argv, help, { world, finish: (done) => (outcome = done) });
  if (argv.length === 0) {
    const problem = commandLineProblem('no command is named', argv, modreg);
    return { answer: [], notes: linesOf(modreg.helpInformation()), problems: [problem] };
  }
  let typed: unknown;
  modreg.hook('preAction', (_, command) => {
    typed = command.opts()['registry'];
  });
  try {
    await modreg.parseAsync(argv, { from: 'user' });
    return typeof typed === 'string' ? await namingRegistry(outcome, typed, world) : outcome;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const answer = linesOf(help.join(''));
    // For `help` with an unknown command, commander prints the general help and reports the code `commander.help`.
    const unknown = argv[0] === 'help' ? 'unknown command' : 'no command is named';
    const message = error.code === 'commander.help' ? unknown : error.message;
    if (error.exitCode === 0) return { answer, notes: [], problems: [] };
    const suggestion = argv[0] === 'help' ? await helpLike(argv[1] ?? '', modreg) : undefined;
    const problem = commandLineProblem(message, argv, modreg);
    return { answer, notes: [], problems: [suggestion ? { ...problem, suggestion } : problem] };
  }
}

/** The outcome of a command line with `--registry`, whose hints name that registry. */
async function namingRegistry(outcome: Outcome, typed: string, world: World): Promise<Outcome> {
  const texts = [...outcome.notes, ...outcome.problems.map(({ hint = '' }) => hint)];
  if (!texts.some((text) => text.includes('modreg '))) return outcome;
  const { withTypedRegistry } = await import('./base/typed-registry.ts');
  return withTypedRegistry(outcome, typed, commandLine([], [], { world, finish: () => undefined }));
}

/** The help that resembles what `modreg help` was asked for. */
async function helpLike(asked: string, modreg: Command): Promise<string | undefined> {
  const { nearestWord } = await import('../core/text/nearest-word.ts');
  const names = [...modreg.commands.map((command) => command.name()), 'exit-codes'];
  const found = nearestWord(asked, names);
  return found && `modreg help ${found}`;
}

type AddCommand = (modreg: Command, context: CommandContext) => void;

/** Adds each command. The general help lists them in this order. */
const COMMANDS: Readonly<Record<string, AddCommand>> = {
  status: addStatus,
  plan: addPlan,
  why: addWhy,
  doctor: addDoctor,
  page: addPage,
  agent: addAgent,
  poll: addPoll,
  watch: addWatch,
  board: addBoard,
  replay: addReplay,
  join: addJoin,
  add: addAdd,
  set: addSet,
  remove: addRemove,
  hold: addHold,
  unhold: addUnhold,
  upgrade: addUpgrade,
  restart: addRestart,
  rollback: addRollback,
  quarantine: addQuarantine,
  floor: addFloor,
  data: addData,
  accept: addAccept,
  resolve: addResolve,
  compare: addCompare,
  check: addCheck,
  schema: addSchema,
  module: (modreg, context) => addModule(modreg, context, runCommandLine),
  registry: addRegistryCommands,
  keys: addKeys,
  rollout: addRollout,
  fleet: addFleet,
  demo: (modreg, context) => addDemo(modreg, context, runCommandLine),
  completion: addCompletion,
  version: addVersion,
};

/** The command line for `argv`. If `argv` begins with a command, the others are not added: no output names them. */
export function commandLine(
  argv: readonly string[],
  help: string[],
  { world, finish }: Pick<CommandContext, 'world' | 'finish'>,
): Command {
  const modreg = new Command('modreg')
    .description('Decides which release of each module a machine should run, and says why.')
    .exitOverride()
    // `modreg add --version` is an option of the command.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => help.push(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => world.columns ?? HELP_WIDTH,
      getErrHelpWidth: () => world.columns ?? HELP_WIDTH,
    })
    .option('-V, --version', 'print the versions of modreg and of Node')
    .on('option:version', () => {
      help.push(`${versionLine()}\n`);
      throw new CommanderError(0, 'commander.version', 'the versions are printed');
    })
    .addHelpText('after', '\nmodreg help exit-codes lists the exit codes and the error codes.');
  const context = {
    world,
    finish,
    common: withCommonOptions,
    registry: (command: Command) => withRegistryOptions(withCommonOptions(command), WHOLE_POLICY),
  };
  const [named = ''] = argv;
  const added = Object.hasOwn(COMMANDS, named) ? [COMMANDS[named]] : Object.values(COMMANDS);
  for (const add of added) add?.(modreg, context);
  groupCommands(modreg);
  return modreg;
}

function addResolve(modreg: Command, { world, finish }: CommandContext): void {
  withListOptions(modreg.command('resolve <module_id> <constraint>'))
    .description('Prints the release that a constraint now selects for a module.')
    .option('--explain', 'show why entries of the list are selected or refused')
    .option('--all', 'like --explain, with a line for every entry')
    .option('--machine', 'refuse what this machine refuses, as it decided last')
    .addHelpText('before', RESOLVE_EXAMPLES)
    .addHelpText('after', CONSTRAINTS)
    .action(async (moduleId: string, constraint: string, options: ResolveOptions) => {
      const { resolveCommand } = await import('./resolve/resolve-command.ts');
      finish(await resolveCommand(moduleId, constraint, options, world));
    });
}

function addCompare(modreg: Command, { world, finish }: CommandContext): void {
  withListOptions(modreg.command('compare <module_id>'))
    .description('Shows the release that each of the five version types selects, side by side.')
    .option('--deployed <version>', 'the deployed version')
    .addHelpText('before', COMPARE_EXAMPLES)
    .action(async (moduleId: string, options: CompareOptions) => {
      const { compareCommand } = await import('./resolve/compare-command.ts');
      finish(await compareCommand(moduleId, options, world));
    });
}

function addAccept(modreg: Command, { world, common, finish }: CommandContext): void {
  withRegistryOptions(common(modreg.command('accept <module_id>')))
    .description(
      'Shows what changed in the release list of a module, and accepts the list as it is now.',
    )
    .option('--dry-run', 'show the changes without accepting them')
    .addHelpText('before', ACCEPT_EXAMPLES)
    .action(async (moduleId: string, options: AcceptOptions) => {
      const { acceptCommand } = await import('./registry/accept-command.ts');
      finish(await acceptCommand(moduleId, options, world));
    });
}

function addPlan(modreg: Command, { world, finish }: CommandContext): void {
  withListOptions(modreg.command('plan').argument(...MACHINE), WHOLE_POLICY)
    .description(
      'Shows which releases a machine should run now, why, and which components would stop. Changes nothing.',
    )
    .option(
      '--deployed <file>',
      'the deployed versions: a JSON object from names to versions, null if not deployed (default: as recorded in machine.db)',
    )
    .option('--exit-code', 'exit 10 if a replacement is due or held')
    .option('--strict', 'exit 1 for warnings too')
    .addHelpText('before', PLAN_EXAMPLES)
    .action(async (file: string | undefined, options: PlanOptions) => {
      const { planCommand } = await import('./plan/plan-command.ts');
      finish(await planCommand(...withDocuments(file, options, world), world));
    });
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.trimEnd().split('\n');
}

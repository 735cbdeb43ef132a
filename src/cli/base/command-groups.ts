import { Help, type Command } from 'commander';

const LAST_GROUP = 'First steps:';

/** The groups of the general help in its order, and what it says of each command. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'This machine:': {
    status: 'deployed and wanted versions, what waits, the last round',
    plan: 'what should run now, why, and what would stop',
    why: 'the decisions about a module, and what made each change',
    doctor: 'whether the machine is ready and well, and what to do',
    page: 'a web page of the machine',
    agent: 'runs the modules, and shows their processes and logs',
    poll: 'runs a program of yours for each action',
    watch: 'prints each action when it is due',
    board: 'what its fake boards read',
    replay: 'repeats a recorded decision',
  },
  'Change this machine:': {
    join: 'joins a registry: credentials, policy, empty config',
    add: 'adds a module to the machine config',
    set: 'changes which releases a module accepts',
    remove: 'takes a module out of the machine config',
    hold: 'stops changes of a module or the machine for a time',
    unhold: 'ends a hold',
    upgrade: 'shows what holds an upgrade, or makes it now',
    restart: 'restarts a module',
    rollback: 'goes back to the previous version',
    quarantine: 'versions that this machine refuses',
    floor: 'lets a module pass a release that it has to run first',
    data: 'moves the data that a module keeps',
    accept: 'accepts a release list that has changed',
  },
  'Releases and documents:': {
    resolve: 'the release that a constraint selects',
    compare: 'what each of the five version types selects',
    check: 'every problem in configs and policies',
    schema: 'the JSON Schema of a document, for editors',
  },
  'Registry and fleet:': {
    registry: 'publishes, yanks and lists releases; tokens; serves a registry',
    module: 'makes, checks and packs a module of yours',
    keys: 'the keys that sign releases',
    rollout: 'gives a release to more and more machines',
    fleet: 'what the machines of a registry run, and what fails',
  },
  [LAST_GROUP]: {
    demo: 'shows in a minute what modreg does',
    completion: 'the script with which a shell completes commands',
    version: 'the versions of modreg and of Node',
  },
};

/** Puts each command in its group of the general help, which shows a line of each. */
export function groupCommands(modreg: Command): void {
  const help = new Help();
  modreg.configureHelp({
    subcommandTerm: (command) =>
      command.parent === modreg || command.name() === 'help'
        ? command.name()
        : help.subcommandTerm(command),
  });
  modreg.commandsGroup(LAST_GROUP).helpCommand('help [command]', 'the help of a command');
  for (const [heading, commands] of Object.entries(GROUPS)) {
    for (const [name, summary] of Object.entries(commands)) {
      modreg.commands
        .find((command) => command.name() === name)
        ?.helpGroup(heading)
        .summary(summary);
    }
  }
}

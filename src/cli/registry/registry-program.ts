import type { Command } from 'commander';
import type { Outcome } from '../problem.ts';
import type { PublishOptions } from './publish-command.ts';
import type { CatalogueOptions } from './catalogue-options.ts';
import type { ServeCommandOptions } from './serve-command.ts';
import type { World } from '../world.ts';

const EXAMPLES = `Examples:
  modreg registry publish acme:lidar 1.2.9
  modreg registry publish acme:lidar 1.3.0 --artifact linux/arm64=https://modules.example/lidar.tar.gz --digest sha256:5f70…
  modreg registry publish acme:lidar --file releases.json
  modreg registry yank acme:lidar 1.2.9 --reason 'stops the motor'
  modreg registry serve --port 4870
`;

/** What the commands are made with. */
interface Making {
  readonly world: World;
  /** Adds the options of every command. */
  readonly common: (command: Command) => Command;
  readonly finish: (outcome: Outcome) => void;
}

/** Adds `modreg registry …`. */
export function addRegistryCommands(modreg: Command, making: Making): void {
  const registry = modreg
    .command('registry')
    .description('The embedded registry: publish, yank, serve.')
    .addHelpText('beforeAll', EXAMPLES);
  addPublish(registry, making);
  addYanks(registry, making);
  addList(registry, making);
  addServe(registry, making);
}

function withFile(command: Command, { common }: Making): Command {
  return common(command).option(
    '--db <file>',
    "the registry's file (default: $PLATFORM_HOME/registry.db)",
  );
}

function addPublish(registry: Command, making: Making): void {
  withFile(registry.command('publish <module_id> [version]'), making)
    .description('Publishes a release, which never changes afterwards.')
    .option('--artifact <platform=url>', 'where a platform gets it; as often as needed', collect)
    .option('--digest <digest>', 'sha256:… or sha512:… of that artifact, one for each', collect)
    .option('--size <bytes>', 'the size of that artifact, one for each', collect)
    .option('--published-at <time>', 'when it was (default: now)')
    .option('--deprecated <reason>', 'publish it with a warning')
    .option('--file <file>', 'publish the releases of a JSON file: a list, or a module document')
    .action(async (moduleId: string, version: string | undefined, options: PublishOptions) => {
      const { publishCommand } = await import('./publish-command.ts');
      making.finish(publishCommand(moduleId, version, options, making.world));
    });
}

function addYanks(registry: Command, making: Making): void {
  withFile(registry.command('yank <module_id> <version>'), making)
    .description('Keeps a release from being chosen by anything but a pin.')
    .option('--reason <text>', 'what machines and people are told', '')
    .action(async (moduleId: string, version: string, options: YankOptions) => {
      const { yankCommand } = await import('./yank-command.ts');
      making.finish(yankCommand([moduleId, version], options.reason, options, making.world));
    });
  withFile(registry.command('unyank <module_id> <version>'), making)
    .description('Takes a yank back.')
    .action(async (moduleId: string, version: string, options: CatalogueOptions) => {
      const { yankCommand } = await import('./yank-command.ts');
      making.finish(yankCommand([moduleId, version], null, options, making.world));
    });
}

function addList(registry: Command, making: Making): void {
  withFile(registry.command('list [namespace]'), making)
    .description('Shows the modules that there are.')
    .action(async (namespace: string | undefined, options: CatalogueOptions) => {
      const { listCommand } = await import('./list-command.ts');
      making.finish(listCommand(namespace, options, making.world));
    });
}

function addServe(registry: Command, making: Making): void {
  const token = registry.command('token').description('Tokens that publish and yank over HTTP.');
  withFile(token.command('create'), making)
    .description('Makes a token, and prints it this once.')
    .action(async (options: CatalogueOptions) => {
      const { tokenCommand } = await import('./token-command.ts');
      making.finish(tokenCommand(options, making.world));
    });
  withFile(registry.command('serve'), making)
    .description('Serves the registry over HTTP until SIGTERM.')
    .option('--host <host>', 'the address to listen at', '127.0.0.1')
    .option('--port <port>', '0 finds a free one', '4870')
    .option('--spread <ms>', 'over how long clients spread their questions after a change', '1000')
    .action(async (options: ServeCommandOptions) => {
      const { serveCommand } = await import('./serve-command.ts');
      making.finish(await serveCommand(options, making.world));
    });
}

type YankOptions = CatalogueOptions & { readonly reason: string };

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

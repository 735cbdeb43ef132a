import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { PublishOptions } from './publish-command.ts';
import type { CatalogueOptions } from './catalogue-options.ts';
import type { ServeCommandOptions } from './serve-command.ts';

const EXAMPLES = `Examples:
  modreg registry publish acme:lidar 1.2.9
  modreg registry publish acme:lidar 1.3.0 --artifact linux/arm64=https://modules.example/lidar.tar.gz --digest sha256:5f70…
  modreg registry publish acme:lidar --file releases.json
  modreg registry yank acme:lidar 1.2.9 --reason 'stops the motor'
  modreg registry serve --port 4870
`;

/** Adds `modreg registry …`. */
export function addRegistryCommands(modreg: Command, context: CommandContext): void {
  const registry = modreg
    .command('registry')
    .description('Manages the embedded registry: publish, yank, serve.')
    .addHelpText('beforeAll', EXAMPLES);
  addPublish(registry, context);
  addYanks(registry, context);
  addList(registry, context);
  addServe(registry, context);
}

function withFile(command: Command, { common }: CommandContext): Command {
  return common(command).option(
    '--db <file>',
    "the registry's file (default: $PLATFORM_HOME/registry.db)",
  );
}

function addPublish(registry: Command, context: CommandContext): void {
  withFile(registry.command('publish <module_id> [version]'), context)
    .description('Publishes a release, which never changes afterwards.')
    .option(
      '--artifact <platform=url>',
      'the URL of the artifact for a platform; repeatable',
      collect,
    )
    .option(
      '--digest <digest>',
      'sha256:… or sha512:… of that artifact; one for each --artifact',
      collect,
    )
    .option(
      '--size <bytes>',
      'the size of that artifact; one for each --artifact, or none',
      collect,
    )
    .option('--published-at <time>', 'the time of publication (default: now)')
    .option('--deprecated <reason>', 'publish the release as deprecated, with a warning')
    .option('--file <file>', 'publish the releases of a JSON file: a list, or a module document')
    .action(async (moduleId: string, version: string | undefined, options: PublishOptions) => {
      const { publishCommand } = await import('./publish-command.ts');
      context.finish(publishCommand(moduleId, version, options, context.world));
    });
}

function addYanks(registry: Command, context: CommandContext): void {
  withFile(registry.command('yank <module_id> <version>'), context)
    .description('Yanks a release: only a pin can still select it.')
    .option('--reason <text>', 'the reason that machines and people see', '')
    .action(async (moduleId: string, version: string, options: YankOptions) => {
      const { yankCommand } = await import('./yank-command.ts');
      context.finish(yankCommand([moduleId, version], options.reason, options, context.world));
    });
  withFile(registry.command('unyank <module_id> <version>'), context)
    .description('Reverts a yank.')
    .action(async (moduleId: string, version: string, options: CatalogueOptions) => {
      const { yankCommand } = await import('./yank-command.ts');
      context.finish(yankCommand([moduleId, version], null, options, context.world));
    });
}

function addList(registry: Command, context: CommandContext): void {
  withFile(registry.command('list [namespace]'), context)
    .description('Shows the published modules.')
    .action(async (namespace: string | undefined, options: CatalogueOptions) => {
      const { listCommand } = await import('./list-command.ts');
      context.finish(listCommand(namespace, options, context.world));
    });
}

function addServe(registry: Command, context: CommandContext): void {
  const token = registry
    .command('token')
    .description('Manages the tokens for publishing and yanking over HTTP.');
  withFile(token.command('create'), context)
    .description('Creates a token. It is printed only once.')
    .action(async (options: CatalogueOptions) => {
      const { tokenCommand } = await import('./token-command.ts');
      context.finish(tokenCommand(options, context.world));
    });
  withFile(registry.command('serve'), context)
    .description('Serves the registry over HTTP until SIGTERM.')
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .option('--port <port>', 'the port to listen on; 0 selects a free one', '4870')
    .option(
      '--spread <ms>',
      'the time over which clients spread their requests after a change',
      '1000',
    )
    .action(async (options: ServeCommandOptions) => {
      const { serveCommand } = await import('./serve-command.ts');
      context.finish(await serveCommand(options, context.world));
    });
}

type YankOptions = CatalogueOptions & { readonly reason: string };

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

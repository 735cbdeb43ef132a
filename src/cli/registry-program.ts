import type { Command } from 'commander';
import type { CommandContext } from './base/command-context.ts';
import type { PublishOptions } from '../site/publish.ts';
import { collect, withFile, withKeys, withNewFile, withServing } from './base/catalogue-flags.ts';
import type { CatalogueOptions } from '../site/catalogue-options.ts';
import type { ChangeOptions } from '../site/remote-registry.ts';
import type { SignOptions } from '../site/sign.ts';
import type { SigningOptions } from '../site/signing.ts';
import type { ServeCommandOptions } from './serve/serve-terms.ts';
import type { RestoreOptions } from './registry/restore-command.ts';
import type { SitePageOptions } from './site/site-page-command.ts';
import type { WallLinkOptions } from './site/wall-link-command.ts';
import { FIRST } from './rollout/rollout-program.ts';
import { addAccounts } from './registry/account-program.ts';
import { addInvite, addTokens } from './registry/token-program.ts';
import { addOutcomes } from './registry/outcomes-program.ts';

/** By the name of the command. */
const EXAMPLES: Readonly<Record<string, string>> = {
  publish: `
  modreg registry publish acme:lidar 1.2.9
  modreg registry publish acme:lidar 1.3.0 --artifact linux/arm64=https://modules.example/lidar.tar.gz --digest sha256:5f70…
  modreg registry publish acme:lidar 1.3.0 --upload linux/arm64=lidar-arm64.tar.gz --upload linux/amd64=lidar-amd64.tar.gz
  modreg registry publish acme:lidar 1.2.9 --registry https://registry.example
  modreg registry publish acme:lidar 1.3.0 --upload linux/arm64=lidar-arm64.tar.gz --key publish.key
  modreg registry publish acme:lidar --file releases.json`,
  sign: `
  modreg registry sign acme:lidar 1.3.0 --registry https://registry.example
  modreg registry sign acme:lidar 1.3.0 --registry https://registry.example --key approver.key
  modreg registry sign acme:lidar --key publish.key`,
  yank: `
  modreg registry yank acme:lidar 1.2.9 --reason 'stops the motor'
  modreg registry yank acme:lidar 1.2.9 --registry https://registry.example`,
  unyank: `
  modreg registry unyank acme:lidar 1.2.9`,
  deprecate: `
  modreg registry deprecate acme:lidar 1.2.9 --reason 'use 1.3'
  modreg registry deprecate acme:lidar 1.2.9 --registry https://registry.example`,
  undeprecate: `
  modreg registry undeprecate acme:lidar 1.2.9`,
  list: `
  modreg registry list
  modreg registry list acme --json`,
  show: `
  modreg registry show acme:lidar
  modreg registry show acme:lidar 1.3.0`,
  outcomes: `
  modreg registry outcomes acme:lidar
  modreg registry outcomes acme:lidar 1.3.0 --since 7d`,
  backup: `
  modreg registry backup /var/backups/modreg
  modreg registry backup /var/backups/modreg --json`,
  verify: `
  modreg registry verify
  modreg registry verify /var/backups/modreg`,
  restore: `
  modreg registry restore /var/backups/modreg
  modreg registry restore /var/backups/modreg --replace`,
  serve: `
  modreg registry serve
  modreg registry serve --page
  modreg registry serve --port 4870 --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem`,
  page: `
  modreg registry page
  modreg registry page --db registry.db --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem`,
};

/** Adds `modreg registry …`. */
export function addRegistryCommands(modreg: Command, context: CommandContext): void {
  const registry = modreg
    .command('registry')
    .description('Manages a registry: its releases, its tokens, its server.');
  addPublish(registry, context);
  addSign(registry, context);
  addYanks(registry, context);
  addDeprecations(registry, context);
  addLists(registry, context);
  addOutcomes(registry, context);
  addInvite(registry, context);
  addTokens(registry, context);
  addAccounts(registry, context);
  addBackups(registry, context);
  addServe(registry, context);
  addPage(registry, context);
  for (const command of registry.commands) {
    const examples = EXAMPLES[command.name()];
    if (examples !== undefined) command.addHelpText('before', `Examples:${examples}\n`);
  }
}

/** For a command that can change a registry over HTTP as well. */
function withAddress(command: Command): Command {
  return command.option(
    '--registry <address>',
    'change the registry at https://host instead of a file; needs a token',
  );
}

/** For a command that only reads. */
const READ_ADDRESS = [
  '--registry <address>',
  'read the registry at this address instead of a file',
] as const;

/** The options of the files of a release. */
function withFiles(command: Command): Command {
  return command
    .option(
      '--upload <platform=file>',
      'a file that the registry hosts for a platform, or a file for all platforms; repeatable',
      collect,
    )
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
    );
}

function addSign(registry: Command, context: CommandContext): void {
  withKeys(withAddress(withFile(registry.command('sign <module_id> [version]'), context)))
    .description('Shows what signatures of releases are over; with a key, adds them.')
    .option('--seen <digest>', 'sign only what was shown with this digest')
    .action(async (moduleId: string, version: string | undefined, options: SignOptions) => {
      const { signCommand } = await import('./registry/sign-command.ts');
      context.finish(await signCommand(moduleId, version, options, context.world));
    });
}

function addPublish(registry: Command, context: CommandContext): void {
  const publish = withNewFile(registry.command('publish <module_id> [version]'), context);
  withKeys(withFiles(withAddress(publish)))
    .description('Publishes a release, which never changes afterwards.')
    .option('--published-at <time>', 'the time of publication (default: now)')
    .option('--deprecated <reason>', 'publish the release as deprecated, with a warning')
    .option('--requires <name=range>', 'a version or a tag that it needs; repeatable', collect)
    .option('--floor', 'a machine has to run the release before any higher one')
    .option('--rollout', 'publish into a staged rollout: 0.1 % of the machines first')
    .option('--all-at-once', 'no rollout, also where the registry begins one by default')
    .option('--soak <duration>', 'how long each step of the rollout lasts at least (default: 1h)')
    .option(...FIRST)
    .option(
      '--force',
      'publish although machines report a modreg that ignores --requires or --floor',
    )
    .option('--notes <file>', 'the release notes, in Markdown; at most 64 KiB')
    .option(
      '--dry-run',
      'show the releases that would be published and what machines would do, and change nothing',
    )
    .option('--no-check', 'upload files that the agent of modreg cannot run')
    .option(
      '--file <file>',
      'publish the releases of a JSON file: one, a list, or a module document',
    )
    .action(async (moduleId: string, version: string | undefined, options: PublishOptions) => {
      const { publishCommand } = await import('./registry/publish-command.ts');
      context.finish(await publishCommand(moduleId, version, options, context.world));
    });
}

function addYanks(registry: Command, context: CommandContext): void {
  withKeys(withAddress(withFile(registry.command('yank <module_id> <version>'), context)))
    .description('Yanks a release: only a pin can still select it.')
    .option('--reason <text>', 'the reason that machines and people see', '')
    .action(async (moduleId: string, version: string, options: YankOptions) => {
      const { yankCommand } = await import('./registry/yank-command.ts');
      context.finish(
        await yankCommand([moduleId, version], options.reason, options, context.world),
      );
    });
  withAddress(withFile(registry.command('unyank <module_id> <version>'), context))
    .description('Reverts a yank.')
    .action(async (moduleId: string, version: string, options: ChangeOptions) => {
      const { yankCommand } = await import('./registry/yank-command.ts');
      context.finish(await yankCommand([moduleId, version], null, options, context.world));
    });
}

function addDeprecations(registry: Command, context: CommandContext): void {
  withAddress(withFile(registry.command('deprecate <module_id> <version>'), context))
    .description('Deprecates a release: machines prefer others that are not below theirs.')
    .option('--reason <text>', 'the reason that machines and people see', '')
    .action(async (moduleId: string, version: string, options: YankOptions) => {
      const { deprecateCommand } = await import('./registry/deprecate-command.ts');
      context.finish(
        await deprecateCommand([moduleId, version], options.reason, options, context.world),
      );
    });
  withAddress(withFile(registry.command('undeprecate <module_id> <version>'), context))
    .description('Reverts a deprecation.')
    .action(async (moduleId: string, version: string, options: ChangeOptions) => {
      const { deprecateCommand } = await import('./registry/deprecate-command.ts');
      context.finish(await deprecateCommand([moduleId, version], null, options, context.world));
    });
}

function addLists(registry: Command, context: CommandContext): void {
  withFile(registry.command('list [namespace]'), context)
    .description('Shows the published modules.')
    .option(...READ_ADDRESS)
    .action(async (namespace: string | undefined, options: ChangeOptions) => {
      const { listCommand } = await import('./registry/list-command.ts');
      context.finish(await listCommand(namespace, options, context.world));
    });
  withFile(registry.command('show <module_id> [version]'), context)
    .description('Shows the releases of a module, or one with its notes.')
    .option(...READ_ADDRESS)
    .action(async (moduleId: string, version: string | undefined, options: ChangeOptions) => {
      const { showCommand } = await import('./registry/show-command.ts');
      context.finish(await showCommand([moduleId, version], options, context.world));
    });
}

function addBackups(registry: Command, context: CommandContext): void {
  withFile(registry.command('backup <folder>'), context)
    .description('Copies the registry to a folder, also while it is served.')
    .action(async (folder: string, options: CatalogueOptions) => {
      const { backupCommand } = await import('./registry/backup-command.ts');
      context.finish(await backupCommand(folder, options, context.world));
    });
  withFile(registry.command('verify [path]'), context)
    .description('Checks a registry file or the folder of a backup, and changes nothing.')
    .action(async (path: string | undefined, options: CatalogueOptions) => {
      const { verifyCommand } = await import('./registry/verify-command.ts');
      context.finish(verifyCommand(path, options, context.world));
    });
  withFile(registry.command('restore <folder>'), context)
    .description('Restores a backup. No process may use the registry.')
    .option('--replace', 'keep an existing registry under another name, and restore in its place')
    .action(async (folder: string, options: RestoreOptions) => {
      const { restoreCommand } = await import('./registry/restore-command.ts');
      context.finish(restoreCommand(folder, options, context.world));
    });
}

function addServe(registry: Command, context: CommandContext): void {
  withServing(registry.command('serve'), context)
    .description('Serves the registry over HTTP until SIGTERM.')
    .option(
      '--page [host:port]',
      'serve the page of the site as well (default: 127.0.0.1:4891; other hosts need --tls-cert)',
    )
    .action(async (options: ServeCommandOptions) => {
      const { serveCommand } = await import('./serve/serve-command.ts');
      context.finish(await serveCommand(options, context.world));
    });
}

function addPage(registry: Command, context: CommandContext): void {
  const page = withFile(registry.command('page'), context)
    .description('Serves a web page of the machines that report to this registry.')
    .option(
      '--host <host>',
      'the address to listen on; others than loopback need TLS (default: 127.0.0.1)',
    )
    .option('--port <port>', 'the port; 0 selects any free port (default: 4891)')
    .option('--tls-cert <file>', 'serve HTTPS with this certificate, in PEM')
    .option('--tls-key <file>', 'the private key of the certificate')
    .option(
      '--idle <duration>',
      'end when the page was not used for so long (default: never, and 5m on a socket of systemd)',
    )
    .action(async (options: SitePageOptions) => {
      const { sitePageCommand } = await import('./site/site-page-command.ts');
      context.finish(await sitePageCommand(options, context.world));
    });
  withFile(page.command('sign-in'), context)
    .description('Shows an address with a new code, with which one person can sign in to the page.')
    .addHelpText('before', `Examples:\n  modreg registry page sign-in\n`)
    .action(async (options: CatalogueOptions) => {
      const { siteSignInCommand } = await import('./site/site-page-command.ts');
      context.finish(siteSignInCommand(options, context.world));
    });
  withFile(page.command('wall'), context)
    .description('Prints a link that opens the wall of that page, and nothing else.')
    .addHelpText('before', `Examples:\n  modreg registry page wall --name lobby\n`)
    .option('--name <name>', 'where the wall is, such as lobby; the name of its token; required')
    .option('--expires <duration>', 'how long the link opens it, such as 90d (default: for ever)')
    .action(async (options: WallLinkOptions) => {
      const { wallLinkCommand } = await import('./site/wall-link-command.ts');
      context.finish(wallLinkCommand(options, context.world));
    });
}

type YankOptions = ChangeOptions & SigningOptions & { readonly reason: string };

import { Option, type Command } from 'commander';
import type { CommandContext, RunCommand } from '../base/command-context.ts';
import type { ModuleInitOptions } from './init-command.ts';
import type { ModuleCheckOptions, ModulePackOptions } from './module-command.ts';

const INIT_EXAMPLES = `Examples:
  modreg module init lidar --template python
`;

const CHECK_EXAMPLES = `Examples:
  modreg module check lidar
  modreg module check lidar-arm64.tar.gz --platform linux/arm64
`;

const PACK_EXAMPLES = `Examples:
  modreg module pack lidar --out lidar-1.0.0.tar.gz
  modreg module pack lidar --platform linux/amd64 --platform linux/arm64
`;

const RUN_EXAMPLES = `Examples:
  modreg module run lidar
`;

/** Adds `modreg module …`, for authors of modules. */
export function addModule(
  modreg: Command,
  { world, common, finish }: CommandContext,
  run: RunCommand,
): void {
  const module = modreg
    .command('module')
    .description('Makes packages of modules, and checks them.');
  common(module.command('init <folder>'))
    .description('Writes the files of a new module: a program, and its meta.json with a schema.')
    .addOption(
      new Option('--template <language>', 'the language of the program')
        .choices(['shell', 'node', 'python'])
        .default('shell'),
    )
    .addHelpText('before', INIT_EXAMPLES)
    .action(async (folder: string, options: ModuleInitOptions) => {
      const { moduleInitCommand } = await import('./init-command.ts');
      finish(moduleInitCommand(folder, options));
    });
  withPlatforms(common(module.command('check <path>')))
    .description(
      'Says whether the agent of a machine can run a folder or an archive, as it checks it.',
    )
    .addHelpText('before', CHECK_EXAMPLES)
    .action(async (path: string, options: ModuleCheckOptions) => {
      const { moduleCheckCommand } = await import('./module-command.ts');
      finish(await moduleCheckCommand(path, options, world));
    });
  addPack(withPlatforms(common(module.command('pack <folder>'))), { world, finish });
  addRun(common(module.command('run <folder>')), { world, finish }, run);
}

function addPack(
  command: Command,
  { world, finish }: Pick<CommandContext, 'world' | 'finish'>,
): void {
  command
    .description(
      'Checks a folder, and packs it into an archive: the same bytes for the same content.',
    )
    .option('--out <file>', 'the archive (default: the name of the folder, and .tar.gz)')
    .addHelpText('before', PACK_EXAMPLES)
    .action(async (folder: string, options: ModulePackOptions) => {
      const { modulePackCommand } = await import('./module-command.ts');
      finish(await modulePackCommand(folder, options, world));
    });
}

function addRun(
  command: Command,
  { world, finish }: Pick<CommandContext, 'world' | 'finish'>,
  run: RunCommand,
): void {
  command
    .description(
      'Runs a folder as a module, with an agent of its own, until it is stopped. When its files change, they replace what runs.',
    )
    .addHelpText('before', RUN_EXAMPLES)
    .action(async (folder: string, options: { readonly json?: true }) => {
      const { moduleRunCommand } = await import('./run-command.ts');
      finish(await moduleRunCommand(folder, options, world, run));
    });
}

function withPlatforms(command: Command): Command {
  return command.option(
    '--platform <platform>',
    "linux/amd64 or linux/arm64 (default: this machine's); repeatable",
    (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
  );
}

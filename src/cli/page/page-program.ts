import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { PageCommandOptions } from './page-command.ts';

const EXAMPLES = `Examples:
  modreg page machine.json
`;

/** Adds `modreg page`. */
export function addPage(modreg: Command, { world, registry, finish }: CommandContext): void {
  registry(modreg.command('page <machine.json>'))
    .description('Serves a web page of this machine, until it is stopped.')
    .option('--port <port>', 'the port on loopback (default: any free port)')
    .option('--platform <platform>', "linux/amd64 or linux/arm64 (default: this machine's)")
    .addHelpText('beforeAll', EXAMPLES)
    .action(async (file: string, options: PageCommandOptions) => {
      const { pageCommand } = await import('./page-command.ts');
      finish(await pageCommand(file, options, world));
    });
}

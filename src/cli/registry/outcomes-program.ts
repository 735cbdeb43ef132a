import type { Command } from 'commander';
import type { CommandContext } from '../base/command-context.ts';
import type { OutcomesOptions } from './outcomes-command.ts';

/** Adds `modreg registry outcomes`. */
export function addOutcomes(registry: Command, { world, common, finish }: CommandContext): void {
  common(registry.command('outcomes <module_id> [version]'))
    .description('Shows which machines run a module, and where it failed or was rolled back.')
    .option(
      '--registry <address>',
      'the registry that machines report to (default: $MODREG_REGISTRY)',
    )
    .option('--since <duration>', 'how far back, up to 90d (default: 30d)')
    .action(async (module: string, version: string | undefined, options: OutcomesOptions) => {
      const { outcomesCommand } = await import('./outcomes-command.ts');
      finish(await outcomesCommand({ module, version }, options, world));
    });
}

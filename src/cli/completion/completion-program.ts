import { Argument, type Command } from 'commander';
import type { CommandContext } from '../base/command-context.ts';
import { SHELLS } from './shells.ts';

const EXAMPLES = `Examples:
  source <(modreg completion bash)
  source <(modreg completion zsh)
  modreg completion fish | source
`;

/** Adds `modreg completion`. */
export function addCompletion(modreg: Command, { common, finish }: CommandContext): void {
  common(modreg.command('completion'))
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .description('Prints the script by which a shell completes commands, options and their values.')
    .addHelpText('before', EXAMPLES)
    .action(async (shell: (typeof SHELLS)[number]) => {
      const { COMPLETION_SCRIPTS } = await import('./completion-scripts.ts');
      finish({
        answer: COMPLETION_SCRIPTS[shell].split('\n'),
        notes: [],
        problems: [],
        isData: true,
      });
    });
}

import type { Command } from 'commander';
import { knownDocuments, withDocuments } from '../../host/machine-path.ts';
import { MACHINE } from '../base/shared-options.ts';
import type { CommandContext } from '../base/command-context.ts';
import type { DoctorOptions } from './doctor-command.ts';

const EXAMPLES = `Examples:
  modreg doctor
  modreg doctor machine.json
  modreg doctor machine.json --strict --json
`;

export function addDoctor(modreg: Command, { world, registry, finish }: CommandContext): void {
  registry(modreg.command('doctor').argument(...MACHINE))
    .description(
      'Shows whether this machine is ready and well: its files, clock, documents, registries, agent and lists. Each finding says what to do. Changes nothing.',
    )
    .option('--strict', 'exit 1 for warnings too')
    .addHelpText('before', EXAMPLES)
    .action(async (file: string | undefined, options: DoctorOptions) => {
      const { doctorCommand } = await import('./doctor-command.ts');
      const isKnown = file !== undefined || knownDocuments(world) !== undefined;
      const [path, documents] = withDocuments(file, options, world);
      finish(await doctorCommand(isKnown ? path : undefined, documents, world));
    });
}

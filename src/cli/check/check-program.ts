import { Argument, Option, type Command } from 'commander';
import { DOCUMENT_KINDS } from '../../config/document-kind.ts';
import type { DocumentKind } from '../../config/index.ts';
import type { CommandContext } from '../base/command-context.ts';
import type { CheckOptions } from './check-command.ts';

const CHECK_EXAMPLES = `Examples:
  modreg check machine.json
  modreg check machine.json --strict --env
  modreg check agent.json --as agent --json
  modreg check *.json
  modreg check machine.json --registry https://registry.example --platform linux/arm64
  ssh robot cat machine.json | modreg check -
`;

const SCHEMA_EXAMPLES = `Examples:
  modreg schema machine --write machine.json
  modreg schema machine > machine.schema.json
`;

export function addCheck(modreg: Command, { world, common, finish }: CommandContext): void {
  common(modreg.command('check <files...>'))
    .description(
      'Shows every problem in machine configs, agent configurations and update policies. - is stdin.',
    )
    .addOption(
      new Option('--as <kind>', 'the kind of document (default: detected)').choices(DOCUMENT_KINDS),
    )
    .option('--policy <file>', 'the update policy (default: policy.json beside each document)')
    .option(
      '--env',
      'check that the environment of this command sets the variables that modules read',
    )
    .option('--strict', 'exit 1 for warnings too')
    .option(
      '--registry <address>',
      'also check machine configs against the release lists of this registry, at an address as for plan',
    )
    .option(
      '--platform <platform>',
      "with --registry: linux/amd64 or linux/arm64 (default: this machine's)",
    )
    .option(
      '--max-age <duration>',
      'with --registry: use a saved list that was confirmed no longer ago than this, such as 5m',
    )
    .option('--offline', 'with --registry: contact no registry; use the saved lists')
    .addHelpText('before', CHECK_EXAMPLES)
    .action(async (files: readonly string[], options: CheckOptions) => {
      const { checkCommand } = await import('./check-command.ts');
      finish(await checkCommand(files, options, world));
    });
}

export function addSchema(modreg: Command, { common, finish }: CommandContext): void {
  common(modreg.command('schema'))
    .description('Prints the JSON Schema of a document, for editors.')
    .addArgument(new Argument('<kind>').choices(DOCUMENT_KINDS))
    .option('--write <file>', 'write the schema beside a document, and name it in its $schema')
    .addHelpText('before', SCHEMA_EXAMPLES)
    .action(async (kind: DocumentKind, options: { json?: true; write?: string }) => {
      if (options.write !== undefined) {
        const { writeSchemaCommand } = await import('./write-schema-command.ts');
        return finish(writeSchemaCommand(kind, options.write, options));
      }
      const { schemaCommand } = await import('./schema-command.ts');
      finish(schemaCommand(kind, options));
    });
}

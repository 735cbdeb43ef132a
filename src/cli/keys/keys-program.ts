import type { Command } from 'commander';
import { PASSPHRASE, withFile, withKeys, withNewFile } from '../base/catalogue-flags.ts';
import type { CommandContext } from '../base/command-context.ts';
import type { AnswerOptions } from '../base/outcome.ts';
import type { ChangeOptions } from '../../site/remote-registry.ts';
import type { SigningOptions } from '../../site/signing.ts';
import type { KeysInitOptions, KeysNewOptions, KeysShowOptions } from './keys-command.ts';

const INIT_EXAMPLES = `Examples:
  modreg keys init --name acme-plant
  modreg keys init --name acme-plant --to /media/usb
  modreg keys init --document trust.txt
`;

const UPDATE_EXAMPLES = `Examples:
  modreg keys show --text > next.txt
  modreg keys sign next.txt --key root-1.key
  modreg keys update next.txt
  modreg keys update next.txt --registry https://registry.example
`;

const SHOW_EXAMPLES = `Examples:
  modreg keys show
  modreg keys show --registry https://registry.example
  modreg keys show --text > registry/trust.txt
`;

/** Adds `modreg keys …`. */
export function addKeys(modreg: Command, context: CommandContext): void {
  const keys = modreg.command('keys').description('Manages the keys that sign releases.');
  withNewFile(keys.command('init'), context)
    .description(
      'Makes the keys of a registry and its first trust document, on the host of the registry. Prints the digest for the policies of machines.',
    )
    .option('--name <name>', 'the name of the site, such as acme-plant; required for new keys')
    .option('--document <file>', 'store this trust document, which people made, and make no keys')
    .option('--registry <address>', 'the registry that stores that document, instead of a file')
    .option('--to <folder>', 'the folder for the private keys of people', '.')
    .option(...PASSPHRASE)
    .addHelpText('before', INIT_EXAMPLES)
    .action(async (options: KeysInitOptions) => {
      const { keysInitCommand } = await import('./keys-command.ts');
      context.finish(await keysInitCommand(options, context.world));
    });
  addNew(keys, context);
  addChanges(keys, context);
  withFile(keys.command('show'), context)
    .description('Shows the trust document of a registry, and its digest.')
    .option('--registry <address>', 'that of the registry at this address instead of a file')
    .option('--text', 'print the documents themselves, the newest last')
    .addHelpText('before', SHOW_EXAMPLES)
    .action(async (options: KeysShowOptions) => {
      const { keysShowCommand } = await import('./keys-command.ts');
      context.finish(await keysShowCommand(options, context.world));
    });
}

/** Adds what makes another version of the trust document. */
function addChanges(keys: Command, context: CommandContext): void {
  withKeys(context.common(keys.command('sign <file>')))
    .description('Signs a trust document, in its file, with root keys.')
    .option('--registry <address>', 'store it there, once enough keys signed it')
    .addHelpText('before', UPDATE_EXAMPLES)
    .action(async (file: string, options: SigningOptions & ChangeOptions & AnswerOptions) => {
      const { keysSignCommand } = await import('./keys-command.ts');
      context.finish(await keysSignCommand(file, options, context.world));
    });
  withFile(keys.command('update <file>'), context)
    .description('Stores the next version of the trust document of a registry.')
    .option('--registry <address>', 'in the registry at this address instead of a file')
    .addHelpText('before', UPDATE_EXAMPLES)
    .action(async (file: string, options: ChangeOptions & AnswerOptions) => {
      const { keysUpdateCommand } = await import('./keys-command.ts');
      context.finish(await keysUpdateCommand(file, options, context.world));
    });
}

function addNew(keys: Command, context: CommandContext): void {
  context
    .common(keys.command('new <file>'))
    .description(
      'Writes a new private key to a file, and prints its public key, for a trust document.',
    )
    .option(...PASSPHRASE)
    .action(async (file: string, options: KeysNewOptions) => {
      const { keysNewCommand } = await import('./keys-command.ts');
      context.finish(keysNewCommand(file, options, context.world));
    });
}

import type { Command } from 'commander';
import { withDocuments } from '../../host/machine-path.ts';
import { MACHINE } from '../base/shared-options.ts';
import type { CommandContext } from '../base/command-context.ts';
import type { PageCommandOptions } from './page-command.ts';

const EXAMPLES = `Examples:
  modreg page machine.json
  modreg page machine.json --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
`;

const SIGN_IN_EXAMPLES = `Examples:
  modreg page sign-in
`;

/** Adds `modreg page`. */
export function addPage(
  modreg: Command,
  { world, registry, common, finish }: CommandContext,
): void {
  const page = registry(modreg.command('page').argument(...MACHINE))
    .description('Serves a web page of this machine, until it is stopped.')
    .option(
      '--host <host>',
      'the address to listen on; others than loopback need TLS (default: 127.0.0.1)',
    )
    .option('--port <port>', 'the port; 0 selects any free port (default: 4890)')
    .option('--tls-cert <file>', 'serve HTTPS with this certificate, in PEM')
    .option('--tls-key <file>', 'the private key of the certificate')
    .option(
      '--idle <duration>',
      'end when the page was not used for so long (default: never, and 5m on a socket of systemd)',
    )
    .option('--platform <platform>', "linux/amd64 or linux/arm64 (default: this machine's)")
    .addHelpText('beforeAll', EXAMPLES)
    .action(async (file: string | undefined, options: PageCommandOptions) => {
      const { pageCommand } = await import('./page-command.ts');
      finish(await pageCommand(...withDocuments(file, options, world), world));
    });
  common(page.command('sign-in'))
    .description('Shows an address with a new code, with which one person can sign in to the page.')
    .addHelpText('before', SIGN_IN_EXAMPLES)
    .action(async (options: { json?: true }) => {
      const { signInCommand } = await import('./sign-in-command.ts');
      finish(signInCommand(options, world));
    });
}

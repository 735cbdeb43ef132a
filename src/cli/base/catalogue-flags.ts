import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';

/** Adds `--db` and the options that every command has. */
export function withFile(command: Command, { common }: CommandContext): Command {
  return common(command).option(
    '--db <file>',
    "the registry's file (default: $PLATFORM_HOME/registry.db)",
  );
}

/** For a command that can create the file. */
export function withNewFile(command: Command, context: CommandContext): Command {
  return withFile(command, context).option(
    '--create',
    'create the file of --db if it does not exist',
  );
}

/** The options of a command that serves a registry. */
export function withServing(command: Command, context: CommandContext): Command {
  return withNewFile(command, context)
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .option('--port <port>', 'the port to listen on; 0 selects a free one', '4870')
    .option(
      '--spread <ms>',
      'the time over which clients spread their requests after a change',
      '1000',
    )
    .option(
      '--silent-after <duration>',
      'a machine that is not heard for so long is silent; kept until it is changed (default: 24h)',
    )
    .option(
      '--staged <namespace>',
      'a new release of this namespace begins a rollout unless its publication says --all-at-once; * is all; repeatable',
      collect,
    )
    .option('--tls-cert <file>', 'serve https: with this certificate, in PEM, and its chain')
    .option('--tls-key <file>', 'the private key of that certificate, in PEM')
    .option(
      '--metrics <host:port>',
      'serve /metrics there and not on the port of the registry, such as 127.0.0.1:9464',
    )
    .option(
      '--notify <file>',
      'tell the addresses in this file what happens, such as a rollout that was halted',
    );
}

/** Collects the values of a repeatable option. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** For a command that reads or writes private keys. */
export const PASSPHRASE = [
  '--passphrase-file <file>',
  'the passphrase of private keys (default: that of $MODREG_KEY_PASSPHRASE)',
] as const;

/** The options of a command that signs. */
export function withKeys(command: Command): Command {
  return withNamedKeys(command, ' (default: the key in $MODREG_SIGNING_KEY, if it is set)');
}

/** The same for a command that signs only with keys which the options name. */
export function withNamedKeys(command: Command, byDefault = ''): Command {
  return command
    .option('--key <file>', `sign with this private key; repeatable${byDefault}`, collect)
    .option(...PASSPHRASE)
    .option(
      '--sign-with <program>',
      'a program that gets what is to be signed, and prints its public key and the signature',
    );
}

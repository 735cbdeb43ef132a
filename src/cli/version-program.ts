import type { Command } from 'commander';
import type { CommandContext } from './base/command-context.ts';
import { ownVersion } from './version.ts';

/** Adds `modreg version`. */
export function addVersion(modreg: Command, { common, finish }: CommandContext): void {
  common(modreg.command('version'))
    .description('Prints the versions of modreg and of Node.')
    .action((options: { readonly json?: true }) => {
      const versions = { schema: 'modreg/version@1', modreg: ownVersion(), node: process.version };
      const answer = [options.json ? JSON.stringify(versions) : versionLine()];
      finish({ answer, notes: [], problems: [] });
    });
}

/** The versions of modreg and of Node, in one line. */
export function versionLine(): string {
  return `modreg ${ownVersion()} (Node ${process.version})`;
}

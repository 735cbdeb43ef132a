import { temporaryFolder } from './folder.ts';
import { modreg } from './modreg.ts';

/** Runs `modreg registry …` on a file of its own. */
export function registry(db: string, ...args: readonly string[]): ReturnType<typeof modreg> {
  return modreg(['registry', ...args, '--db', db]);
}

/** Where a registry's file may be made. */
export function newFile(): string {
  return `${temporaryFolder()}/registry.db`;
}

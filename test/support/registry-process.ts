import { temporaryFolder } from './folder.ts';
import { modreg } from './modreg.ts';

/** Runs `modreg registry …` on the file `db`. */
export function registry(db: string, ...args: readonly string[]): ReturnType<typeof modreg> {
  return modreg(['registry', ...args, '--db', db]);
}

/** The path of a registry.db that does not exist yet. */
export function newFile(): string {
  return `${temporaryFolder()}/registry.db`;
}

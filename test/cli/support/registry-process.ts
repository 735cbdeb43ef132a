import { Catalogue } from '../../../src/server/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { modreg } from '../../support/modreg.ts';

/** Runs `modreg registry …` on the file `db`. */
export function registry(db: string, ...args: readonly string[]): ReturnType<typeof modreg> {
  return modreg(['registry', ...args, '--db', db]);
}

/** Creates the token `ci` in the file `db`, and returns its text. */
export function createdToken(db: string, scope: string): string {
  return registry(db, 'token', 'create', '--name', 'ci', '--scope', scope).stdout.trim();
}

/** The path of a registry.db without modules. */
export function newFile(): string {
  const path = `${temporaryFolder()}/registry.db`;
  new Catalogue(path, { mode: 'create' }).close();
  return path;
}

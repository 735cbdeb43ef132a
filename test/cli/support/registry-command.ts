import { Catalogue } from '../../../src/server/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { inProcess } from '../../support/in-process.ts';
import type { Ended } from '../../support/modreg.ts';

/** Runs `modreg registry …` on the file `db`. */
export async function registry(db: string, ...args: readonly string[]): Promise<Ended> {
  return await inProcess(['registry', ...args, '--db', db]);
}

/** Creates the token `ci` in the file `db`, and returns its text. */
export async function createdToken(db: string, scope: string): Promise<string> {
  return (await registry(db, 'token', 'create', '--name', 'ci', '--scope', scope)).stdout.trim();
}

/** The path of a registry.db without modules. */
export function newFile(): string {
  const path = `${temporaryFolder()}/registry.db`;
  new Catalogue(path, { mode: 'create' }).close();
  return path;
}

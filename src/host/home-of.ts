import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { translated } from '../sqlite/database.ts';

/** The folder in which the file of a machine is, without links. Throws a DatabaseError if it cannot be read. */
export function homeOf({ path }: { readonly path: string }): string {
  return withoutLinks(dirname(path));
}

/** A path without links. Throws a DatabaseError if it cannot be read. */
export function withoutLinks(path: string): string {
  return translated(path, () => realpathSync(path));
}

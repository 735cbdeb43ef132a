import { quote } from '../../core/text/quote.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { asDiskError } from '../artifacts/artifact-store.ts';

/** An error of the file system as a DatabaseError that names the folder; any other error as it is. */
export function asFolderError(folder: string, error: unknown): unknown {
  const asDisk = asDiskError(folder, error);
  if (asDisk === error || !(asDisk instanceof DatabaseError)) return error;
  const { code } = error as NodeJS.ErrnoException;
  return new DatabaseError('unwritable', `${quote(folder)}: it cannot be used (${String(code)})`, {
    cause: error,
  });
}

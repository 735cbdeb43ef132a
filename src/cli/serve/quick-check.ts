import { execFile } from 'node:child_process';
import { setPriority } from 'node:os';
import { pathToFileURL } from 'node:url';
import { excerpt, quote } from '../../core/text/quote.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { integrityLines } from '../../sqlite/integrity-lines.ts';

/**
 * A process of its own: a check takes seconds, cannot be interrupted, and reads bytes that may be damaged. It looks again for
 * damage that it found, because SQLite takes an error of the disk for damage, too (T110).
 */
const PROGRAM = `
const { DatabaseSync } = require('node:sqlite');
function look() {
  try {
    const database = new DatabaseSync(new URL(process.argv[1]), { readOnly: true, timeout: 5000 });
    return Object.values(database.prepare('PRAGMA quick_check(1)').get())[0];
  } catch ({ errcode, message }) {
    // SQLITE_CORRUPT and SQLITE_NOTADB. Everything else says nothing about the content.
    return errcode === 11 || errcode === 26 ? message : 'ok';
  }
}
console.log(look() === 'ok' ? 'ok' : look());`;

/** Lower than that of the server, which answers meanwhile. */
const PRIORITY = 10;

/** The damage that SQLite finds in the file at `path`; undefined if it finds none, or if the file cannot be checked now. */
export async function damageIn(
  path: string,
  signal?: AbortSignal,
): Promise<DatabaseError | undefined> {
  const found = await new Promise<string>((resolve) => {
    const args = ['--disable-sigusr1', '-e', PROGRAM, '--', pathToFileURL(path).href];
    const options = {
      ...(signal ? { signal } : {}),
      killSignal: 'SIGKILL',
      env: {},
      maxBuffer: 1024 * 1024,
    } as const;
    const child = execFile(process.execPath, args, options, (_, stdout) => resolve(stdout.trim()));
    try {
      if (child.pid !== undefined) setPriority(child.pid, PRIORITY);
    } catch {
      // The check runs with the priority of the server.
    }
  });
  if (found === '' || found === 'ok') return undefined;
  return new DatabaseError(
    'damaged',
    `${quote(path)}: ${excerpt(integrityLines(found).join('; '))}`,
  );
}

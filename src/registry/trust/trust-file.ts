import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { quote } from '../../core/text/quote.ts';
import { LONGEST_DOCUMENT } from '../../core/trust/trust-document.ts';
import { documentsIn } from './pinned-document.ts';
import { RegistryError } from '../registry-error.ts';

/** The name of the trust document in a folder of lists. */
const TRUST_FILE = 'trust.txt';

/** The trust document in a folder of lists; none if the folder has no such file. */
export async function trustInFolder(folder: string): Promise<readonly string[]> {
  const path = join(folder, TRUST_FILE);
  try {
    // Without O_NONBLOCK, opening a named pipe waits for its writer.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile())
        throw new RegistryError('unreadable-file', `${quote(path)} is not a file`);
      if (stats.size > LONGEST_DOCUMENT) {
        const message = `${quote(path)} has ${stats.size} bytes (limit ${LONGEST_DOCUMENT})`;
        throw new RegistryError('list-too-large', message);
      }
      return documentsIn(await file.readFile('utf8'));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code === 'ENOENT') return [];
    throw new RegistryError(
      'unreadable-file',
      `cannot read ${quote(path)} (${String(error.code)})`,
      { cause: error },
    );
  }
}

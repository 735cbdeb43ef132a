import { existsSync, lchownSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Gives the file or folder at `path` to the user of the service. */
export type Own = (path: string) => void;

/** A file system without owners, or a container whose root cannot give files away: they stay as they are. */
const UNABLE: ReadonlySet<string> = new Set(['EINVAL', 'ENOSYS', 'ENOTSUP', 'EPERM']);

/**
 * How root gives what it writes to the owner of the registry at `path`, or of the folder that it will be in: the service
 * could not open files of root (T106). Other users own what they write, so nothing is done.
 */
export function ownerAt(path: string): Own {
  if (process.geteuid?.() !== 0) return () => undefined;
  const { uid, gid } = statSync(existsSync(path) ? path : dirname(path));
  return (one) => {
    try {
      // Not the file that a link leads to: it may have any owner.
      lchownSync(one, uid, gid);
    } catch (error) {
      if (!UNABLE.has(String((error as NodeJS.ErrnoException).code))) throw error;
    }
  };
}

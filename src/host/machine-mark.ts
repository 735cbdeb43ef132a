import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { platformHome } from '../config/platform-home.ts';
import { LOG_FILE } from '../logs/log-file.ts';
import { POLICY } from './policy-file.ts';
import type { World } from '../base/world.ts';

/** Texts that differ when the documents and machine.db, or the log, have changed. */
export interface MachineMark {
  readonly documents: string;
  readonly log: string;
}

/**
 * What the files of a machine are like. Only their sizes and times are read: a page that is open takes no lock of the
 * poller, and keeps none of its files open.
 */
export function markOf(
  path: string,
  { policy = join(dirname(path), POLICY) }: { readonly policy?: string },
  { environment }: World,
): MachineMark {
  const home = platformHome(environment);
  const files = (name: string): string[] =>
    home === undefined ? [] : ['', '-wal'].map((end) => join(home, `${name}${end}`));
  return {
    documents: [path, policy, ...files('machine.db')].map(stampOf).join(' '),
    log: files(LOG_FILE).map(stampOf).join(' '),
  };
}

/** An empty file is like an absent one: SQLite creates and removes empty ones for a reader. */
function stampOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats && stats.size > 0 ? `${stats.ino}:${stats.size}:${stats.mtimeMs}` : '-';
  } catch (error) {
    // The code that reads the file reports why it cannot be read.
    return String((error as NodeJS.ErrnoException).code);
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openForPoller, openMachineFile } from '../../src/store/index.ts';

/** Whether the commits of a poller, and those of another program, survive a power loss. */
export interface Durability {
  readonly ofPoller: boolean;
  readonly ofOthers: boolean;
}

let known: Durability | undefined;

/** The settings of the real machine.db, as the product opens it. */
export function durability(): Durability {
  known ??= measured();
  return known;
}

function measured(): Durability {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-durability-'));
  try {
    const path = join(folder, 'machine.db');
    const poller = openForPoller(path);
    const other = openMachineFile(path, { mode: 'write' });
    const found = { ofPoller: isDurable(poller.database), ofOthers: isDurable(other.database) };
    other.close();
    poller.close();
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const FULL = 2;
const EXTRA = 3;
/**
 * The least value of `synchronous` with which a commit is on the disk when it returns, by journal mode: a deleted journal
 * also needs a sync of its folder. (https://sqlite.org/pragma.html#pragma_synchronous)
 */
const LEAST: Readonly<Record<string, number>> = {
  wal: FULL,
  truncate: FULL,
  persist: FULL,
  delete: EXTRA,
};

function isDurable(database: DatabaseSync): boolean {
  const { journal_mode: journal } = database.prepare('PRAGMA journal_mode').get() ?? {};
  const { synchronous } = database.prepare('PRAGMA synchronous').get() ?? {};
  return Number(synchronous) >= (LEAST[String(journal)] ?? Infinity);
}

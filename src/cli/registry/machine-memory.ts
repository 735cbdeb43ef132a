import { join } from 'node:path';
import { platformHome } from '../../config/platform-home.ts';
import type { SavedLists, SavedListsError } from '../../registry/saved-lists.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { openMachineFile, type MachineFile } from '../../store/machine-file.ts';
import { savedListsIn, STATE_ERRORS } from '../../store/saved-lists-table.ts';
import type { World } from '../world.ts';

/** Why what the machine remembers cannot be used. */
export interface MemoryTrouble {
  readonly kind: SavedListsError['kind'];
  readonly message: string;
}

/** The lists that this machine has saved. */
export interface MachineMemory {
  /** Undefined without a home, and where the file cannot be used. */
  readonly saved: SavedLists | undefined;
  readonly trouble: MemoryTrouble | undefined;
  close(): void;
}

const COMMAND_BUSY_TIMEOUT_MS = 1000;

/** Opens the machine's file, `machine.db` under the platform's home; where it cannot be written, to be read. */
export function openMemory({ environment }: World): MachineMemory {
  const home = platformHome(environment);
  if (home === undefined) return without(undefined);
  const path = join(home, 'machine.db');
  try {
    return remembering(
      openMachineFile(path, { mode: 'create', patienceMs: COMMAND_BUSY_TIMEOUT_MS }),
    );
  } catch (error) {
    const trouble = troubleOf(error);
    if (trouble.kind !== 'state-write') return without(trouble);
    return readOnly(path, trouble);
  }
}

function readOnly(path: string, trouble: MemoryTrouble): MachineMemory {
  try {
    const file = openMachineFile(path, { mode: 'read', patienceMs: COMMAND_BUSY_TIMEOUT_MS });
    return { ...remembering(file), trouble };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return without(trouble);
  }
}

function remembering(file: MachineFile): MachineMemory {
  return { saved: savedListsIn(file), trouble: undefined, close: () => file.close() };
}

function without(trouble: MemoryTrouble | undefined): MachineMemory {
  return { saved: undefined, trouble, close: () => undefined };
}

function troubleOf(error: unknown): MemoryTrouble {
  if (!(error instanceof DatabaseError)) throw error;
  return { kind: STATE_ERRORS[error.kind], message: error.message };
}

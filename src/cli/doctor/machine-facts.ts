import { join } from 'node:path';
import type { Result } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { activationsIn } from '../../store/activations.ts';
import { isPolled } from '../../store/claim.ts';
import type { PollerLog } from '../../store/decision-log.ts';
import { openMachineFile, type MachineFile } from '../../store/machine-file.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import { savedListTimes, type SavedListTime } from '../../store/saved-lists-table.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import type { MachineMemory } from '../../core/plan/machine-memory.ts';
import { modulesIn, type ModuleStatus } from '../agent/status-command.ts';

/** What machine.db says. */
export interface MachineFacts {
  readonly poller: PollerLog;
  /** Whether a process polls now. */
  readonly isPolled: boolean;
  readonly memory: MachineMemory;
  readonly decisions: readonly LoggedDecision[];
  /** Whether modreg's own agent has installed a module here. */
  readonly isOfAgent: boolean;
  readonly modules: readonly ModuleStatus[];
  readonly lists: readonly SavedListTime[];
}

const BUSY_TIMEOUT_MS = 1000;
/** Checking a larger file takes longer than a person waits. */
const MOST_CHECKED = 64 * 1024 * 1024;

/** Opens machine.db so that nothing changes, or says why it cannot be used. */
export function openMachine(home: string): Result<MachineFile, DatabaseError> {
  const opening = { mode: 'inspect', busyTimeoutMs: BUSY_TIMEOUT_MS } as const;
  return caught(() => openMachineFile(join(home, 'machine.db'), opening));
}

/** Reads machine.db, whose size is `bytes`. The error: it is damaged, or another process locks it for too long. */
export function machineFacts(
  file: MachineFile,
  bytes: number,
): Result<MachineFacts, DatabaseError> {
  return caught(() => {
    if (bytes <= MOST_CHECKED) checkIntegrity(file);
    const state = machineStateIn(file);
    return {
      poller: state.poller(),
      isPolled: isPolled(file.path),
      memory: state.memory(),
      decisions: state.decisions(),
      isOfAgent: activationsIn(file).size > 0,
      modules: modulesIn(file),
      lists: savedListTimes(file),
    };
  });
}

function checkIntegrity({ sql, path }: MachineFile): void {
  const found = String(sql.get('PRAGMA integrity_check(1)')?.['integrity_check']);
  if (found !== 'ok') throw new DatabaseError('damaged', `${excerpt(path)}: ${excerpt(found)}`);
}

function caught<T>(work: () => T): Result<T, DatabaseError> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return { ok: false, error };
  }
}

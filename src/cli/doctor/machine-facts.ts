import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Result } from '../../core/index.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { LOG_FILE } from '../../logs/log-file.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { activationsIn } from '../../store/activations.ts';
import { isPolled } from '../../store/claim.ts';
import type { PollerLog } from '../../store/decision-log.ts';
import { openMachineFile, type MachineFile } from '../../store/machine-file.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import { savedListTimes, type SavedListTime } from '../../store/saved-lists-table.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import type { MachineMemory } from '../../core/plan/machine-memory.ts';
import { modulesIn, type ModuleStatus } from '../../host/status/agent-status.ts';
import { earlierDataIn, type EarlierData } from '../../host/module-data.ts';
import type { World } from '../../base/world.ts';
import { recentFailures } from '../../host/recent-failures.ts';
import type { HomeFacts } from './home-facts.ts';

/** What machine.db says. */
export interface MachineFacts {
  readonly poller: PollerLog;
  /** Whether systemd manages the services of the machine, or may. */
  readonly hasSystemd: boolean;
  /** Whether a process polls now. */
  readonly isPolled: boolean;
  /** Whether an agent or a poller has ever run here. `modreg plan` writes release lists to machine.db, too. */
  readonly hasRun: boolean;
  readonly memory: MachineMemory;
  readonly decisions: readonly LoggedDecision[];
  /** Whether modreg's own agent has run here: it has installed a module, or keeps a log, as a poller does not. */
  readonly isOfAgent: boolean;
  readonly modules: readonly ModuleStatus[];
  /** The versions that failed several times lately. */
  readonly failures: ReturnType<typeof recentFailures>;
  readonly lists: readonly SavedListTime[];
  /** What modules kept in other folders than they use now (T341). */
  readonly earlierData: readonly EarlierData[];
}

const BUSY_TIMEOUT_MS = 1000;
/** Checking a larger file takes longer than a person waits. */
const MOST_CHECKED = 64 * 1024 * 1024;

/** Opens machine.db so that nothing changes, or says why it cannot be used. Opening a pipe would wait for its writer. */
export function openMachine({ path, file }: HomeFacts): Result<MachineFile, DatabaseError> {
  const name = join(path, 'machine.db');
  if (typeof file !== 'string' && !file.isFile()) {
    const message = `${quote(name)} is not a file`;
    return { ok: false, error: new DatabaseError('unreadable', message) };
  }
  const opening = { mode: 'inspect', busyTimeoutMs: BUSY_TIMEOUT_MS } as const;
  return caught(() => openMachineFile(name, opening));
}

/** Reads machine.db, whose size is `bytes`. The error: it is damaged, or another process locks it for too long. */
export function machineFacts(
  file: MachineFile,
  bytes: number,
  world: World,
): Result<MachineFacts, DatabaseError> {
  return caught(() => {
    if (bytes <= MOST_CHECKED) checkIntegrity(file);
    const state = machineStateIn(file);
    const [poller, memory] = [state.poller(), state.memory()];
    return {
      poller,
      hasSystemd: world.hasSystemd?.() ?? true,
      isPolled: isPolled(file.path),
      hasRun: poller.pid !== undefined || poller.round !== undefined || memory.starts.length > 0,
      memory,
      decisions: state.decisions(),
      isOfAgent: activationsIn(file).size > 0 || hasLog(dirname(file.path)),
      modules: modulesIn(file),
      failures: recentFailures(file.path, 'inspect', world.clock()),
      lists: savedListTimes(file),
      earlierData: earlierDataIn(file, world),
    };
  });
}

/** Whether a home has a log. Of what runs modules, only the agent keeps one. */
export function hasLog(home: string): boolean {
  return existsSync(join(home, LOG_FILE));
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

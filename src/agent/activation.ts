import type { Activation } from '../core/machine/activation.ts';
import type { ModuleEntry } from '../core/machine/machine.ts';
import { activationsIn, noteActivation } from '../store/activations.ts';
import {
  DatabaseError,
  type ClaimedFile,
  type CommittedAction,
  type MachineFile,
} from '../store/index.ts';
import { localProgram } from './runnable.ts';

/** What is on disk about an entry. What ran for an entry of another module does not count. */
export function activationOf(
  file: MachineFile,
  { name, moduleId }: Pick<ModuleEntry, 'name' | 'moduleId'>,
): Activation | undefined {
  const record = activationsIn(file).get(name);
  return record?.moduleId === moduleId ? record.activation : undefined;
}

/** What an entry resumes with; undefined if it has no version. A trial whose action has ended elsewhere is over. */
export function resumedWith(file: ClaimedFile, entry: ModuleEntry): Activation | undefined {
  const program = localProgram(entry);
  if (program !== undefined) return stable({ version: 'local', root: program });
  if (entry.type === 'local') return undefined;
  const row = activationOf(file, entry);
  if (!row || row.phase === 'stable') return row;
  if (file.state.memory().open.some(({ action }) => action.id === row.action)) return row;
  const { name, moduleId } = entry;
  const activation = row.previous && stable(row.previous);
  noteActivation(file, name, activation && { moduleId, activation });
  return activation;
}

/** The actions that an agent got and did not begin: nothing on disk is about them. */
export function unbegunIn(file: ClaimedFile): CommittedAction[] {
  const rows = Array.from(activationsIn(file).values(), ({ activation }) => activation);
  const begun = new Set(
    rows.map((row) => (row.phase === 'stable' ? row.settled?.action : row.action)),
  );
  const delivered = file.state.memory().open.filter(({ state }) => state === 'delivered');
  return delivered.map(({ action }) => action).filter(({ id }) => !begun.has(id));
}

/** Forgets how an action ended: its outcome is acknowledged. */
export function forgetOutcome(file: MachineFile, { id, target: { name } }: CommittedAction): void {
  const record = activationsIn(file).get(name);
  if (record?.activation.phase !== 'stable' || record.activation.settled?.action !== id) return;
  const activation = { ...record.activation, settled: undefined };
  try {
    noteActivation(file, name, { ...record, activation });
  } catch (error) {
    // The same outcome is reported once more, and forgotten then.
    if (!(error instanceof DatabaseError)) throw error;
  }
}

function stable(current: { readonly version: string; readonly root: string }): Activation {
  return { phase: 'stable', current, previous: undefined, settled: undefined };
}

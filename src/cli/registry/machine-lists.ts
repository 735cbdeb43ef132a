import type { MachineFile } from '../../store/index.ts';
import type { SavedLists, SavedListsError } from '../../registry/index.ts';
import { savedListsIn } from '../../store/saved-lists-table.ts';
import { openState, type StateProblem } from '../machine/open-state.ts';
import type { World } from '../world.ts';
import { unsavedLists } from './unsaved-lists.ts';

/** Why what the machine remembers cannot be used. */
export type ListsTrouble = Pick<SavedListsError, 'kind' | 'message'>;

/** The lists that this machine has saved. */
export interface MachineLists {
  /** Undefined without a home, and where the file cannot be used. */
  readonly saved: SavedLists | undefined;
  readonly trouble: ListsTrouble | undefined;
  close(): void;
}

/** Opens the saved lists in the machine's file; where it cannot be written, to be read. */
export function openMachineLists(world: World): MachineLists {
  const file = openState(world, 'create');
  if (file.ok) return remembering(file.value);
  const trouble = troubleOf(file.error);
  const readable = trouble?.kind === 'state-write' ? openState(world, 'read') : file;
  return readable.ok ? { ...remembering(readable.value), trouble } : without(trouble);
}

/** Opens them, where there are some, for a command that writes nothing: what it saves stays in this process. */
export function openUnsavedLists(world: World): MachineLists {
  const file = openState(world, 'read');
  if (!file.ok) return without(undefined);
  const memory = remembering(file.value);
  return { ...memory, saved: memory.saved && unsavedLists(memory.saved) };
}

function remembering(file: MachineFile): MachineLists {
  return { saved: savedListsIn(file), trouble: undefined, close: () => file.close() };
}

function without(trouble: ListsTrouble | undefined): MachineLists {
  return { saved: undefined, trouble, close: () => undefined };
}

/** A machine without a home has no file that could cause trouble. */
function troubleOf({ kind, message }: StateProblem): ListsTrouble | undefined {
  return kind === 'usage' ? undefined : { kind, message };
}

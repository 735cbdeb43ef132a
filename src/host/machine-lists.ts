import type { MachineFile } from '../store/index.ts';
import type { SavedLists, SavedListsError } from '../registry/saved-lists.ts';
import { savedListsIn } from '../store/saved-lists-table.ts';
import { openState, type StateProblem } from './open-state.ts';
import type { World } from '../base/world.ts';
import { unsavedLists } from './unsaved-lists.ts';

/** Why the saved lists cannot be used. */
export type ListsTrouble = Pick<SavedListsError, 'kind' | 'message'>;

/** The saved lists of this machine. */
export interface MachineLists {
  /** Undefined without a home, and if the file cannot be used. */
  readonly saved: SavedLists | undefined;
  readonly trouble: ListsTrouble | undefined;
  close(): void;
}

/** Opens the saved lists in the machine's file; read-only if it cannot be written. */
export function openMachineLists(world: World): MachineLists {
  const file = openState(world, 'create');
  if (file.ok) return listsIn(file.value);
  const trouble = troubleOf(file.error);
  const readable = trouble?.kind === 'state-write' ? openState(world, 'read') : file;
  return readable.ok ? { ...listsIn(readable.value), trouble } : noLists(trouble);
}

/** Opens the saved lists, if any, for a command that writes nothing: what it saves stays in this process. */
export function openUnsavedLists(world: World): MachineLists {
  const file = openState(world, 'read');
  if (!file.ok) return noLists(undefined);
  const memory = listsIn(file.value);
  return { ...memory, saved: memory.saved && unsavedLists(memory.saved) };
}

function listsIn(file: MachineFile): MachineLists {
  return { saved: savedListsIn(file), trouble: undefined, close: () => file.close() };
}

function noLists(trouble: ListsTrouble | undefined): MachineLists {
  return { saved: undefined, trouble, close: () => undefined };
}

/** The trouble for a state problem; undefined without a home, where there is no file. */
function troubleOf({ kind, message }: StateProblem): ListsTrouble | undefined {
  return kind === 'usage' ? undefined : { kind, message };
}

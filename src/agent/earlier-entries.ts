import type { Installed } from '../core/machine/activation.ts';
import type { ModuleEntry } from '../core/machine/machine.ts';
import { activationsIn } from '../store/activations.ts';
import { DatabaseError, type ClaimedFile } from '../store/index.ts';
import type { AgentEvent } from './event.ts';
import { targetOf } from './server.ts';

/** Whether the config has an entry of this name. */
type HasEntry = (name: string) => boolean;

/** What is in use for an entry that the config no longer has. */
interface EarlierEntry {
  readonly name: string;
  readonly current: Installed;
}

/** The entries of the same module that the config no longer has: this one may be one of them with another name (D84). */
function earlierEntries(
  file: ClaimedFile,
  { moduleId }: ModuleEntry,
  hasEntry: HasEntry,
): EarlierEntry[] {
  return [...activationsIn(file)].flatMap(([name, { moduleId: of, activation }]) =>
    of === moduleId && activation.phase === 'stable' && !hasEntry(name)
      ? [{ name, current: activation.current }]
      : [],
  );
}

/** The version in a folder, if it was in use for an entry whose place this one takes (D105). */
export function inherited(
  file: ClaimedFile,
  entry: ModuleEntry,
  { root, hasEntry }: { readonly root: string; readonly hasEntry: HasEntry },
): Installed | undefined {
  return earlierEntries(file, entry, hasEntry).find(({ current }) => current.root === root)
    ?.current;
}

/** What is undecided for an entry whose place this one takes is undecided for this one (D105). */
export function inheritFailures(
  entry: ModuleEntry,
  hasEntry: HasEntry,
  { file, onEvent }: { readonly file: ClaimedFile; readonly onEvent: (event: AgentEvent) => void },
): void {
  const { name } = entry;
  if (entry.type === 'local') return;
  try {
    for (const earlier of earlierEntries(file, entry, hasEntry))
      file.state.inheritFailures(targetOf(entry), earlier.name);
  } catch (error) {
    // The releases are decided on without it.
    if (!(error instanceof DatabaseError)) throw error;
    onEvent({ kind: 'module-waits-for-file', name, error });
  }
}

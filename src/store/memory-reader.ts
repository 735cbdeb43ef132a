import type { MachineMemory } from '../core/plan/machine-memory.ts';
import { snapshot } from '../sqlite/database.ts';
import type { MachineFile } from './machine-file.ts';
import { factsIn, memoryOf, pendingIn, type Facts, type Pending } from './memory.ts';

/** Changes with each write of another process. */
export function versionIn(sql: MachineFile['sql']): number {
  return Number(sql.get('PRAGMA data_version')?.['data_version']);
}

/** Caches the memory until it is forgotten, or another process writes. */
export function memoryReader({ database, sql }: MachineFile): {
  readonly read: () => MachineMemory;
  readonly forget: (what: 'all' | 'pending') => void;
} {
  let version: number | undefined;
  let facts: Facts | undefined;
  let pending: Pending | undefined;
  let memory: MachineMemory | undefined;
  return {
    read() {
      const now = versionIn(sql);
      if (now !== version) facts = pending = memory = undefined;
      version = now;
      memory ??= snapshot(database, () => {
        facts ??= factsIn(sql);
        pending = pendingIn(sql, pending);
        return memoryOf(facts, pending);
      });
      return memory;
    },
    forget(what) {
      memory = undefined;
      if (what === 'all') facts = undefined;
    },
  };
}

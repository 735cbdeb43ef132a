import { rowsIn } from './host-judge.ts';
import { isBlamed, type SeenEntry } from './seen-quarantine.ts';
import type { World } from './world.ts';

/*
 * What is undecided for an entry is so for one that takes its place. (D105)
 */

/** In which entries machine.db says that releases failed. */
export function failedEntriesIn({ disk }: Pick<World, 'disk'>): string[] {
  const rows = disk.rows(
    `SELECT module_id, version, kind, name, state FROM failed_entries JOIN quarantine
      USING (module_id, version, since)`,
  );
  return rows.map(
    (row) =>
      `${String(row['module_id'])} ${String(row['version'])} ${String(row['kind'])} ${String(row['name'])}: ${String(row['state']).replaceAll('-', ' ')}`,
  );
}

/** What is undecided for an entry that the config no longer has may be so for one that takes its place. */
export function inherit(world: Pick<World, 'disk' | 'ledger'>): void {
  const { quarantine, desired } = world.ledger;
  const where = new Set(failedEntriesIn(world));
  const modules = desired?.modules ?? [];
  for (const [file, seen] of quarantine) {
    const { moduleId, version, entries } = seen;
    if (!entries) continue;
    const about = (key: string, state: string): string => `${moduleId} ${version} ${key}: ${state}`;
    const moved = entries.map((entry) => {
      const { key, state } = entry;
      const isGone = !modules.some(({ name }) => key === `module ${name}`);
      if (!isGone || isBlamed(entry) || where.has(about(key, state))) return entry;
      const heir = modules.find(
        (one) => one.moduleId === moduleId && where.has(about(`module ${one.name}`, state)),
      );
      return heir ? movedTo(entry, `module ${heir.name}`) : entry;
    });
    quarantine.set(file, { ...seen, entries: moved });
  }
}

function movedTo({ state, since, reason }: SeenEntry, key: string): SeenEntry {
  return { key, state, since, reason };
}

/**
 * An entry starts for the first time since it was added: nothing that was undecided before is left under the name of an entry of its
 * module that the config had lost by then. On a full disk it may be.
 */
export function judgeInherited(world: World, name: string): void {
  const { ledger, complain } = world;
  const { desired, started, entered, left, begunAt, wasFull } = ledger;
  const heir = desired?.modules.find((one) => one.name === name);
  if (!desired || !heir || heir.isLocal || started.has(name) || wasFull) return;
  inherit(world);
  const rows = rowsIn(world);
  const addedAt = entered.get(name) ?? begunAt;
  const isBefore = (gone: string): boolean =>
    !desired.modules.some((one) => one.name === gone) &&
    (left.get(gone) ?? -Infinity) <= addedAt &&
    rows.get(gone)?.moduleId === heir.moduleId &&
    rows.get(gone)?.phase === 'stable';
  for (const { moduleId, version, entries = [] } of ledger.quarantine.values()) {
    // One that failed here as well has its own failure.
    if (moduleId !== heir.moduleId || entries.some(({ key }) => key === `module ${name}`)) continue;
    const lost = entries.find(
      (one) => !isBlamed(one) && one.since < addedAt && isBefore(one.key.replace(/^module /, '')),
    );
    if (!lost) continue;
    const { key, state } = lost;
    complain(
      'D105',
      `${name} starts, and ${key}, which left before, is still "${state}" for ${version}`,
    );
  }
}

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ModuleEntry } from '../core/machine/machine.ts';

/** The folder of the data that modules keep, below the platform's home. */
export const MODULE_DATA = 'module-data';

/** The machine whose modules keep data. */
export interface DataSite {
  readonly home: string;
  readonly machineId: string;
}

type Entry = Pick<ModuleEntry, 'name' | 'moduleId'>;

/** The folder of the data of an entry: `PLATFORM_MODULE_DATA`. */
export function dataFolder({ home, machineId }: DataSite, name: string): string {
  return join(home, MODULE_DATA, machineId, name);
}

/**
 * The folders with data that an entry of `entries` had under another id of the machine or another name (T341), below the
 * folder of all data: `local/lidar`. `ran` are the entries that ran here, also those that have left the config.
 */
export function earlierData(
  { name, moduleId }: Entry,
  { home, machineId }: DataSite,
  { entries, ran }: { readonly entries: readonly Entry[]; readonly ran: readonly Entry[] },
): string[] {
  const used = new Set(entries.map((entry) => entry.name));
  const names = ran.filter((one) => one.moduleId === moduleId && !used.has(one.name));
  const root = join(home, MODULE_DATA);
  return namesIn(root).flatMap((id) =>
    [name, ...names.map((one) => one.name)]
      .filter(
        (one) => (id !== machineId || one !== name) && namesIn(join(root, id, one)).length > 0,
      )
      .map((one) => `${id}/${one}`),
  );
}

/** Empty if there is no such folder, or this user may not read it. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

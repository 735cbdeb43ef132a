import type { ModuleEntry } from '../core/machine/machine.ts';
import type { Configuration } from '../poller/index.ts';
import { activationsIn } from '../store/activations.ts';
import { inheritFailures } from './earlier-entries.ts';
import { dataFolder } from './module-data.ts';
import type { ModulesOptions } from './modules-options.ts';
import { supervisedEntries } from './server.ts';

/** What an entry that is added takes over from those that the config no longer has. */
export function noteEarlier(
  entry: ModuleEntry,
  configuration: Configuration,
  options: ModulesOptions,
): void {
  noteEarlierData(entry, configuration, options);
  const names = new Set(supervisedEntries(configuration.machine).map(({ name }) => name));
  inheritFailures(entry, (name) => names.has(name), options);
}

/** Reports that what an entry kept before is in another folder than it uses now: nothing is moved by itself (T341). */
function noteEarlierData(
  entry: ModuleEntry,
  { machine }: Configuration,
  { ports, site, file, onEvent }: ModulesOptions,
): void {
  const ran = Array.from(activationsIn(file), ([name, { moduleId }]) => ({ name, moduleId }));
  const entries = supervisedEntries(machine);
  const earlier = ports.earlierData(entry, site, { entries, ran });
  const { name } = entry;
  if (earlier.length > 0)
    onEvent({ kind: 'earlier-data', name, folder: dataFolder(site, name), earlier });
}

import { dataFolder, earlierData, MODULE_DATA } from '../agent/module-data.ts';
import { LOCAL_MACHINE } from '../config/machine-id.ts';
import type { ModuleId } from '../core/index.ts';
import { excerpt } from '../core/text/quote.ts';
import { activationsIn } from '../store/activations.ts';
import type { MachineFile } from '../store/index.ts';
import { machineStateIn } from '../store/machine-state.ts';
import type { World } from '../base/world.ts';
import { homeOf } from './home-of.ts';
import { machineIdOf } from './machine-id.ts';

/** An entry whose data from before is in another folder than the one that it uses (T341). */
export interface EarlierData {
  readonly name: string;
  /** The folder that it uses. */
  readonly folder: string;
  /** The others, below the folder of all data: `local/lidar`. */
  readonly earlier: readonly string[];
}

/** The same for the entries that the agent decided on in its last round. None if the id of the machine cannot be read. */
export function earlierDataIn(file: MachineFile, world: World): EarlierData[] {
  const id = machineIdOf(world);
  if (!id.ok) return [];
  const site = { home: homeOf(file), machineId: id.value ?? LOCAL_MACHINE };
  const ran = Array.from(activationsIn(file), ([name, { moduleId }]) => ({ name, moduleId }));
  // A cast: the agent logs the ids of entries.
  const entries = machineStateIn(file)
    .decisions()
    .filter(({ kind }) => kind === 'module')
    .map(({ name, moduleId }) => ({ name, moduleId: moduleId as ModuleId }));
  return entries.flatMap((entry) => {
    const earlier = earlierData(entry, site, { entries, ran });
    const { name } = entry;
    return earlier.length === 0 ? [] : [{ name, folder: dataFolder(site, name), earlier }];
  });
}

/** What is said about it: both folders, and what moves the data. */
export function earlierDataWords({ folder, earlier }: Omit<EarlierData, 'name'>): string {
  const others = earlier.map((one) => `${MODULE_DATA}/${excerpt(one)}`).join(' and ');
  const has = earlier.length === 1 ? 'has' : 'have';
  return `it keeps its data in ${excerpt(folder)} now, and ${others} ${has} what it kept before; nothing is moved by itself`;
}

/** What moves the data, while no agent runs. */
export function moveCommands({ name, earlier }: Omit<EarlierData, 'folder'>): string {
  return earlier.map((one) => `modreg data move ${excerpt(one)} ${excerpt(name)}`).join(', or ');
}

/** A note for each entry whose data is elsewhere. */
export function earlierDataNotes(file: MachineFile, world: World): string[] {
  return earlierDataIn(file, world).map(
    (one) => `note: ${excerpt(one.name)}: ${earlierDataWords(one)}; modreg doctor says what to do`,
  );
}

import { onTestFinished } from 'vitest';
import type { ModuleId } from '../../../src/core/index.ts';
import {
  RegistryError,
  type CachedRegistry,
  type ListResult,
  type ReleaseList,
} from '../../../src/registries/index.ts';
import { cachedRegistry, type CacheOptions } from '../../../src/registry/cached-registry.ts';
import { CertainClock } from '../../../src/registry/certain-clock.ts';
import type { HttpRegistryOptions } from '../../../src/registry/http-registry.ts';
import type { RemoteRegistry } from '../../../src/registry/remote-registry.ts';
import { openMachineFile, savedListsIn, type MachineFile } from '../../../src/store/index.ts';
import { moduleId } from '../../support/ask.ts';
import { remoteAt } from '../../support/remote-at.ts';
import { testClock, type TestClock } from '../../support/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** A registry over the network, and a machine.db that saves its lists. */
export interface Remembered {
  readonly remote: RemoteRegistry;
  readonly registry: CachedRegistry;
  readonly clock: TestClock;
  readonly file: MachineFile;
  /** The same machine after a restart. */
  readonly restarted: () => CachedRegistry;
  /** All rows of saved lists in the file, as JSON. */
  readonly saved: () => string;
}

export const LIDAR: ModuleId = moduleId('acme:lidar');

export function remembered(
  address: string,
  options: HttpRegistryOptions & CacheOptions = {},
): Remembered {
  const file = openMachineFile(`${temporaryFolder()}/machine.db`);
  onTestFinished(() => file.close());
  const clock = testClock();
  const remote = remoteAt(address, { clock, random: () => 0, ...options });
  const certain = new CertainClock(clock, () => 'synchronized');
  const cache = { clock, certain, saved: savedListsIn(file), ...options };
  return {
    remote,
    clock,
    file,
    registry: cachedRegistry(remote, cache),
    restarted: () => cachedRegistry(remote, cache),
    saved: () =>
      JSON.stringify(
        ['saved_lists', 'saved_contents'].flatMap((table) =>
          file.sql.all(`SELECT * FROM ${table}`),
        ),
      ),
  };
}

/** The versions of a list, or the error; `stale, …` if a saved list was used instead. */
export async function outcomeOf(input: Promise<ReleaseList>): Promise<string> {
  try {
    const { stale, records } = await input;
    if (stale) return `stale, ${stale.kind}: ${stale.message}`;
    return Array.from(records, ({ version }) => version).join(' ');
  } catch (error) {
    if (error instanceof RegistryError) return `${error.kind}: ${error.message}`;
    throw error;
  }
}

/** The newest release of each module, with the error if the list is missing or stale. */
export function told(readings: ReadonlyMap<ModuleId, ListResult>): string[] {
  return Array.from(readings, ([id, reading]) => {
    if (!reading.ok) return `${id} ${reading.error.kind}`;
    const { records, stale } = reading.value;
    return `${id} ${records.at(-1)?.version ?? 'nothing'}${stale ? ` stale ${stale.kind}` : ''}`;
  });
}

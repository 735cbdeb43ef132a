import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  indexReleases,
  parseConstraint,
  resolve,
  type Eligibility,
  type ModuleId,
  type Refused,
} from '../../src/core/index.ts';
import { openRegistries, type OpenRegistry, type ReleaseList } from '../../src/registries/index.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { openMachineFile, savedListsIn, type MachineFile } from '../../src/store/index.ts';
import { moduleId } from './ask.ts';
import { temporaryFolder } from './folder.ts';

export const HOUR = 3_600_000;
export const DAY: number = 24 * HOUR;
/** When a story begins. */
export const START: number = Date.parse('2026-11-21T00:00:00Z');
const LIDAR: ModuleId = moduleId('acme:lidar');

/** How a board reads its lists. Only the first one says what time it is. */
export type Source = 'https' | 'loopback' | 'folder' | 'database';

/** What a board knows of its clock: the answer of its system, and the term of its policy. */
export interface Knowledge {
  readonly state?: 'synchronized' | 'unsynchronized' | 'unknown';
  readonly trustClock?: boolean;
}

/** A board whose clock a test sets, and a registry that knows what time it is. */
export interface Board {
  /** The true time. */
  readonly time: () => number;
  /** Lets time pass, for the board's clock too. */
  pass(ms: number): void;
  /** Sets the board's clock: how far it is ahead of the true time. */
  setClock(aheadMs: number): void;
  know(knowledge: Knowledge): void;
  /** Lets time pass while the board is suspended: its monotonic clock does not count it. */
  suspend(ms: number): void;
  /** How far what the registry says is ahead of the true time, from now on. */
  say(aheadMs: number): void;
  /** Publishes a release at the true time, with another claim if one is given. */
  publish(version: string, claim?: number): void;
  /** Ends the process; the next one has another monotonic clock. */
  restart(): void;
  /** Forgets the saved list, but not when releases were first seen. */
  evict(): void;
  /** Reads the list, and selects from it. */
  read(): Promise<Selected>;
  /** Selects from the list that was read last, as a plan between two rounds does. */
  selectAgain(): Selected;
}

/** The selected version, or why the newest one is refused. */
type Selected = string;

export interface BoardOptions extends Knowledge {
  readonly source: Source;
  readonly file?: MachineFile;
  /** Distinguishes the registries of boards that share a file. */
  readonly path?: string;
  readonly minimumAgeMs?: number;
}

const LATEST = parseConstraint('latest');

export function clockedBoard(options: BoardOptions): Board {
  const { minimumAgeMs = 3 * DAY, path = '' } = options;
  const file = options.file ?? memoryFile();
  let [time, aheadMs, booted, saidAheadMs] = [START, 0, START, 0];
  let { state, trustClock } = options as Knowledge;
  const releases: { version: string; published_at: string }[] = [];
  const now = (): number => time + aheadMs;
  const served = (): string => {
    const count = releases.length;
    return JSON.stringify({ module_id: 'acme:lidar', generation: 1 + count, count, releases });
  };
  const { address, write } = placeOf(options.source, path, served);
  const opened = (): OpenRegistry => {
    const registries = openRegistries({
      clock: { now, monotonic: () => time - booted, sleep: async () => await Promise.resolve() },
      clockState: () => state ?? 'unknown',
      saved: savedListsIn(file),
      fetch: async () =>
        await Promise.resolve(
          new Response(served(), {
            headers: {
              'content-type': 'application/json',
              date: new Date(time + saidAheadMs).toUTCString(),
            },
          }),
        ),
    });
    const registry = registries.open({
      registry: address,
      ...(trustClock !== undefined && { trustClock }),
    });
    if (!registry.ok) throw registry.error;
    return registry.value;
  };
  let registry = opened();
  let list: ReleaseList | undefined;
  const select = (): Selected => {
    if (!list || !LATEST.ok) throw new Error('no list was read');
    const clock = registry.clockFault?.();
    const eligibility: Eligibility = {
      now: now(),
      minimumAge: { ms: minimumAgeMs, unknown: 'refuse' },
      firstSeen: list.firstSeen,
      clock,
    };
    const resolution = resolve(LATEST.value, indexReleases(list.records), eligibility);
    if (resolution.kind === 'resolved') return resolution.release.version.text;
    const [first] = resolution.refused();
    return first ? reasonOf(first) : 'nothing';
  };
  return {
    time: () => time,
    pass: (ms) => {
      time += ms;
    },
    setClock: (ms) => {
      aheadMs = ms;
    },
    know: (knowledge) => {
      ({ state, trustClock } = knowledge);
      registry = opened();
    },
    suspend: (ms) => {
      time += ms;
      booted += ms;
    },
    say: (ms) => {
      saidAheadMs = ms;
    },
    publish: (version, claim = time) => {
      releases.push({ version, published_at: new Date(claim).toISOString() });
      write(version, claim);
    },
    restart: () => {
      booted = time;
      registry = opened();
    },
    evict: () => {
      file.sql.run('DELETE FROM saved_lists');
    },
    read: async () => {
      list = await registry.read(LIDAR);
      return select();
    },
    selectAgain: select,
  };
}

function reasonOf(refused: Refused): string {
  return refused.reason === 'unknown-age' && refused.clock !== undefined
    ? `unknown-age, ${refused.clock}`
    : refused.reason;
}

export function memoryFile(): MachineFile {
  const file = openMachineFile(`${temporaryFolder()}/machine.db`);
  onTestFinished(() => file.close());
  return file;
}

interface Place {
  readonly address: string;
  readonly write: (version: string, claim: number) => void;
}

function placeOf(source: Source, path: string, served: () => string): Place {
  if (source === 'https') return { address: `https://registry.example/${path}`, write: nothing };
  if (source === 'loopback') return { address: `http://127.0.0.1:1/${path}`, write: nothing };
  const folder = temporaryFolder({ 'lists/acme/lidar.json': served() });
  if (source === 'folder') {
    const list = join(folder, 'lists/acme/lidar.json');
    return { address: join(folder, 'lists'), write: () => writeFileSync(list, served()) };
  }
  const database = join(folder, 'site.db');
  new Catalogue(database, { mode: 'create' }).close();
  return {
    address: database,
    write: (version, claim) => {
      const catalogue = new Catalogue(database, { mode: 'write' });
      const release = readRelease({ version, published_at: new Date(claim).toISOString() });
      if (!release.ok) throw new Error(release.error.join('; '));
      catalogue.publish(LIDAR, release.value, claim);
      catalogue.close();
    },
  };
}

function nothing(): void {
  // The registry serves it from now on.
}

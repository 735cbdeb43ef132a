import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '../../../src/base/world.ts';
import { holdsOn } from '../../../src/host/requests/holds.ts';
import type { Kept } from './judge.ts';
import { lifeOf, type Life, type Setting } from './life.ts';
import { quickFolder } from './site.ts';

const KEPT = 'machine.db.served';

/** What a kill leaves of a folder: locks end with their process. */
function isLeft(path: string): boolean {
  return !/-shm$|lock/.test(path);
}

/** A machine that follows its site: its processes, its disk, and what runs. */
export interface Rover {
  /** The versions that run, by the name of their entry. */
  readonly running: ReadonlyMap<string, string>;
  /** What it has of its site, as it is on its disk. */
  readonly kept: () => Kept | undefined;
  readonly holds: () => readonly {
    readonly of: string;
    readonly by: string;
    readonly since: number;
  }[];
  /** How far its clock is ahead, and whether its system says that it is not right. */
  readonly time: { aheadMs: number; isCertain: boolean };
  readonly isUp: () => boolean;
  /** Ends its process as a kill does, and starts another one after `ms`. */
  readonly kill: (ms: number) => void;
  readonly restart: () => Promise<void>;
  readonly off: () => Promise<void>;
  readonly on: () => void;
  /** Removes what it has of its site. */
  readonly loseState: () => Promise<void>;
  /** The surroundings of a command on the machine. */
  readonly world: () => World;
  /** Lets its poller look at what a command on the machine requested. */
  readonly look: () => void;
  readonly stop: () => Promise<void>;
}

export function roverWith(setting: Setting): Rover {
  const folder = quickFolder();
  const { documents } = setting;
  writeFileSync(join(folder, 'machine.json'), JSON.stringify(documents.config));
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(documents.policy));
  const time = { aheadMs: 0, isCertain: true };
  const running = new Map<string, string>();
  const closing: (() => void)[] = [];
  let homes = 0;
  let life: Life | undefined;
  const home = (): string => join(folder, `${homes}`);
  mkdirSync(home());
  const begin = (): void => {
    life = lifeOf({ ...setting, folder, home: home(), running, time, closing, onKilled: kill });
  };
  function kill(ms: number): void {
    if (!life) return;
    life.isDead = true;
    life = undefined;
    // What the dead process still does is on another disk.
    const [from, to] = [home(), join(folder, `${++homes}`)];
    cpSync(from, to, { recursive: true, filter: isLeft });
    const revived = async (): Promise<void> => {
      await setting.clock.sleep(ms);
      if (!life) begin();
    };
    void revived();
  }
  const ended = async (): Promise<void> => {
    const { stop } = life ?? {};
    life = undefined;
    await stop?.();
  };
  begin();
  return {
    running,
    time,
    kept: () => keptIn(home()),
    holds: () => heldOn(life),
    isUp: () => life !== undefined,
    kill,
    async restart() {
      await ended();
      begin();
    },
    off: ended,
    on: begin,
    async loseState() {
      await ended();
      rmSync(join(home(), KEPT), { force: true });
      begin();
    },
    world() {
      if (!life) throw new Error('no process runs');
      return life.world;
    },
    look: () => life?.look(),
    async stop() {
      await ended();
      for (const close of closing) close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function heldOn(life: Life | undefined): ReturnType<Rover['holds']> {
  const found = life && holdsOn(life.world);
  if (!found?.ok) return [];
  return found.value.holds.map(({ of, by, since }) => ({ of: of.name, by, since }));
}

function keptIn(home: string): Kept | undefined {
  try {
    // A cast: its judge finds out what it is.
    return JSON.parse(readFileSync(join(home, KEPT), 'utf8')) as Kept;
  } catch {
    return undefined;
  }
}

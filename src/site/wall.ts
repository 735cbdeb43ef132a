import { systemClock } from '../registry/clock.ts';
import { WALL } from '../server/tokens/scope.ts';
import { lapseOf } from '../server/tokens/token.ts';
import { wallMachines, type WallMachines } from '../server/fleet/wall-machines.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import { keptCounts } from './kept-counts.ts';
import type { Answer, SiteFiles } from './site-files.ts';

/** The use of a token is recorded so often at most: the wall asks every ten seconds. */
const USE_EVERY_MS = 3_600_000;

/** The machines of a site on a wall, and who may see them without signing in. */
export interface SiteWall {
  wall(): Answer<WallMachines>;
  /** Whether this is the text of a token that opens the wall now. Its use is recorded (D216). */
  opensWall(token: string): boolean;
}

export function wallOf(files: SiteFiles): SiteWall {
  const { catalogue, fleet, now } = files;
  const kept = keptCounts<WallMachines>(systemClock);
  /** When the use of each token was last recorded, or could not be. */
  const recorded = new Map<string, number>();
  return {
    wall: () => ({
      ok: true,
      value: kept('', () =>
        fleet.read((sql) => wallMachines(sql, now(), catalogue.configs.refusals(now()))),
      ),
    }),
    opensWall(text) {
      const token = catalogue.tokenWith(text);
      if (!token?.scopes.includes(WALL) || lapseOf(token, now())) return false;
      const last = recorded.get(token.id) ?? token.lastUsedAt ?? 0;
      if (Math.abs(now() - last) < USE_EVERY_MS) return true;
      recorded.set(token.id, now());
      withoutFaults(() => files.change((writable) => writable.recordUse(token, now())));
      return true;
    },
  };
}

/** A file that cannot be written keeps nobody from the wall. */
function withoutFaults(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
  }
}

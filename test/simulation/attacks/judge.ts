import { printOf, type Books } from './books.ts';

/** What the judge needs to know of the moment. */
export interface Scene {
  readonly now: () => number;
  /** Whether somebody has a key of the registry that the machine may still go by. */
  readonly isRegistryStolen: () => boolean;
  /** What the machine runs, by module. */
  readonly running: () => ReadonlyMap<string, string>;
  readonly maxIndexAgeMs: number;
  /** Whether all keys have expired by the clock of the machine. */
  readonly isExpired: () => boolean;
}

/** What the machine found in a list. */
interface SeenList {
  readonly isStale: boolean;
  readonly releases: Parameters<typeof printOf>[0];
}

/** States after each event what must hold of a machine with a pin. The first violation is kept. */
export interface Judge {
  readonly round: () => void;
  readonly list: (moduleId: string, seen: SeenList, askedAt: number) => void;
  readonly delivery: (moduleId: string) => void;
  readonly start: (moduleId: string, version: string, content: string) => void;
  readonly forget: () => void;
  readonly complain: (invariant: string, found: string) => void;
  readonly violation: () => { readonly invariant: string; readonly found: string } | undefined;
}

/** Rounds of the machine in ten minutes: one a minute, one for each publication, and those after starts. */
const MOST_ROUNDS = 60;
const ROUNDS_MS = 600_000;
/** An answer was asked for a while before it is used. */
const ROUND_MS = 120_000;

export function judge(books: Books, scene: Scene): Judge {
  let rounds: number[] = [];
  const confirmedAt = new Map<string, number>();
  let violation: { invariant: string; found: string } | undefined;
  const complain = (invariant: string, found: string): void => {
    violation ??= { invariant, found };
  };
  return {
    complain,
    violation: () => violation,
    forget: () => confirmedAt.clear(),
    round() {
      // A registry that says again and again that something has changed is asked again and again.
      if (scene.isRegistryStolen()) return;
      rounds = [...rounds.filter((at) => at > scene.now() - ROUNDS_MS), scene.now()];
      if (rounds.length <= MOST_ROUNDS) return;
      complain('R4', `${rounds.length} rounds within ${ROUNDS_MS} ms`);
    },
    list(moduleId, { isStale, releases }, askedAt) {
      if (isStale) return;
      confirmedAt.set(moduleId, scene.now());
      if (scene.isExpired()) complain('T582', `a list of ${moduleId} is confirmed by expired keys`);
      if (scene.isRegistryStolen() || books.wasTrue(moduleId, printOf(releases), askedAt)) return;
      complain('T582', `a list of ${moduleId} counts as current that the registry did not have`);
    },
    delivery(moduleId) {
      const age = scene.now() - (confirmedAt.get(moduleId) ?? -Infinity);
      if (age <= scene.maxIndexAgeMs + ROUND_MS) return;
      complain('T582', `${moduleId} is replaced, and its list was confirmed ${age} ms ago`);
    },
    start(moduleId, version, content) {
      if (!books.mayRun({ moduleId, version, content })) {
        complain('T580', `${moduleId} ${version} runs ${JSON.stringify(content)}, unsigned`);
      }
      const before = scene.running().get(moduleId);
      if (before === undefined || numberOf(version) >= numberOf(before)) return;
      if (books.isYankSigned({ moduleId, version: before })) return;
      complain('T581', `${moduleId} goes from ${before} to ${version}, and no author said so`);
    },
  };
}

function numberOf(version: string): number {
  return Number(version.split('.')[1]);
}

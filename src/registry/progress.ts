import { lostDigests, type KnownDigest } from './known-digests.ts';
import { RegistryError } from './registry-error.ts';
import type { FetchedList } from './remote-registry.ts';
import type { SavedList } from './saved-lists.ts';

const HINT = 'modreg accept shows what changed and accepts the current list';
/** A module does not change this often between two readings of its list. */
const FARTHEST_JUMP = 1_000_000;
/** The highest number that a first list may have: beyond it, too few numbers are left to count with. */
export const HIGHEST_NUMBER: number = 2 ** 52;
/** More digests than a list removes or changes in years of normal use. */
const MOST_LOST = 100_000;

/**
 * The known digests that `next` lacks. Throws a `registry-regressed` or `registry-implausible` RegistryError if `next`
 * cannot be a successor of `known`; `what` names the list in its message.
 */
export function checkProgress(known: SavedList, next: FetchedList, what: string): KnownDigest[] {
  // A list that is older than the known one, or contradicts it, is refused (D22).
  const found = regression(known, next);
  if (found !== undefined) throw regressed(what, found);
  const { generation } = known;
  checkGeneration(
    next,
    generation === undefined ? HIGHEST_NUMBER : generation + FARTHEST_JUMP,
    what,
  );
  const lost = lostDigests(known, next.records);
  if (lost.length > MOST_LOST) {
    throw regressed(what, `${lost.length} digests were changed or removed`);
  }
  return lost;
}

/** The digests that a first list lacks: none. Throws a `registry-implausible` RegistryError if its generation is too high. */
export function checkFirst(next: FetchedList, what: string): KnownDigest[] {
  checkGeneration(next, HIGHEST_NUMBER, what);
  return [];
}

/** Generations increase by 1. After one near the highest number, no honest list could follow (D40). */
function checkGeneration({ generation = 0 }: FetchedList, most: number, what: string): void {
  if (generation <= most) return;
  const found = `${what} is too far ahead: generation ${generation}, expected at most ${most}`;
  throw new RegistryError('registry-implausible', found, { hint: HINT });
}

function regression(known: SavedList, { generation, digest }: FetchedList): string | undefined {
  if (known.generation === undefined || generation === undefined) return undefined;
  if (generation < known.generation) return `generation ${generation}, after ${known.generation}`;
  if (generation > known.generation || digest === known.digest) return undefined;
  return `generation ${generation} again, with different content`;
}

function regressed(what: string, found: string): RegistryError {
  return new RegistryError('registry-regressed', `${what} went backwards: ${found}`, {
    hint: HINT,
  });
}

import { lostDigests, type KnownDigest } from './known-digests.ts';
import { RegistryError } from './registry-error.ts';
import type { FetchedList } from './remote-registry.ts';
import type { SavedList } from './saved-lists.ts';

/** More digests than a list removes or changes in years of normal use. */
const MOST_LOST = 100_000;

/**
 * The known digests that `next` lacks. Throws a `registry-regressed` RegistryError if `next` cannot be a successor of
 * `known`; `what` names the list in its message.
 */
export function checkProgress(known: SavedList, next: FetchedList, what: string): KnownDigest[] {
  // A list that is older than the known one, or contradicts it, is refused (D22).
  const found = regression(known, next);
  if (found !== undefined) throw regressed(what, found);
  const lost = lostDigests(known, next.records);
  if (lost.length > MOST_LOST) {
    throw regressed(what, `${lost.length} digests were changed or removed`);
  }
  return lost;
}

function regression(known: SavedList, { generation, digest }: FetchedList): string | undefined {
  if (known.generation === undefined || generation === undefined) return undefined;
  if (generation < known.generation) return `generation ${generation}, after ${known.generation}`;
  if (generation > known.generation || digest === known.digest) return undefined;
  return `generation ${generation} again, with different content`;
}

function regressed(what: string, found: string): RegistryError {
  return new RegistryError('registry-regressed', `${what} went backwards: ${found}`, {
    hint: 'modreg accept shows what changed and accepts the current list',
  });
}

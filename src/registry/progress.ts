import type { ModuleId } from '../core/index.ts';
import { lostDigests, type KnownDigest } from './known-digests.ts';
import { RegistryError } from './registry-error.ts';
import type { FetchedList } from './remote-registry.ts';
import type { SavedList } from './saved-lists.ts';

/** A module does not change this often between two readings of its list. */
const FARTHEST_JUMP = 1_000_000;
/** The highest number that a first list may have: beyond it, too few numbers are left to count with. */
export const HIGHEST_NUMBER: number = 2 ** 52;
/** More digests than a list removes or changes in years of normal use. */
const MOST_LOST = 100_000;

/** The list of a module at a registry. */
export interface ListName {
  readonly moduleId: ModuleId;
  /** The address of the registry for a person, escaped and without credentials. */
  readonly from: string;
}

/**
 * The known digests that `next` lacks. Throws a `registry-regressed` or `registry-implausible` RegistryError if `next`
 * cannot be a successor of `known`; `name` is the list that its message names.
 */
export function checkProgress(known: SavedList, next: FetchedList, name: ListName): KnownDigest[] {
  // A list that is older than the known one, or contradicts it, is refused (D22).
  const found = regression(known, next);
  if (found !== undefined) throw regressed(name, found);
  const { generation } = known;
  checkGeneration(
    next,
    generation === undefined ? HIGHEST_NUMBER : generation + FARTHEST_JUMP,
    name,
  );
  const lost = lostDigests(known, next.records);
  if (lost.length > MOST_LOST) {
    throw regressed(name, `${lost.length} digests were changed or removed`);
  }
  return lost;
}

/** The digests that a first list lacks: none. Throws a `registry-implausible` RegistryError if its generation is too high. */
export function checkFirst(next: FetchedList, name: ListName): KnownDigest[] {
  checkGeneration(next, HIGHEST_NUMBER, name);
  return [];
}

/** Generations increase by 1. After one near the highest number, no honest list could follow (D40). */
function checkGeneration({ generation = 0 }: FetchedList, most: number, name: ListName): void {
  if (generation <= most) return;
  const found = `${describe(name)} is too far ahead: generation ${generation}, expected at most ${most}`;
  throw new RegistryError('registry-implausible', found, { hint: hintFor(name) });
}

function regression(known: SavedList, { generation, digest }: FetchedList): string | undefined {
  if (known.generation === undefined || generation === undefined) return undefined;
  if (generation < known.generation) return `generation ${generation}, after ${known.generation}`;
  if (generation > known.generation || digest === known.digest) return undefined;
  return `generation ${generation} again, with different content`;
}

function regressed(name: ListName, found: string): RegistryError {
  const message = `${describe(name)} went backwards: ${found}`;
  return new RegistryError('registry-regressed', message, { hint: hintFor(name) });
}

function describe({ moduleId, from }: ListName): string {
  return `the list of ${moduleId} at ${from}`;
}

function hintFor({ moduleId, from }: ListName): string {
  return `modreg accept ${moduleId} --registry ${from} accepts the current list; with --dry-run, it only shows what changed`;
}

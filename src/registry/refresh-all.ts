import pLimit from 'p-limit';
import type { ModuleId } from '../core/index.ts';
import type { Memory, Refreshed } from './refresh.ts';
import { RegistryError, type RegistryErrorKind } from './registry-error.ts';
import type { RemoteChanges, RemoteRegistry, RequestContext } from './remote-registry.ts';
import type { SavedList } from './saved-lists.ts';

const REQUESTS_AT_ONCE = 8;
/** This many unreachable requests in a row end the round: the others would also fail. */
const MOST_UNREACHABLE = 3;
const UNREACHABLE: ReadonlySet<RegistryErrorKind> = new Set([
  'registry-unreachable',
  'registry-timeout',
  'registry-busy',
  'bad-certificate',
]);
/** Errors that mean that the registry has no readable change feed. */
const FEEDLESS: ReadonlySet<RegistryErrorKind> = new Set(['not-a-registry', 'list-too-large']);
/** Higher than any sequence number, so that the feed returns its sequence number and no modules. */
const BEYOND = Number.MAX_SAFE_INTEGER;

/**
 * Refreshes the lists of `moduleIds`. With a change feed, `ask` is called only for modules that changed after the
 * latest sequence number of their lists, or whose list has a lower number or none.
 */
export async function refreshAll(
  moduleIds: readonly ModuleId[],
  { remote, lists, clock }: Memory,
  round: RequestContext,
  ask: (moduleId: ModuleId, sequence: number | undefined) => Promise<Refreshed>,
): Promise<ReadonlyMap<ModuleId, Refreshed>> {
  if (moduleIds.length === 0) return new Map();
  const known = new Map<ModuleId, SavedList>();
  for (const [moduleId, list] of lists.getAll(moduleIds)) {
    if (list.sequence !== undefined) known.set(moduleId, list);
  }
  const after = latestSequence([...known.values()]) ?? BEYOND;
  const changes = await changesAfter(after, remote, round);
  if (changes instanceof RegistryError) return new Map(moduleIds.map((id) => [id, changes]));
  const sequence = changes?.sequence;
  const current = lists.confirm(unchanged(known, after, changes), {
    confirmedAt: clock.now(),
    sequence,
  });
  const rest = moduleIds.filter((moduleId) => !current.has(moduleId));
  const asked = await askEach(rest, async (moduleId) => await ask(moduleId, sequence));
  return new Map([...current, ...asked]);
}

/** The highest sequence number of `lists`; undefined if none has one. */
export function latestSequence(lists: readonly SavedList[]): number | undefined {
  return lists.reduce<number | undefined>(
    (latest, { sequence }) => (sequence === undefined ? latest : Math.max(latest ?? 0, sequence)),
    undefined,
  );
}

/** Undefined if each module needs its own request. */
async function changesAfter(
  sequence: number,
  remote: RemoteRegistry,
  round: RequestContext,
): Promise<RemoteChanges | RegistryError | undefined> {
  try {
    return await remote.changes?.(sequence, round);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return FEEDLESS.has(error.kind) ? undefined : error;
  }
}

/** The lists that are still current. A lower sequence number belongs to another catalogue: any list may have changed. */
function unchanged(
  known: ReadonlyMap<ModuleId, SavedList>,
  after: number,
  changes: RemoteChanges | undefined,
): ReadonlyMap<ModuleId, SavedList> {
  if (!changes || changes.sequence < after) return new Map();
  const current = [...known].filter(
    ([moduleId, { sequence }]) => sequence === after && !changes.modules.has(moduleId),
  );
  return new Map(current);
}

/** Sends a few requests at a time. Stops when the registry is unreachable; the other modules get the same error. */
async function askEach(
  moduleIds: readonly ModuleId[],
  ask: (moduleId: ModuleId) => Promise<Refreshed>,
): Promise<ReadonlyMap<ModuleId, Refreshed>> {
  if (moduleIds.length === 0) return new Map();
  let unreachable = 0;
  let lastError: RegistryError | undefined;
  const attempt = async (moduleId: ModuleId): Promise<[ModuleId, Refreshed]> => {
    if (lastError) return [moduleId, lastError];
    const result = await ask(moduleId);
    const isUnreachable = result instanceof RegistryError && UNREACHABLE.has(result.kind);
    unreachable = isUnreachable ? unreachable + 1 : 0;
    if (isUnreachable && unreachable >= MOST_UNREACHABLE) lastError = result;
    return [moduleId, result];
  };
  return new Map(await pLimit(REQUESTS_AT_ONCE).map(moduleIds, attempt));
}

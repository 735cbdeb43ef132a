import pLimit from 'p-limit';
import type { ModuleId } from '../core/index.ts';
import type { Memory, Refreshed } from './refresh.ts';
import { RegistryError, type RegistryErrorKind } from './registry-error.ts';
import type { RemoteChanges, RemoteRegistry, RequestContext } from './remote-registry.ts';
import type { SavedList } from './saved-lists.ts';

const REQUESTS_AT_ONCE = 8;
/** So many requests in a row that reached nobody end the round: the others would not, either. */
const MOST_IN_VAIN = 3;
const IN_VAIN: ReadonlySet<RegistryErrorKind> = new Set([
  'registry-unreachable',
  'registry-timeout',
  'registry-busy',
  'bad-certificate',
]);
/** A registry that answers so has no feed of its changes, or none that can be read. */
const FEEDLESS: ReadonlySet<RegistryErrorKind> = new Set(['not-a-registry', 'list-too-large']);
/** No feed has reached it: asked for what comes after it, one tells its sequence and nothing else. */
const BEYOND = Number.MAX_SAFE_INTEGER;

/**
 * Asks for the lists of `moduleIds`: where there is a feed of changes, only for those that changed. The feed is
 * asked for what came after the latest of the lists; those that are known as of earlier are asked for, by
 * `ask`.
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

/** The sequence of the registry's changes that the latest of `lists` is known as of, if any is. */
export function latestSequence(lists: readonly SavedList[]): number | undefined {
  return lists.reduce<number | undefined>(
    (latest, { sequence }) => (sequence === undefined ? latest : Math.max(latest ?? 0, sequence)),
    undefined,
  );
}

/** Undefined where every module must be asked for by itself. */
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

/** A sequence below the one that was asked for is another catalogue's: every list may have changed. */
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

/** Asks a few at a time, and no more once nobody answers. */
async function askEach(
  moduleIds: readonly ModuleId[],
  ask: (moduleId: ModuleId) => Promise<Refreshed>,
): Promise<ReadonlyMap<ModuleId, Refreshed>> {
  let inVain = 0;
  let ending: RegistryError | undefined;
  const attempt = async (moduleId: ModuleId): Promise<[ModuleId, Refreshed]> => {
    if (ending) return [moduleId, ending];
    const answer = await ask(moduleId);
    const isInVain = answer instanceof RegistryError && IN_VAIN.has(answer.kind);
    inVain = isInVain ? inVain + 1 : 0;
    if (isInVain && inVain >= MOST_IN_VAIN) ending = answer;
    return [moduleId, answer];
  };
  return new Map(await pLimit(REQUESTS_AT_ONCE).map(moduleIds, attempt));
}

import pLimit from 'p-limit';
import type { ModuleId } from '../core/index.ts';
import type { Feed, FeedNews, FeedPosition } from './feed.ts';
import type { KnownTime } from './certain-clock.ts';
import { confirmedNow, settledList, type Memory, type Refreshed } from './refresh.ts';
import { RegistryError, type RegistryErrorKind } from './registry-error.ts';
import type { RememberedLists } from './remembered-lists.ts';
import type { RequestContext } from './remote-registry.ts';
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
const NOWHERE: FeedPosition = { sequence: undefined, history: undefined };
/** Errors that mean that the registry has no change feed that can be used. */
const FEEDLESS: ReadonlySet<RegistryErrorKind> = new Set([
  'not-a-registry',
  'list-too-large',
  'registry-implausible',
]);

/**
 * Refreshes the lists of `moduleIds`. With a change feed, `ask` is called only for modules whose list the feed does not
 * confirm, with the position of the feed before that request.
 */
export async function refreshAll(
  moduleIds: readonly ModuleId[],
  { lists, clock, feed, time: knownTime }: Memory,
  round: RequestContext,
  ask: (moduleId: ModuleId, position: FeedPosition | undefined) => Promise<Refreshed>,
): Promise<ReadonlyMap<ModuleId, Refreshed>> {
  if (moduleIds.length === 0) return new Map();
  const known = lists.getAll(moduleIds);
  const news = await newsOf(moduleIds, known, feed, round);
  if (news instanceof RegistryError) return new Map(moduleIds.map((id) => [id, news]));
  const time = knownTime();
  const current = lists.confirm(confirmed(known, news, time), {
    ...confirmedNow(clock, time),
    ...(news?.position ?? NOWHERE),
  });
  const rest = moduleIds.filter((moduleId) => !current.has(moduleId));
  const asked = await askEach(rest, async (id) => await ask(id, news && positionIn(news, id)));
  if (news?.hasBegunAgain === true) voidPositions(known, asked, lists);
  return new Map([...current, ...asked]);
}

/**
 * Lists that could not be read from another catalogue lose their positions, which count the changes of the one before (D42). Their
 * history stays: it names the keys that signed them (D196).
 */
function voidPositions(
  known: ReadonlyMap<ModuleId, SavedList>,
  asked: ReadonlyMap<ModuleId, Refreshed>,
  lists: RememberedLists,
): void {
  for (const [moduleId, list] of known) {
    if (list.sequence === undefined || !(asked.get(moduleId) instanceof RegistryError)) continue;
    const { confirmedAt, history } = list;
    lists.confirm(new Map([[moduleId, list]]), { confirmedAt, sequence: undefined, history });
  }
}

/** Without a position, a list is requested again in each round. */
function positionIn({ names, position }: FeedNews, moduleId: ModuleId): FeedPosition {
  return names(moduleId) ? position : { ...position, sequence: undefined };
}

/** Undefined if each module needs its own request. */
async function newsOf(
  moduleIds: readonly ModuleId[],
  known: ReadonlyMap<ModuleId, SavedList>,
  feed: Feed,
  round: RequestContext,
): Promise<FeedNews | RegistryError | undefined> {
  try {
    return await feed.news(moduleIds, known, round);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return FEEDLESS.has(error.kind) ? undefined : error;
  }
}

/** The lists that the feed confirms, with its position. */
function confirmed(
  known: ReadonlyMap<ModuleId, SavedList>,
  news: FeedNews | undefined,
  time: KnownTime,
): ReadonlyMap<ModuleId, SavedList> {
  const lists = new Map<ModuleId, SavedList>();
  for (const [moduleId, list] of known) {
    if (news?.confirms(moduleId, list) === true) lists.set(moduleId, settledList(list, time));
  }
  return lists;
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

import type { ModuleId } from '../../core/index.ts';
import { describeValue } from '../../core/text/quote.ts';
import type { ListEntries } from '../formats/decoded-list.ts';
import { isJsonObject } from '../formats/json-object.ts';
import { npmName } from '../formats/npm-name.ts';
import { npmEntries } from '../formats/npm-packument.ts';
import { RegistryError } from '../registry-error.ts';
import type { FetchedList, RemoteRegistry, RequestContext } from '../remote-registry.ts';
import { isJson } from './body.ts';
import { notFound, type Connection } from './connection.ts';
import type { Reply } from './exchange.ts';
import { fetchedList } from './fetched-list.ts';

/** The largest packuments have fewer than a million. */
const MOST_TOKENS = 4_000_000;
/** Prefers the full packument: the abbreviated one has no publish times, and a minimum age refuses unknown times. */
const FULL = 'application/json, application/vnd.npm.install-v1+json;q=0.5';
const ABBREVIATED = 'application/vnd.npm.install-v1+json';
const BAD_REQUEST = 400;
/** With a name that has `%2f`. */
const REFUSED_SLASH = new Set([BAD_REQUEST]);

/** An npm registry at `base`: `acme:lidar` is `@acme/lidar`, and `npm:lidar` is `lidar`. */
export function npmRegistry(base: URL, connection: Connection): Pick<RemoteRegistry, 'fetch'> {
  const { where, limits } = connection;
  const request = { largest: limits.largestPackument, mostTokens: MOST_TOKENS };
  /** Modules whose full packument is too large. */
  const abbreviated = new Set<ModuleId>();
  const read = async (
    accept: string,
    moduleId: ModuleId,
    [known, round]: Asking,
  ): Promise<FetchedList> => {
    const name = npmName(moduleId);
    const ask = async (path: string): Promise<Reply> => {
      const query = { ...request, accept, etag: known?.etag, answered: REFUSED_SLASH };
      return await connection.get(new URL(path, base), query, round);
    };
    const { reply, note } = await pastProxies(name, ask);
    if (reply.status === 404) throw notFound(`${moduleId} (${name})`, where, reply, note);
    if (reply.status === BAD_REQUEST) throw badRequest(where, note);
    if (reply.status === 304 && known) return known;
    const list = await fetchedList(reply, where, (json) => entriesIn(json, name));
    return note === undefined ? list : { ...list, dropped: [...list.dropped, note] };
  };
  return {
    async fetch(moduleId, known, round) {
      if (abbreviated.has(moduleId)) return await read(ABBREVIATED, moduleId, [known, round]);
      try {
        return await read(FULL, moduleId, [known, round]);
      } catch (error) {
        if (!(error instanceof RegistryError) || error.kind !== 'list-too-large') throw error;
        const list = await read(ABBREVIATED, moduleId, [undefined, round]).catch(
          (second: unknown) => {
            throw tooLarge(error, second);
          },
        );
        abbreviated.add(moduleId);
        return { ...list, dropped: [...list.dropped, WITHOUT_TIMES] };
      }
    },
  };
}

/** What else a request depends on: the list that is known, and its round. */
type Asking = readonly [Parameters<RemoteRegistry['fetch']>[1], RequestContext];

const WITHOUT_TIMES =
  'its full packument is too large, so the abbreviated one was read, which has no publish times: a minimum_release_age counts from when this machine first saw a release';

/** The error for a packument that is too large in both forms. */
function tooLarge({ kind, message }: RegistryError, second: unknown): unknown {
  if (!(second instanceof RegistryError)) return second;
  const hint =
    'unpublish old versions, or move the module to a new name: the abbreviated packument cannot be read either';
  return new RegistryError(kind, message, { hint });
}

/**
 * The response for a package, as npm asks for it: with `%2f` in the name. Some proxies refuse that, so it is then asked for once with a slash. `note`
 * says that `%2f` was refused.
 */
async function pastProxies(
  name: string,
  ask: (path: string) => Promise<Reply>,
): Promise<{ readonly reply: Reply; readonly note: string | undefined }> {
  const encoded = name.replace('/', '%2f');
  const reply = await ask(encoded);
  if (encoded === name || !isOfProxy(reply)) return { reply, note: undefined };
  const other = await ask(name);
  const isRead = other.status === 200 || other.status === 304;
  const advice = 'allow encoded slashes there, as npm sends them';
  const note = isRead
    ? `a proxy before the registry refuses /${encoded} (${reply.status}), so /${name} was read: ${advice}`
    : `neither /${encoded} nor /${name} is answered with JSON; if a proxy refuses %2f, ${advice}`;
  return { reply: isRead ? other : reply, note };
}

/** Whether a response may be that of a proxy which refuses `%2f`: Apache answers 404, others 400. A registry answers with JSON. */
function isOfProxy({ status, headers }: Reply): boolean {
  return (status === 404 && !isJson(headers.get('content-type'))) || status === BAD_REQUEST;
}

function badRequest(where: string, hint: string | undefined): RegistryError {
  const message = `${where} does not respond like a registry: got 400`;
  return new RegistryError('not-a-registry', message, { hint });
}

function entriesIn(json: unknown, name: string): ListEntries {
  if (!isJsonObject(json)) {
    throw new RegistryError('not-a-registry', `found ${describeValue(json)}, expected an object`);
  }
  if (json['name'] !== name) {
    const message = `/name is ${describeValue(json['name'])}, expected "${name}"`;
    throw new RegistryError('not-a-registry', message);
  }
  return npmEntries(json);
}

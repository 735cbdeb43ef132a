import { parseModuleId, type ModuleId } from '../../core/index.ts';
import { nameOf, namespaceOf } from '../../core/releases/module-id.ts';
import { describeValue } from '../../core/text/quote.ts';
import type { ListEntries } from '../formats/decoded-list.ts';
import { isJsonObject, type JsonObject } from '../formats/json-object.ts';
import { parseJson } from '../formats/json-text.ts';
import { moduleEntries } from '../formats/module-document.ts';
import { HIGHEST_NUMBER } from '../progress.ts';
import { RegistryError } from '../registry-error.ts';
import type { RemoteChanges, RemoteRegistry } from '../remote-registry.ts';
import { withErrorContext } from './error-context.ts';
import { notFound, type Connection, type Following } from './connection.ts';
import type { Reply } from './exchange.ts';
import { fetchedList } from './fetched-list.ts';
import { LONGEST_SPREAD_MS, MOST_LIST_TOKENS } from './limits.ts';

const ACCEPT = 'application/json';
/** Room for many versions of a trust document. */
const TRUST = { accept: ACCEPT, largest: 1024 * 1024, mostTokens: 10_000 };
/** Room for 64 KiB of text in JSON. */
const NOTES = { accept: ACCEPT, largest: 512 * 1024, mostTokens: 100 };
/** The header with the signature of an answer (D148). */
const SIGNATURE = 'modreg-signature';
const LONGEST_HISTORY = 100;
/** A request for changes names so many modules: more would be too long for some proxies. */
const MOST_FILTERED = 50;

/** A registry with modreg's own protocol at `base`, which ends in a slash. */
export function modregRegistry(
  base: URL,
  connection: Connection,
): Pick<RemoteRegistry, 'fetch' | 'changes' | 'modules' | 'notes' | 'trust'> {
  const { where } = connection;
  const request = requestOf(connection);
  return {
    fetch: fetchFrom(base, connection),
    changes: changesFrom(base, connection),
    async modules(namespace, round) {
      const query = namespace === undefined ? '' : `?namespace=${namespace}`;
      const reply = await connection.get(new URL(`v1/modules${query}`, base), request, round);
      return reply.status === 200 ? withErrorContext(where, () => decodeModules(reply)) : undefined;
    },
    async notes(moduleId, version, round) {
      const release = `releases/${encodeURIComponent(version)}/notes`;
      const path = `v1/modules/${namespaceOf(moduleId)}/${nameOf(moduleId)}/${release}`;
      const reply = await connection.get(new URL(path, base), NOTES, round);
      // A registry of an earlier modreg has none.
      if (reply.status !== 200) return undefined;
      return withErrorContext(where, () => decodeNotes(reply));
    },
    async trust(round) {
      const reply = await connection.get(new URL('v1/trust', base), TRUST, round);
      // A registry of an earlier modreg has none.
      if (reply.status !== 200) return [];
      return withErrorContext(where, () =>
        stringsOf(objectOf(parseJson(reply.body.text))['documents'], 'documents'),
      );
    },
  };
}

/** What each request for a list or for changes has. */
function requestOf({ limits }: Connection): Pick<Asked, 'accept' | 'largest' | 'mostTokens'> {
  return { accept: ACCEPT, largest: limits.largestList, mostTokens: MOST_LIST_TOKENS };
}

type Asked = Parameters<Connection['get']>[1];

function fetchFrom(base: URL, connection: Connection): RemoteRegistry['fetch'] {
  const { where } = connection;
  return async (moduleId, known, round) => {
    const { proof } = round;
    const query = proof ? `?nonce=${proof.nonce}` : '';
    const path = `v1/modules/${namespaceOf(moduleId)}/${nameOf(moduleId)}${query}`;
    const url = new URL(path, base);
    const conditional = { ...requestOf(connection), etag: known?.etag, atLeast: round.atLeast };
    const reply = await connection.get(url, conditional, round);
    if (reply.status === 404) throw notFound(moduleId, where, reply);
    const same = reply.status === 304 ? known : undefined;
    const sha256 = same?.digest ?? reply.body.digest;
    const signature = reply.headers.get(SIGNATURE);
    await proof?.check({ question: `list ${moduleId}`, sha256, signature });
    if (same) return same;
    const list = await fetchedList(reply, where, (json) => entriesIn(json, moduleId, url));
    return { ...list, servedIn: reply.headers.get('modreg-history') ?? undefined };
  };
}

function changesFrom(base: URL, connection: Connection): NonNullable<RemoteRegistry['changes']> {
  const { where } = connection;
  return async (sequence, round, waitMs = 0, modules = []) => {
    const wait = waitMs > 0 ? `&wait=${waitMs / 1000}` : '';
    const only =
      modules.length > 0 && modules.length <= MOST_FILTERED ? `&modules=${modules.join()}` : '';
    const { proof } = round;
    const nonce = proof ? `&nonce=${proof.nonce}` : '';
    const following = waitMs > 0 && isServedBy(base, connection) ? connection.following : undefined;
    const config = following ? followedBy(following) : '';
    const url = new URL(`v1/changes?after=${sequence}${wait}${only}${nonce}${config}`, base);
    const reply = await connection.get(url, { ...requestOf(connection), waitMs }, round);
    if (reply.status !== 200) return undefined;
    const signature = reply.headers.get(SIGNATURE);
    const { digest: sha256 } = reply.body;
    await proof?.check({ question: `changes ${sequence}`, sha256, signature });
    const changes = withErrorContext(where, () => decodeChanges(reply));
    if (following && hasNews(objectOf(parseJson(reply.body.text)))) following.onNews();
    return changes;
  };
}

/** What the machine knows of what its site serves (D267, D296). */
function followedBy({ known, taken }: Following): string {
  return `&config=${known()}&commands=${taken()}`;
}

function hasNews({ config, commands }: JsonObject): boolean {
  return config !== undefined || commands !== undefined;
}

/** Whether the wait of a machine here is one for its documents as well (D267). */
function isServedBy(base: URL, { following }: Connection): boolean {
  return following?.origin === base.origin;
}

/**
 * Unlike in a file, the fields that distinguish a complete list from a part of one are required. Addresses of hosted files are
 * relative to `url` (D44).
 */
function entriesIn(json: unknown, moduleId: ModuleId, url: URL): ListEntries {
  const document = objectOf(json);
  for (const key of ['module_id', 'generation', 'count']) {
    if (document[key] === undefined) {
      throw new RegistryError('not-a-registry', `/${key} is missing`);
    }
  }
  return moduleEntries(document, moduleId, url);
}

function decodeChanges({ body }: Reply): RemoteChanges {
  const { sequence, history, modules, spread_ms: spread } = objectOf(parseJson(body.text));
  if (!Number.isSafeInteger(sequence) || Number(sequence) < 0) {
    const message = `/sequence is ${describeValue(sequence)}, expected a whole number`;
    throw new RegistryError('not-a-registry', message);
  }
  // No sequence could follow one near the highest number (D40).
  if (Number(sequence) > HIGHEST_NUMBER) {
    const message = `/sequence is ${Number(sequence)}, expected at most ${HIGHEST_NUMBER}`;
    throw new RegistryError('registry-implausible', message);
  }
  const spreadMs =
    typeof spread === 'number' && spread > 0 ? Math.min(spread, LONGEST_SPREAD_MS) : 0;
  return {
    history: historyOf(history),
    sequence: Number(sequence),
    modules: new Set(stringsOf(modules, 'modules')),
    spreadMs,
  };
}

function historyOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.length <= LONGEST_HISTORY) return value;
  const message = `/history is ${describeValue(value)}, expected text of at most ${LONGEST_HISTORY} characters`;
  throw new RegistryError('not-a-registry', message);
}

function decodeModules({ body }: Reply): readonly ModuleId[] {
  return stringsOf(objectOf(parseJson(body.text))['modules'], 'modules').flatMap((text) => {
    const id = parseModuleId(text);
    return id.ok ? [id.value] : [];
  });
}

function decodeNotes({ body }: Reply): string | null {
  const { notes } = objectOf(parseJson(body.text));
  if (notes === null || typeof notes === 'string') return notes;
  const message = `/notes is ${describeValue(notes)}, expected text or null`;
  throw new RegistryError('not-a-registry', message);
}

function objectOf(json: unknown): JsonObject {
  if (isJsonObject(json)) return json;
  throw new RegistryError('not-a-registry', `found ${describeValue(json)}, expected an object`);
}

function stringsOf(value: unknown, key: string): string[] {
  if (Array.isArray(value) && value.every((text) => typeof text === 'string')) return value;
  const message = `/${key} is ${describeValue(value)}, expected a list of strings`;
  throw new RegistryError('not-a-registry', message);
}

import type { ModuleId } from '../../core/index.ts';
import { nameOf, namespaceOf } from '../../core/releases/module-id.ts';
import { describeValue } from '../../core/text/quote.ts';
import type { ListEntries } from '../formats/decoded-list.ts';
import { isJsonObject } from '../formats/json-object.ts';
import { npmEntries } from '../formats/npm-packument.ts';
import { RegistryError } from '../registry-error.ts';
import type { RemoteRegistry } from '../remote-registry.ts';
import { notFound, type Connection } from './connection.ts';
import { fetchedList } from './fetched-list.ts';

/** The largest packuments have fewer than a million. */
const MOST_TOKENS = 4_000_000;
/** Prefers the full packument: the abbreviated one has no publish times, and a minimum age refuses unknown times. */
const ACCEPT = 'application/json, application/vnd.npm.install-v1+json;q=0.5';

/** An npm registry at `base`: `acme:lidar` is `@acme/lidar`, and `npm:lidar` is `lidar`. */
export function npmRegistry(base: URL, connection: Connection): Pick<RemoteRegistry, 'fetch'> {
  const { where, limits } = connection;
  return {
    async fetch(moduleId, known, round) {
      const name = packageName(moduleId);
      const request = { accept: ACCEPT, largest: limits.largestPackument, mostTokens: MOST_TOKENS };
      const url = new URL(name.replace('/', '%2f'), base);
      const reply = await connection.get(url, { ...request, etag: known?.etag }, round);
      if (reply.status === 404) throw notFound(`${moduleId} (${name})`, where, reply);
      if (reply.status === 304 && known) return known;
      return await fetchedList(reply, where, (json) => entriesIn(json, name));
    },
  };
}

function packageName(moduleId: ModuleId): string {
  const namespace = namespaceOf(moduleId);
  return namespace === 'npm' ? nameOf(moduleId) : `@${namespace}/${nameOf(moduleId)}`;
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

import type { ModuleId, ReleaseRecord } from '../../core/index.ts';
import { nameOf, namespaceOf } from '../../core/releases/module-id.ts';
import { describeValue } from '../../core/text/quote.ts';
import type { ListEntries } from '../formats/decoded-list.ts';
import { isJsonObject } from '../formats/json-object.ts';
import { ociEntries } from '../formats/oci-tags.ts';
import { packInSteps } from '../packed-records.ts';
import { RegistryError } from '../registry-error.ts';
import type { FetchedList, RemoteRegistry, RequestContext } from '../remote-registry.ts';
import { notFound, type Connection } from './connection.ts';
import { fetchedList, inSteps } from './fetched-list.ts';
import { nextLink } from './link-header.ts';
import { redirectTarget } from './redirect.ts';

/** The syntax of repository names. (OCI Distribution, Pulling manifests) */
const REPOSITORY = /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$/;
const PAGE = 1000;
const MOST_PAGES = 500;
const MOST_TOKENS = 250_000;

/**
 * A registry with the OCI distribution protocol at the origin of `base`, whose path is a prefix of every repository
 * name. `acme:lidar` is the repository `acme/lidar`, and its tags are the list. Entity tags are not used.
 */
export function ociRegistry(base: URL, connection: Connection): Pick<RemoteRegistry, 'fetch'> {
  return {
    async fetch(moduleId, _, round) {
      const name = repositoryName(base, moduleId, connection.where);
      const pages = await fetchPages(name, { base, connection, moduleId }, round);
      return await joined(pages);
    },
  };
}

interface Repository {
  readonly base: URL;
  readonly connection: Connection;
  readonly moduleId: ModuleId;
}

/** All pages of tags. Throws a RegistryError if one is missing: some of the tags are not a list. */
async function fetchPages(
  name: string,
  { base, connection, moduleId }: Repository,
  round: RequestContext,
): Promise<FetchedList[]> {
  const { where, limits } = connection;
  const pages: FetchedList[] = [];
  let left = limits.largestList;
  const began = performance.now();
  let url: URL | undefined = new URL(`/v2/${name}/tags/list?n=${PAGE}`, base);
  while (url) {
    if (pages.length === MOST_PAGES || left <= 0) throw tooMany(where, pages.length);
    if (performance.now() - began > limits.totalMs) throw tooSlow(where, pages.length);
    const request = { accept: 'application/json', largest: left, mostTokens: MOST_TOKENS };
    const reply = await connection.get(url, request, round);
    if (reply.status === 404 && pages.length > 0) throw missingPage(where, pages.length);
    if (reply.status === 404) throw notFound(`${moduleId} (${name})`, where, reply);
    const page = await fetchedList(reply, where, (json) => entriesIn(json, name));
    pages.push(page);
    left -= page.size;
    const next = nextLink(reply.headers.get('link'));
    url = next === undefined ? undefined : redirectTarget(url, next, where);
  }
  return pages;
}

/** One list of all pages. Its digest covers each page. */
async function joined(pages: readonly FetchedList[]): Promise<FetchedList> {
  return {
    records: await inSteps(packInSteps(recordsIn(pages))),
    dropped: [],
    digest: pages.map(({ digest }) => digest).join(' '),
    size: pages.reduce((sum, { size }) => sum + size, 0),
    etag: undefined,
  };
}

function* recordsIn(pages: readonly FetchedList[]): Iterable<ReleaseRecord> {
  for (const { records } of pages) yield* records;
}

function repositoryName(base: URL, moduleId: ModuleId, where: string): string {
  const name = `${base.pathname.slice(1)}${namespaceOf(moduleId)}/${nameOf(moduleId)}`;
  if (REPOSITORY.test(name)) return name;
  const message = `${where} cannot have a module ${moduleId}: a repository name has lower-case letters and digits, with single separators between them`;
  throw new RegistryError('unknown-module', message);
}

function entriesIn(json: unknown, name: string): ListEntries {
  if (isJsonObject(json)) return ociEntries(json, name);
  throw new RegistryError('not-a-registry', `found ${describeValue(json)}, expected an object`);
}

function tooSlow(where: string, pages: number): RegistryError {
  const message = `${where} takes too long to list its tags: ${pages} pages so far`;
  return new RegistryError('registry-timeout', message);
}

function missingPage(where: string, pages: number): RegistryError {
  const message = `${where} does not respond like a registry: got 404 after ${pages} pages of tags`;
  return new RegistryError('not-a-registry', message);
}

function tooMany(where: string, pages: number): RegistryError {
  return new RegistryError(
    'list-too-large',
    `${where} has too many tags: the limit was reached after ${pages} pages`,
  );
}

import type { ModuleId, ReleaseRecord } from '../../core/index.ts';
import { nameOf } from '../../core/releases/module-id.ts';
import { platformByPattern, platformInName } from '../formats/github-assets.ts';
import { githubEntries } from '../formats/github-releases.ts';
import { releasesOfTags } from '../formats/tag-version.ts';
import { packInSteps } from '../packed-records.ts';
import { RegistryError } from '../registry-error.ts';
import type { FetchedList, RemoteRegistry, RequestContext } from '../remote-registry.ts';
import { notFound, type Connection } from './connection.ts';
import { fetchedList, inSteps } from './fetched-list.ts';
import { nextLink } from './link-header.ts';

const ACCEPT = 'application/vnd.github+json';
/** The most that the API allows. */
const PAGE = 100;
/** The API serves no more than 10,000 releases. */
const MOST_PAGES = 100;
const MOST_TOKENS = 250_000;

/**
 * The releases of the repository at `base`, which is its address in the REST API of GitHub (2022-11-28, "List releases"). It has the
 * module whose name is that of the repository.
 */
export function githubRegistry(base: URL, connection: Connection): Pick<RemoteRegistry, 'fetch'> {
  const { where } = connection;
  const [repository = ''] = base.pathname.split('/').slice(-2);
  const pattern = decodeURIComponent(base.hash.slice(1));
  const byName =
    pattern === ''
      ? { platformOf: platformInName }
      : { platformOf: platformByPattern(pattern), pattern };
  return {
    async fetch(moduleId, known, round) {
      if (nameOf(moduleId).toLowerCase() !== repository.toLowerCase()) {
        const message = `${where} has no module ${moduleId}: a repository has the module of its own name, ${repository}`;
        throw new RegistryError('unknown-module', message);
      }
      const reading = { base, connection, moduleId, round };
      if (known?.etag !== undefined && (await isUnchanged(known.etag, reading))) return known;
      const isByApi = connection.hasToken();
      return await joined(await fetchPages(reading, { ...byName, isByApi }));
    },
  };
}

interface Reading {
  readonly base: URL;
  readonly connection: Connection;
  readonly moduleId: ModuleId;
  readonly round: RequestContext;
}

function pageOf({ base }: Reading, page: number): URL {
  return new URL(`releases?per_page=${PAGE}&page=${page}`, base);
}

/** Whether each page has the entity tag that it had. Such an answer does not count against the limit of requests. */
async function isUnchanged(etags: string, reading: Reading): Promise<boolean> {
  const { connection, round } = reading;
  for (const [index, etag] of etags.split(' ').entries()) {
    const request = { ...asking(connection.limits.largestList), etag };
    const { status } = await connection.get(pageOf(reading, index + 1), request, round);
    if (status !== 304) return false;
  }
  return true;
}

/** All pages. Throws a RegistryError if one is missing: some of the releases are not a list. */
async function fetchPages(
  reading: Reading,
  rules: Parameters<typeof githubEntries>[1],
): Promise<FetchedList[]> {
  const { connection, moduleId, round } = reading;
  const { where, limits } = connection;
  const pages: FetchedList[] = [];
  let left = limits.largestList;
  for (;;) {
    if (pages.length === MOST_PAGES || left <= 0) throw tooMany(where, pages.length);
    const url = pageOf(reading, pages.length + 1);
    const reply = await connection.get(url, asking(left), round);
    if (reply.status === 404) throw missing(moduleId, connection, reply);
    let count = 0;
    const page = await fetchedList(reply, where, (json) => {
      count = Array.isArray(json) ? json.length : 0;
      return githubEntries(json, rules);
    });
    const before = pages.findIndex(({ digest }) => digest === page.digest);
    if (count > 0 && before !== -1) throw repeated(where, pages.length + 1, before + 1);
    pages.push(page);
    left -= page.size;
    if (count < PAGE && nextLink(reply.headers.get('link')) === undefined) return pages;
  }
}

/** What each request has. Why one is denied is in the body alone, if a secondary limit of requests is reached. */
function asking(
  largest: number,
): Pick<Parameters<Connection['get']>[1], 'accept' | 'readsDenial' | 'largest' | 'mostTokens'> {
  return { accept: ACCEPT, readsDenial: true, largest, mostTokens: MOST_TOKENS };
}

/** One list of all pages. Its digest and its entity tag are those of each page. */
async function joined(pages: readonly FetchedList[]): Promise<FetchedList> {
  const etags = pages.flatMap(({ etag }) => etag ?? []);
  return {
    records: await inSteps(packInSteps(releasesOfTags(recordsIn(pages)))),
    dropped: pages.flatMap(({ dropped }) => dropped),
    digest: pages.map(({ digest }) => digest).join(' '),
    size: pages.reduce((sum, { size }) => sum + size, 0),
    etag: etags.length === pages.length ? etags.join(' ') : undefined,
  };
}

function* recordsIn(pages: readonly FetchedList[]): Iterable<ReleaseRecord> {
  for (const { records } of pages) yield* records;
}

function missing(
  moduleId: ModuleId,
  { where, hasToken }: Connection,
  reply: Parameters<typeof notFound>[2],
): RegistryError {
  const { kind, message, hint } = notFound(moduleId, where, reply);
  const isPrivate = 'a private repository is found only with a token that may read its contents';
  return new RegistryError(kind, message, { hint: hasToken() ? hint : (hint ?? isPrivate) });
}

/** Some of the releases are missing from such a list, or it never ends. */
function repeated(where: string, page: number, before: number): RegistryError {
  const message = `${where} does not list all releases: page ${page} is the same as page ${before}`;
  return new RegistryError('not-a-registry', message);
}

function tooMany(where: string, pages: number): RegistryError {
  const message = `${where} has too many releases: the limit was reached after ${pages} pages`;
  return new RegistryError('list-too-large', message);
}

import { excerpt } from '../../core/text/quote.ts';
import { tagsIn } from '../formats/oci-tags.ts';
import { parseJson } from '../formats/json-text.ts';
import { RegistryError } from '../registry-error.ts';
import type { RequestContext } from '../remote-registry.ts';
import { notFound, type Connection } from './connection.ts';
import { withErrorContext } from './error-context.ts';
import type { Reply } from './exchange.ts';
import { hasUnreadableLink, nextLink } from './link-header.ts';
import { repositoryUrl, type Repository } from './oci-repository.ts';

/** The tags of a repository. */
export interface TagList {
  readonly tags: readonly string[];
  /** Covers each page. */
  readonly digest: string;
  /** Of all pages, in bytes. */
  readonly size: number;
}

interface Page extends TagList {
  readonly url: URL;
  readonly link: string | null;
}

/** The numbers of tags that are asked for: a registry may refuse a page that is larger than it likes. Then, as many as it likes. */
const PAGES = [1000, 100, undefined] as const;
const REFUSED_PAGE = new Set([400, 413]);
const MOST_PAGES = 500;
const MOST_TOKENS = 250_000;
/** By how much each page that arrives extends the time for all of them. */
const PAGE_MS = 1000;

/** All tags of a repository. Throws a RegistryError if a page is missing: some of the tags are not a list. */
export async function fetchTags(
  repository: Repository,
  connection: Connection,
  round: RequestContext,
): Promise<TagList> {
  const { where, limits, clock } = connection;
  const pages: Page[] = [];
  const asked = new Set<string>();
  const began = clock.monotonic();
  let left = limits.largestList;
  let next: URL | undefined = pageUrl(repository, PAGES[0]);
  for (let size = 0; next;) {
    if (asked.has(next.href)) throw badLink(where, 'leads to a page that was read before');
    asked.add(next.href);
    if (pages.length === MOST_PAGES || left <= 0) throw tooMany(where, pages.length);
    const limitMs = limits.totalMs + pages.length * PAGE_MS;
    if (clock.monotonic() - began > limitMs) throw tooSlow(where, pages.length);
    const isFirst = pages.length === 0;
    const answered = isFirst && PAGES[size] !== undefined ? REFUSED_PAGE : undefined;
    const bounds = { largest: left, mostTokens: MOST_TOKENS };
    const request = { accept: 'application/json', ...bounds, answered };
    const reply = await connection.get(next, request, round);
    if (REFUSED_PAGE.has(reply.status)) {
      next = pageUrl(repository, PAGES[++size]);
      continue;
    }
    const page = pageIn(reply, next, { repository, where, isFirst });
    pages.push(page);
    left -= page.size;
    next = nextPage(page, pages.at(-2), { repository, where, size: PAGES[size] });
  }
  return {
    tags: [...new Set(pages.flatMap(({ tags }) => tags))],
    digest: pages.map(({ digest }) => digest).join(' '),
    size: pages.reduce((sum, { size }) => sum + size, 0),
  };
}

function pageUrl(repository: Repository, size: number | undefined, last?: string): URL {
  const url = repositoryUrl(repository, 'tags/list');
  if (size !== undefined) url.searchParams.set('n', `${size}`);
  if (last !== undefined) url.searchParams.set('last', last);
  return url;
}

interface Reading {
  readonly repository: Repository;
  readonly where: string;
}

function pageIn(
  reply: Reply,
  url: URL,
  { repository, where, isFirst }: Reading & { readonly isFirst: boolean },
): Page {
  if (reply.status === 404) {
    if (!isFirst) throw badLink(where, `leads to nothing (404): ${shown(url)}`);
    throw notFound(`${repository.moduleId} (${repository.name})`, where, reply);
  }
  const { text, digest, size } = reply.body;
  const tags = withErrorContext(where, () => tagsIn(parseJson(text), repository));
  return { url, tags, digest, size, link: reply.headers.get('link') };
}

/** The address of the page after `page`; undefined if it is the last. (OCI Distribution 1.1, "Listing Tags") */
function nextPage(
  page: Page,
  before: Page | undefined,
  { repository, where, size }: Reading & { readonly size: number | undefined },
): URL | undefined {
  const { tags, link } = page;
  const target = nextLink(link);
  if (target !== undefined) return linkTarget(page, target, where);
  const last = tags.at(-1);
  const isUnreadable = hasUnreadableLink(link);
  if (isUnreadable && last === undefined) throw badLink(where, `is ${excerpt(link ?? '')}`);
  // A registry that knows no `last` sends the same page, and one that knows no `n` has sent all tags.
  const isNew = last !== undefined && before?.tags.includes(last) !== true;
  // One that sent a link sends it for each page but the last.
  const isCapped = before
    ? before.link === null && tags.length >= before.tags.length
    : isRound(tags.length);
  const isFull = tags.length === size || isCapped;
  return isNew && (isUnreadable || isFull) ? pageUrl(repository, size, last) : undefined;
}

/** Whether a page may be full although more tags were asked for: limits of registries are round numbers. */
function isRound(count: number): boolean {
  return (
    count > 0 &&
    (count % 10 === 0 || count % 25 === 0 || (count >= 16 && (count & (count - 1)) === 0))
  );
}

/**
 * The address that a link means, at the origin of the registry: behind a proxy, a registry does not know its own scheme,
 * port and path. Throws a RegistryError if it names another host.
 */
function linkTarget({ url }: Page, link: string, where: string): URL {
  const target = URL.parse(link, url.href);
  if (!target) throw badLink(where, `is ${excerpt(link)}`);
  if (target.username !== '' || target.password !== '') throw badLink(where, 'has user info');
  if (target.hostname !== url.hostname) {
    const host = target.host === '' ? target.protocol : target.host;
    throw badLink(where, `leads to ${excerpt(host)}, which is another host`);
  }
  const next = new URL(url.origin);
  next.pathname = target.pathname.endsWith('/tags/list') ? url.pathname : target.pathname;
  next.search = target.search;
  return next;
}

function shown({ origin, pathname }: URL): string {
  return excerpt(`${origin}${pathname}`);
}

function badLink(where: string, what: string): RegistryError {
  const message = `${where} does not list all tags: the link to the next page ${what}`;
  return new RegistryError('not-a-registry', message);
}

function tooSlow(where: string, pages: number): RegistryError {
  const message = `${where} takes too long to list its tags: ${pages} pages so far`;
  return new RegistryError('registry-timeout', message);
}

function tooMany(where: string, pages: number): RegistryError {
  const message = `${where} has too many tags: the limit was reached after ${pages} pages`;
  return new RegistryError('list-too-large', message);
}

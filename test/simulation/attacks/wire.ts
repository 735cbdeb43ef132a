import { unlessAborted } from '../../../src/registry/unless-aborted.ts';
import type { VirtualClock } from '../../../src/testing/index.ts';
import type { Books } from './books.ts';
import { FILES, REGISTRY, type Passed, type Site } from './site.ts';
import type { Work } from './work.ts';

/** A request of the machine on its way. */
export interface Asked {
  /** `list acme:lidar`, `changes`, `wait`, `trust` or `file`. */
  readonly about: string;
  readonly url: URL;
  readonly signal: AbortSignal;
  /** The answer of the registry, or of the server with the files, to this or another path. */
  readonly ask: (path?: string) => Promise<Passed>;
  /** Ends only when the machine gives up. */
  readonly hang: () => Promise<never>;
}

/** What becomes of an answer; undefined if it is left alone. */
export type Lie = (asked: Asked) => Promise<Passed | Response | undefined>;

export interface Wire {
  readonly fetch: typeof globalThis.fetch;
  lie: Lie | undefined;
  /** When the machine first got a lie about each kind of thing since `lie` was set. */
  readonly lied: Map<string, number>;
  /** All paths that it has asked for, of the registry. */
  readonly asked: Set<string>;
}

const YEARS_MS = 10 * 365 * 86_400_000;

export function wireTo(
  site: Site,
  {
    clock,
    work,
    books,
  }: { readonly clock: VirtualClock; readonly work: Work; readonly books: Books },
): Wire {
  const wire: Wire = {
    lie: undefined,
    lied: new Map(),
    asked: new Set(),
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const answer = work.during(async () => await answered(request));
      return await work.waiting(async () => await unlessAborted(request.signal, answer));
    },
  };
  const noteLie = (about: string): void => {
    if (!wire.lied.has(about)) wire.lied.set(about, clock.monotonic());
  };
  const answered = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const { signal } = request;
    const about = aboutOf(url);
    const asked: Asked = {
      about,
      url,
      signal,
      ask: async (path) => await honest(request, path),
      hang: async () =>
        await work.waiting(async () => {
          noteLie(about);
          await clock.sleep(YEARS_MS, signal);
          throw new Error('the machine waits for years');
        }),
    };
    if (url.origin === REGISTRY) wire.asked.add(url.pathname);
    const lie = await wire.lie?.(asked);
    if (lie) {
      noteLie(about);
      return lie instanceof Response ? lie : responseOf(lie);
    }
    const answer = await honest(request);
    if (about === 'trust') books.noteHeard(documentsIn(answer));
    return responseOf(answer);
  };
  const honest = async (request: Request, path?: string): Promise<Passed> => {
    const url = new URL(path ?? request.url, request.url);
    if (url.origin === FILES) {
      const content = site.files.get(url.href);
      return content === undefined
        ? { status: 404, headers: {}, body: '' }
        : { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: content };
    }
    const headers = new Headers(request.headers);
    // Who asks for himself gets the list, whatever the machine has.
    const known = ['if-none-match', 'modreg-at-least', 'modreg-history'];
    if (path !== undefined) for (const name of known) headers.delete(name);
    return await site.ask(new Request(url, { headers, signal: request.signal }));
  };
  return wire;
}

/** How many versions of the trust document an answer of the registry has. */
function documentsIn({ body }: Passed): number {
  // A cast: the registry wrote it.
  return (JSON.parse(body) as { documents: readonly string[] }).documents.length;
}

function aboutOf(url: URL): string {
  const { pathname, searchParams } = url;
  if (url.origin === FILES) return 'file';
  if (pathname === '/v1/trust') return 'trust';
  if (pathname === '/v1/changes') return searchParams.has('wait') ? 'wait' : 'changes';
  const [, namespace, name] = /^\/v1\/modules\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
  return namespace === undefined ? 'other' : `list ${namespace}:${name}`;
}

function responseOf({ status, headers, body }: Passed): Response {
  const isEmpty = status === 304 || status === 204;
  return new Response(isEmpty ? null : body, { status, headers });
}

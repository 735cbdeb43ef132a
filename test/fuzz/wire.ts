import fc from 'fast-check';
import { NO_BODY, readBody, type Body } from '../../src/registry/http/body.ts';
import { startDeadline } from '../../src/registry/http/deadline.ts';
import { npmEntries } from '../../src/registry/formats/npm-packument.ts';
import { fetchedList } from '../../src/registry/http/fetched-list.ts';
import { DEFAULT_LIMITS } from '../../src/registry/http/limits.ts';
import { nextLink } from '../../src/registry/http/link-header.ts';
import { redirectTarget } from '../../src/registry/http/redirect.ts';
import { readRetryAfter } from '../../src/registry/http/retry-after.ts';
import { RegistryError } from '../../src/registries/index.ts';
import type { RemoteRegistry } from '../../src/registry/remote-registry.ts';
import { answeredBy } from '../../mocks/replaced-fetch.ts';
import { moduleId } from '../support/ask.ts';
import { testClock } from '../support/clock.ts';
import { remoteAt } from '../support/remote-at.ts';
import { listMutants, LISTS, type ListDocument } from './list-documents.ts';
import { wrongList, wrongRegistryError } from './lists.ts';
import { notOneLine, target, type Target } from './target.ts';
import { near } from './text.ts';

const NOW = Date.parse('2026-11-21T01:02:03Z');
const HERE = new URL('https://registry.example/v1/modules/acme/lidar');
const WHERE = 'the registry https://registry.example';

/** The headers that clients read, with values of honest registries. */
const HEADERS = {
  'content-type': ['application/json', 'application/json; charset=utf-8', 'application/hal+json'],
  'content-length': ['420', '0', '99999999999'],
  'content-encoding': ['gzip', 'identity', 'x-gzip', 'br'],
  etag: ['"57"', 'W/"57"', '"!#$~"', `"${'e'.repeat(200)}"`],
  'retry-after': ['120', '0', 'Sat, 21 Nov 2026 01:02:30 GMT', 'Wed, 21 Oct 2015 07:28:00 GMT'],
  link: [
    '</v2/acme/lidar/tags/list?n=1000&last=1.2.3>; rel="next"',
    '<https://registry.example/v2/x>; title="a, \\"b\\""; rel=prev, <?last=z>; rel="up NEXT"',
  ],
  location: [
    '/v1/elsewhere',
    'https://registry.example:443/x',
    '../x?y#z',
    'https://evil.example/',
  ],
} as const;

type HeaderName = keyof typeof HEADERS;
type Header = readonly [name: HeaderName, value: string];

const TOKENS = [
  'application/',
  'json',
  'text/html',
  ';',
  '; charset=',
  '"',
  'W/',
  '\\"',
  '\\',
  '<',
  '>',
  ',',
  'rel=',
  'next',
  '; rel="next"',
  ' GMT',
  '-1',
  '1e400',
  '3000000',
  '0x10',
  ' 00:00:60',
  '//',
  'https://',
  '@',
  'javascript:',
  'http://169.254.169.254/',
  '[::]',
  ':99999',
  'gzip, gzip',
  '<a>;',
  '"\\',
  ';a="',
  ' '.repeat(100),
  '<'.repeat(100),
];

/** Node accepts at most 16 KiB of headers. */
const LONGEST = 16_384;

const headers: fc.Arbitrary<Header> = fc
  .constantFrom(...(Object.keys(HEADERS) as HeaderName[]))
  .chain((name) => {
    const value = near(fc.constantFrom(...HEADERS[name]), TOKENS);
    return value.map((text): Header => [name, text.slice(0, LONGEST)]);
  });

/** Undefined if some value is not legal in a header. */
function headersOf(list: readonly Header[]): Headers | undefined {
  try {
    return new Headers(list.map(([name, value]) => [name, value]));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Passes one header to its reader. */
async function judgeHeader(header: Header): Promise<string | undefined> {
  const read = headersOf([header]);
  if (!read) return undefined;
  const [name] = header;
  const value = read.get(name);
  switch (name) {
    case 'retry-after':
      return wrongRetryAfter(value);
    case 'link':
      return wrongLink(value);
    case 'location':
      return wrongRedirect(value);
    case 'etag':
      return await wrongEtag(read);
    case 'content-type':
    case 'content-length':
    case 'content-encoding':
      return await wrongBody(read);
  }
}

function wrongRetryAfter(value: string | null): string | undefined {
  const ms = readRetryAfter(value, NOW);
  if (ms === undefined) return /^\d+$/.test(value ?? '') ? 'is ignored' : undefined;
  return ms >= 1000 && ms <= 3_600_000 ? undefined : `waits ${ms} ms`;
}

function wrongLink(value: string | null): string | undefined {
  const next = nextLink(value);
  if (next === undefined) return undefined;
  return value?.includes(`<${next}>`) === true ? wrongRedirect(next) : `leads to ${next}`;
}

function wrongRedirect(location: string | null): string | undefined {
  try {
    const { origin, username, password } = redirectTarget(HERE, location, WHERE);
    return origin === HERE.origin && username + password === '' ? undefined : `leads to ${origin}`;
  } catch (error) {
    if (error instanceof RegistryError) return wrongRegistryError(error);
    throw error;
  }
}

async function wrongEtag(read: Headers): Promise<string | undefined> {
  const body: Body = { ...NO_BODY, text: '{}' };
  const reply = { status: 200, headers: read, body };
  const { etag } = await fetchedList(reply, WHERE, () => npmEntries({ versions: {} }));
  // A saved ETag is sent back unchanged.
  if (etag === undefined) return undefined;
  return new Headers({ 'if-none-match': etag }).get('if-none-match') === etag && etag.length < 210
    ? notOneLine([etag])
    : `is saved as ${etag}`;
}

const DOCUMENT = Buffer.from('{"releases":[]}');

async function wrongBody(read: Headers): Promise<string | undefined> {
  const deadline = startDeadline(WHERE, DEFAULT_LIMITS);
  const bounds = { where: WHERE, largest: 1000, mostTokens: 10 };
  try {
    if (!read.has('content-type')) read.set('content-type', 'application/json');
    const { size } = await readBody(new Response(DOCUMENT, { headers: read }), bounds, deadline);
    const length = Number(read.get('content-length'));
    return size !== DOCUMENT.length || length > bounds.largest ? `reads ${size} bytes` : undefined;
  } catch (error) {
    if (error instanceof RegistryError) return wrongRegistryError(error);
    throw error;
  } finally {
    deadline.stop();
  }
}

/** A response of a registry, and the request that it answers. */
interface Answer {
  readonly document: ListDocument;
  readonly asked: 'list' | 'changes' | 'modules';
  readonly status: number;
  readonly headers: readonly Header[];
  /** The position at which the body is split in two. */
  readonly cut: number;
}

const ADDRESSES = {
  modreg: HERE.origin,
  npm: `npm:${HERE.origin}`,
  oci: `oci:${HERE.origin}`,
} as const;

const FEED: ListDocument = document({ history: 'h', sequence: 7, modules: ['a:b'], spread_ms: 5 });
const MODULES: ListDocument = document({ modules: ['acme:lidar', 'acme:arm'] });

function document(json: unknown): ListDocument {
  const bytes = Buffer.from(JSON.stringify(json));
  return { format: 'modreg', module: moduleId('acme:lidar'), bytes };
}

/** Passes a whole response through every reader. */
async function judgeAnswer(answer: Answer): Promise<string | undefined> {
  let requests = 0;
  const limits = { retryWithinMs: 0 };
  const remote = remoteAt(ADDRESSES[answer.document.format], { clock: testClock(NOW), limits });
  try {
    return await answeredBy(
      // The first pages keep their Link header, so that it leads to another page.
      () => responseOf(answer, ++requests < 4),
      async () => await wrongAnswer(remote, answer),
    );
  } catch (error) {
    if (error instanceof RegistryError) return wrongRegistryError(error);
    throw error;
  }
}

async function wrongAnswer(
  remote: RemoteRegistry,
  { asked, document: { module } }: Answer,
): Promise<string | undefined> {
  const round = { budget: { requests: 0, retries: 0 } };
  if (asked === 'list') {
    return wrongList(await remote.fetch(module, undefined, round));
  }
  if (asked === 'modules') {
    await remote.modules?.('acme', round);
    return undefined;
  }
  const { sequence = 0, spreadMs = 0 } = (await remote.changes?.(3, round)) ?? {};
  const isWhole = Number.isSafeInteger(sequence) && sequence >= 0;
  return isWhole && spreadMs >= 0 && spreadMs <= 3_600_000
    ? undefined
    : `sequence ${sequence}, spread over ${spreadMs} ms`;
}

const EMPTY = new Set([204, 205, 304]);

function responseOf(
  { document: { bytes }, status, headers: list, cut }: Answer,
  isFirst: boolean,
): Response {
  const fields = list.filter(([name]) => isFirst || name !== 'link');
  const at = cut % (bytes.length + 1);
  const parts = [bytes.subarray(0, at), bytes.subarray(at)].filter((part) => part.length > 0);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(new Uint8Array(part));
      controller.close();
    },
  });
  return new Response(EMPTY.has(status) ? null : body, {
    status,
    headers: headersOf(fields) ?? [],
  });
}

const JSON_TYPE: Header = ['content-type', 'application/json'];

const answers: fc.Arbitrary<Answer> = fc.record(
  {
    document: fc.oneof(listMutants, fc.constantFrom(...LISTS, FEED, MODULES)),
    asked: fc.constantFrom<Answer['asked'][]>('list', 'list', 'list', 'changes', 'modules'),
    status: fc.oneof(
      { weight: 9, arbitrary: fc.constant(200) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(201, 204, 206, 300, 301, 302, 304, 307, 401, 404, 418, 429, 503),
      },
    ),
    headers: fc
      .tuple(fc.nat({ max: 9 }), fc.array(headers, { maxLength: 3 }))
      .map(([kind, list]) => (kind === 0 ? list : [JSON_TYPE].concat(list))),
    cut: fc.noBias(fc.nat()),
  },
  { noNullPrototype: true },
);

export const WIRE: readonly Target[] = [
  target({
    name: 'header',
    faults: 'T22 T41 T44',
    perMille: 70,
    inputs: headers,
    judge: judgeHeader,
  }),
  target({
    name: 'answer',
    faults: 'T23 T39 T41',
    perMille: 40,
    inputs: answers,
    judge: judgeAnswer,
    show: ({ document: { bytes }, ...answer }) =>
      `${fc.stringify(answer)}\n${bytes.toString('latin1')}`,
  }),
];

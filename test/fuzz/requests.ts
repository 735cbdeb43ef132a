import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { moduleEntries } from '../../src/registry/formats/module-document.ts';
import { systemClock } from '../../src/registry/clock.ts';
import { Catalogue } from '../../src/server/index.ts';
import { registryApp } from '../../src/server/app.ts';
import { changeFeed } from '../../src/server/catalogue/change-feed.ts';
import { mutants, type Bytes } from './documents.ts';
import { LIDAR, listChanges } from './list-documents.ts';
import { decodeEntries } from '../support/decoded-list.ts';
import { wrongList } from './lists.ts';
import { registryTemplate } from './registry-file.ts';
import { tokenFor } from '../support/token.ts';
import { emptyFolder } from './scratch.ts';
import { target, type Target } from './target.ts';
import { near } from './text.ts';

/** The parts of a request to an embedded registry. */
interface RequestInput {
  readonly address: readonly [method: string, path: string];
  readonly type: string;
  readonly known: string;
  readonly body: Bytes;
  readonly isAllowed: boolean;
  readonly scopes: readonly string[];
}

const ORIGIN = 'http://registry.test';
const INTERNAL_ERROR = 500;

async function judgeRequest(input: RequestInput): Promise<string | undefined> {
  const path = `${emptyFolder('serving')}/registry.db`;
  writeFileSync(path, registryTemplate().main);
  const catalogue = new Catalogue(path);
  try {
    const token = input.isAllowed ? tokenFor(catalogue, input.scopes) : 'modreg_x';
    const request = requestOf(input, token);
    if (!request) return undefined;
    return (await wrongAnswer(catalogue, request)) ?? wrongDocument(catalogue);
  } finally {
    catalogue.close();
  }
}

/** Undefined for a request that no HTTP client could send. */
function requestOf(
  { address: [method, path], type, known, body, isAllowed }: RequestInput,
  token: string,
): Request | undefined {
  const headers = {
    'content-type': type,
    'if-none-match': known,
    ...(isAllowed || type.length % 2 === 0 ? { authorization: `Bearer ${token}` } : {}),
  };
  const content = method === 'GET' || method === 'HEAD' ? {} : { body: new Uint8Array(body.bytes) };
  try {
    return new Request(new URL(path, ORIGIN), { method, headers, ...content });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

async function wrongAnswer(catalogue: Catalogue, request: Request): Promise<string | undefined> {
  const feed = changeFeed(catalogue);
  // A closed feed answers at once.
  feed.close();
  let crash: unknown;
  const app = registryApp(catalogue, feed, {
    clock: { ...systemClock, now: () => Date.parse('2026-11-21T01:02:03Z') },
    spreadMs: 0,
    log: (event) => {
      if (event.kind === 'failed') crash = event.error;
    },
  });
  const response = await app.fetch(request);
  const text = await response.text();
  if (crash instanceof Error) throw crash;
  if (response.status >= INTERNAL_ERROR) return `answers ${response.status}: ${text}`;
  if (text !== '') JSON.parse(text);
  return undefined;
}

/** Everything that is published can be read again. */
function wrongDocument(catalogue: Catalogue): string | undefined {
  const document = catalogue.document(LIDAR);
  if (!document) return 'a module is missing';
  const json = JSON.parse(Buffer.from(document.bytes).toString()) as object;
  const list = decodeEntries(moduleEntries({ ...json }, LIDAR));
  const [dropped] = list.dropped;
  return dropped === undefined
    ? wrongList(list)
    : `publishes a release that readers drop: ${dropped}`;
}

const BODIES: readonly Bytes[] = [
  { version: '1.3.0' },
  { version: '1.2.3', published_at: '2025-04-07T09:00:00Z', deprecated: 'old', yanked: 'burns' },
  {
    version: '1.4.0',
    artifacts: [
      {
        platform: 'linux/amd64',
        url: 'https://x.example/a',
        size: 12,
        digest: `sha256:${'5f'.repeat(32)}`,
      },
    ],
  },
  { reason: 'stops the motor' },
].map((json) => ({ bytes: Buffer.from(JSON.stringify(json)) }));

const ADDRESSES: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/v1/modules?namespace=acme'],
  ['GET', '/v1/modules/acme/lidar'],
  ['GET', '/v1/openapi.json'],
  ['GET', '/v1/changes?after=0&wait=10'],
  ['HEAD', '/v1/changes'],
  ['POST', '/v1/modules/acme/lidar/releases'],
  ['POST', '/v1/modules/acme/lidar/releases'],
  ['POST', '/v1/modules/acme/new/releases'],
  ['PUT', '/v1/modules/acme/lidar/releases/1.2.3/yank'],
  ['DELETE', '/v1/modules/acme/lidar/releases/1.2.9/yank'],
];
const TOKENS = [
  '/',
  '?',
  '&',
  '=',
  '%2f',
  '%',
  '%ff',
  ':',
  '..',
  'yank',
  'releases',
  'after=',
  '+',
];
const paths = fc.constantFrom(...ADDRESSES.map(([, path]) => path));
const methods = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH', 'X');

const addresses: fc.Arbitrary<readonly [method: string, path: string]> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ADDRESSES) },
  { weight: 1, arbitrary: fc.tuple(methods, near(paths, TOKENS)) },
);

export const REQUESTS: readonly Target[] = [
  target<RequestInput>({
    name: 'request',
    faults: 'T34 T35',
    perMille: 20,
    inputs: fc.record(
      {
        address: addresses,
        type: fc.oneof(
          { weight: 9, arbitrary: fc.constant('application/json') },
          { weight: 1, arbitrary: near(fc.constant('application/json; charset=utf-8')) },
        ),
        known: fc.oneof(fc.constantFrom('', '*', '"x"'), near(fc.constant('W/"a", "b"'))),
        body: fc.oneof(fc.constantFrom(...BODIES), mutants(BODIES, listChanges)),
        isAllowed: fc.nat({ max: 9 }).map((one) => one > 0),
        scopes: fc.oneof(
          { weight: 4, arbitrary: fc.constant(['publish', 'yank', 'import']) },
          { weight: 1, arbitrary: fc.constant(['publish:acme', 'yank:nimbus']) },
        ),
      },
      { noNullPrototype: true },
    ),
    judge: judgeRequest,
    show: ({ body, ...rest }) => `${fc.stringify(rest)}\n${body.bytes.toString('latin1')}`,
  }),
];

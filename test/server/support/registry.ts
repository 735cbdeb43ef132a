import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, onTestFinished } from 'vitest';
import { systemClock, type Clock } from '../../../src/registry/clock.ts';
import { Catalogue } from '../../../src/server/index.ts';
import { registryApp } from '../../../src/server/app.ts';
import { changeFeed } from '../../../src/server/catalogue/change-feed.ts';
import type { ServerLimits } from '../../../src/server/server-limits.ts';
import type { RegistryEvent } from '../../../src/server/registry-options.ts';
import { OPENAPI } from '../../../src/server/routes/openapi.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { tokenFor } from '../../support/token.ts';

/** A registry without a network server. Each response is checked against the OpenAPI document. */
export interface TestRegistry {
  readonly catalogue: Catalogue;
  readonly path: string;
  readonly token: string;
  readonly events: readonly RegistryEvent[];
  /** The clock of the registry, in milliseconds since the epoch. */
  now: number;
  ask(method: string, path: string, request?: TestRequest): Promise<Answer>;
}

export interface TestRequest {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

interface Operation {
  readonly responses: Readonly<
    Record<string, { content?: Record<string, { schema: object }> } | undefined>
  >;
}

const { paths } = OPENAPI as { paths: Record<string, Record<string, Operation>> };
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(OPENAPI, 'openapi');

export function testRegistry({
  spreadMs = 0,
  limits,
  clock,
  staged,
  ...timeout
}: {
  readonly spreadMs?: number;
  readonly busyTimeoutMs?: number;
  readonly limits?: ServerLimits;
  /** The namespaces whose releases begin a rollout by default. */
  readonly staged?: readonly string[];
  /** Ends waits. */
  readonly clock?: Clock;
} = {}): TestRegistry {
  const path = `${temporaryFolder()}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create', ...timeout });
  const feed = changeFeed(catalogue, clock);
  onTestFinished(() => {
    feed.close();
    catalogue.close();
  });
  const events: RegistryEvent[] = [];
  const registry: TestRegistry = {
    catalogue,
    path,
    token: tokenFor(catalogue, ['publish', 'yank'], 'ci'),
    events,
    now: Date.parse('2026-11-21T01:02:03Z'),
    ask: async (method, address, { body, headers = {}, signal } = {}) => {
      const json = {
        authorization: `Bearer ${registry.token}`,
        'content-type': 'application/json',
      };
      const isWhole = typeof body === 'string' || body instanceof Uint8Array;
      const content = { body: isWhole ? body : JSON.stringify(body) };
      const request = new Request(`http://registry.test${address}`, {
        method,
        headers: method === 'GET' ? headers : { ...json, ...headers },
        ...(body === undefined ? {} : content),
        signal: signal ?? null,
      });
      const answer = await read(await app.fetch(request));
      checkAgainstOpenApi(method, address, answer);
      return answer;
    },
  };
  const app = registryApp(catalogue, feed, {
    clock: { ...systemClock, now: () => registry.now },
    spreadMs,
    limits,
    staged,
    log: (event) => events.push(event),
  });
  return registry;
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.endsWith('json') === true;
  const json: unknown = isJson ? JSON.parse(text) : text || undefined;
  return { status: response.status, headers: response.headers, text, json };
}

/** If the document has the operation, it must describe the status, content type and shape of the response. */
function checkAgainstOpenApi(method: string, address: string, answer: Answer): void {
  const template = templateOf(address);
  const operation = template === undefined ? undefined : paths[template]?.[method.toLowerCase()];
  const type = answer.headers.get('content-type');
  if (!operation) {
    expect([type, Object(answer.json).status]).toEqual(['application/problem+json', answer.status]);
    return;
  }
  const response = operation.responses[answer.status];
  expect([method, address, answer.status, response && 'documented']).toEqual([
    method,
    address,
    answer.status,
    'documented',
  ]);
  const content = response?.content ?? {};
  expect(Object.keys(content)).toEqual(type === null ? [] : [type]);
  const pointer = [
    template ?? '',
    method.toLowerCase(),
    'responses',
    String(answer.status),
    'content',
  ];
  if (type === null) return;
  const ref = ['openapi#', 'paths', ...[...pointer, type, 'schema'].map(escapeToken)].join('/');
  const validate = ajv.getSchema(ref) ?? ajv.compile({ $ref: ref });
  expect([validate(answer.json), validate.errors ?? []]).toEqual([true, []]);
}

function escapeToken(token: string): string {
  return encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function templateOf(address: string): string | undefined {
  const path = address.split('?', 1)[0] ?? '';
  return Object.keys(paths).find((template) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
}

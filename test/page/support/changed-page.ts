import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Hono } from 'hono';
import { expect } from 'vitest';
import { PAGE_OPENAPI } from '../../../src/page/openapi.ts';
import type { Day } from '../../support/day.ts';
import { machinePage } from './machine-page.ts';
import { settled } from '../../support/restarts.ts';

/** A machine config with comments and a secret, whose base depends on the lidar. */
export const ROVER = `{
  // the rover in the hall
  "components": [
    { "name": "front-lidar", "namespace": "rdk", "type": "sensor", "model": "acme:lidar:v1" },
    { "name": "base", "namespace": "rdk", "type": "base", "model": "acme:own:base", "depends_on": ["front-lidar"] }
  ],
  "modules": [
    {"type": "registry", "name": "acme_lidar", "module_id": "acme:lidar", "version": "1.2.*" /* until June */ },
    {"type": "local", "name": "own", "module_id": "acme:own", "version": "0"}
  ],
  "agent": { "agent-provisioning": { "attributes": { "networks": [ { "ssid": "hall", "psk": "correct horse" } ] } } }
}
`;

const VERSIONS = ['1.2.0', '1.2.3', '1.10.0', '2.0.1', '2.1.0-rc.1'];

/** The page of a machine with 1.2.3 of a lidar at 01:03:03. Each answer of the JSON API is checked against its schema. */
export interface ChangedPage {
  readonly machine: Day;
  readonly app: Hono;
  /** The content of machine.json. */
  readonly file: () => string;
  /** The ETag of machine.json. */
  readonly etag: () => Promise<string>;
  /** Sends a form; the answer is its status, and the address or the text of the page that follows. */
  readonly post: (
    path: string,
    form: Readonly<Record<string, string>>,
  ) => Promise<readonly [number, string]>;
  readonly ask: (method: string, path: string, request?: Ask) => Promise<Asked>;
}

interface Ask {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly json: unknown;
}

export async function changedPage(policy: object = {}, text: string = ROVER): Promise<ChangedPage> {
  const releases = { 'acme:lidar': VERSIONS.map((version) => ({ version })) };
  const machine = await settled({ policy, releases });
  const app = machinePage({ home: machine.home, now: machine.clock.now(), machine: text, policy });
  const ask = async (method: string, path: string, { body, headers = {} }: Ask = {}) => {
    const content = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await app.request(path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: content }),
    });
    const answer = await response.text();
    const json: unknown = answer === '' ? undefined : JSON.parse(answer);
    const { status } = response;
    checkAgainstSchema(method, path, { status, headers: response.headers, json });
    return { status, headers: response.headers, json };
  };
  return {
    machine,
    app,
    ask,
    file: () => readFileSync(join(machine.home, 'machine.json'), 'utf8'),
    etag: async () => (await ask('GET', '/v1/config')).headers.get('etag') ?? '',
    post: async (path, form) => {
      const body = new URLSearchParams(form);
      const response = await app.request(path, { method: 'POST', body });
      const { status } = response;
      return [status, response.headers.get('location') ?? mainText(await response.text())];
    },
  };
}

/** What a page says, in one line. */
export function mainText(html: string): string {
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(html) ?? [];
  return main
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The code and the message of the first problem of an answer, with its status. */
export function refusal({ status, json }: Asked): readonly unknown[] {
  const { type, problems = [] } = Object(json) as {
    readonly type: string;
    readonly problems?: readonly { readonly code: string; readonly message: string }[];
  };
  return [status, type, problems[0]?.message];
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: object } | undefined>>;
}
const { paths } = PAGE_OPENAPI as { paths: Record<string, Record<string, Operation>> };
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(PAGE_OPENAPI, 'page');

function checkAgainstSchema(
  method: string,
  address: string,
  { status, headers, json }: Asked,
): void {
  const [path = ''] = address.split('?');
  // `/v1/quarantine/{module_id}/{version}` and others: the template with the fewest parameters.
  const template = Object.keys(paths)
    .filter((one) => new RegExp(`^${one.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))
    .toSorted((a, b) => a.split('{').length - b.split('{').length)[0];
  const key = method.toLowerCase();
  const response = paths[template ?? '']?.[key]?.responses[status];
  expect([method, path, status, response && 'documented']).toEqual([
    method,
    path,
    status,
    'documented',
  ]);
  const type = headers.get('content-type');
  expect(Object.keys(response?.content ?? {})).toEqual(type === null ? [] : [type]);
  if (type === null) return;
  const steps = [template ?? '', key, 'responses', String(status), 'content', type, 'schema'];
  const pointer = steps.map((step) =>
    encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')),
  );
  // Keeps what it compiled.
  const validate = ajv.getSchema(`page#/paths/${pointer.join('/')}`);
  expect([validate?.(json), validate?.errors ?? []]).toEqual([true, []]);
}

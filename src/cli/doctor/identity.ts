import { excerpt } from '../../core/text/quote.ts';
import { withoutFinalSlashes } from '../../core/text/final-slashes.ts';
import { isJsonObject, type JsonObject } from '../../registry/formats/json-object.ts';
import type { RegistryAddress, WebRegistryAddress } from '../../registry/address.ts';
import { baseOf } from '../../registry/http-registry.ts';
import { isJson } from '../../registry/http/body.ts';
import { challengesIn } from '../../registry/http/challenge.ts';

type Kind = WebRegistryAddress['kind'];

/** What answers at an address, by what it answers to somebody without a token. */
export interface Identity {
  /** The protocols that it speaks. */
  readonly kinds: ReadonlySet<RegistryAddress['kind']>;
  /** Its answer to the question of the protocol that it was named with: `404 text/html`, escaped; undefined if there was none. */
  readonly answer: string | undefined;
  /** Whether it wants to know who asks. */
  readonly isDenied: boolean;
  /** Whether it takes a user and a password, and nothing else. */
  readonly asksPassword: boolean;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Its JSON, if that is an object. */
  readonly json: JsonObject | undefined;
}

const DEADLINE_MS = 4000;
const LARGEST = 64 * 1024;

/** What a registry of each kind answers without a token, and at which addresses. */
const QUESTIONS: Readonly<
  Record<
    Kind,
    { readonly at: (url: URL) => readonly URL[]; readonly isIt: (answer: Answer) => boolean }
  >
> = {
  /** A problem, or a list of modules. (docs/registry-protocol.md) */
  modreg: {
    at: (url) => [new URL('v1/modules?namespace=modreg', baseOf('modreg', url))],
    isIt: ({ headers, json }) =>
      Array.isArray(json?.['modules']) ||
      String(json?.['type']).startsWith('urn:modreg:') ||
      (headers.get('www-authenticate') ?? '').includes('realm="modreg"'),
  },
  /** `npm ping`. */
  npm: {
    at: (url) => [new URL('-/ping', baseOf('npm', url))],
    isIt: ({ status, json }) => status === 200 && json !== undefined && !('error' in json),
  },
  /** The version of the API, or an error with a code. (OCI Distribution, "Determining Support" and "Error Codes") */
  oci: {
    at: (url) => [new URL('/v2/', url), new URL('v2/', baseOf('oci', url))],
    isIt: ({ headers, json }) =>
      headers.has('docker-distribution-api-version') || hasOciError(json?.['errors']),
  },
  /** The repository itself. (GitHub REST API, "Get a repository") */
  github: {
    at: (url) => [new URL(withoutFinalSlashes(url.pathname), url)],
    isIt: ({ status, json }) => status === 200 && typeof json?.['full_name'] === 'string',
  },
};

function hasOciError(errors: unknown): boolean {
  const [first]: readonly unknown[] = Array.isArray(errors) ? errors : [];
  return isJsonObject(first) && /^[A-Z_]{1,64}$/.test(String(first['code']));
}

/** Asks what answers at an address as each kind of registry is asked. Sends no token, and follows no redirect. */
export async function identify(
  { kind: named, url }: WebRegistryAddress,
  fetch: typeof globalThis.fetch,
): Promise<Identity> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const asked: readonly Kind[] = named === 'github' ? ['github'] : ['modreg', 'npm', 'oci'];
  const answers = await Promise.all(
    asked.map(async (kind) => {
      const all = QUESTIONS[kind].at(url).map(async (at) => await answerOf(at, fetch, signal));
      return { kind, answers: (await Promise.all(all)).filter((one) => one !== undefined) };
    }),
  );
  const found = answers.filter((one) => one.answers.some(QUESTIONS[one.kind].isIt));
  const own = answers.find(({ kind }) => kind === named)?.answers ?? [];
  const challenges = own.flatMap(({ headers }) => challengesIn(headers.get('www-authenticate')));
  const [first] = own;
  return {
    kinds: new Set(found.map(({ kind }) => kind)),
    answer: first && `${first.status} ${excerpt(typeOf(first), 80)}`,
    isDenied: own.some(({ status }) => status === 401 || status === 403),
    asksPassword: challenges.length > 0 && challenges.every(({ scheme }) => scheme === 'basic'),
  };
}

function typeOf({ headers }: Answer): string {
  return headers.get('content-type')?.split(';')[0] ?? 'without a content-type';
}

/** Undefined if there is none. */
async function answerOf(
  url: URL,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  try {
    const headers = { accept: 'application/json' };
    const response = await fetch(url, { headers, signal, redirect: 'manual' });
    const { status } = response;
    const text = isJson(response.headers.get('content-type')) ? await beginningOf(response) : '';
    await response.body?.cancel();
    return { status, headers: response.headers, json: objectIn(text) };
  } catch {
    return undefined;
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > LARGEST) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

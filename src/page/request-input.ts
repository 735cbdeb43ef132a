import type { Context } from 'hono';
import type { Result } from '../core/index.ts';
import { parseDuration } from '../core/text/duration.ts';
import { describeValue, quote } from '../core/text/quote.ts';
import { readBody } from '../server/routes/request-body.ts';
import type { PageProblem } from './page-problem.ts';

/** The most bytes of a body with some fields. */
export const SMALL_BODY = 65_536;
/** The most bytes of a body with a machine config of 4 MiB, each byte of which a form may send as three. */
export const CONFIG_BODY: number = 3 * 4_194_304 + SMALL_BODY;

type Read<T> = Result<T, PageProblem[]>;

function wrong(code: string, message: string, hint?: string): Read<never> {
  return { ok: false, error: [{ code, message, hint }] };
}

/** The body of a request as text, of up to `most` bytes. */
export async function bodyOf(c: Context, most: number): Promise<Read<string>> {
  const body = await readBody(c.req.raw, most);
  if (body.ok) return { ok: true, value: body.text };
  return body.reason === 'too-large'
    ? wrong('TOO_LARGE', `the body may have at most ${most} bytes`)
    : wrong('BAD_BODY', 'the body is not UTF-8');
}

/** The fields of a form. */
export async function formOf(
  c: Context,
  most: number = SMALL_BODY,
): Promise<Read<URLSearchParams>> {
  const body = await bodyOf(c, most);
  return body.ok ? { ok: true, value: new URLSearchParams(body.value) } : body;
}

/** A field of a form; undefined if it is missing or empty. */
export function fieldOf(form: URLSearchParams, name: string): string | undefined {
  return form.get(name)?.trim() || undefined;
}

type Kind = 'text' | 'texts' | 'flag';
/** The kind of each field of a body; `required` lists those that must be there. */
interface Shape<Fields extends Readonly<Record<string, Kind>>, Required extends keyof Fields> {
  readonly fields: Fields;
  readonly required: readonly Required[];
}
type Value<K extends Kind> = K extends 'text'
  ? string
  : K extends 'texts'
    ? readonly string[]
    : boolean;
type Body<Fields extends Readonly<Record<string, Kind>>, Required extends keyof Fields> = {
  readonly [F in Required]: Value<Fields[F]>;
} & { readonly [F in Exclude<keyof Fields, Required>]?: Value<Fields[F]> };

const isText = (value: unknown): boolean => typeof value === 'string';
const KINDS: Readonly<Record<Kind, { is: (value: unknown) => boolean; words: string }>> = {
  text: { is: isText, words: 'text' },
  texts: { is: (value) => Array.isArray(value) && value.every(isText), words: 'a list of texts' },
  flag: { is: (value) => typeof value === 'boolean', words: 'true or false' },
};

/** The bodies of requests, for their readers and for the OpenAPI document. */
export const BODIES = {
  none: { fields: {}, required: [] },
  restart: { fields: { now: 'flag', deployed: 'text' }, required: [] },
  upgrade: {
    fields: {
      now: 'flag',
      despite: 'texts',
      reason: 'text',
      by: 'text',
      deployed: 'text',
      to: 'text',
    },
    required: ['by'],
  },
  rollback: { fields: { for: 'text', deployed: 'text', to: 'text' }, required: [] },
  quarantine: {
    fields: { module: 'text', version: 'text', reason: 'text', for: 'text' },
    required: ['module', 'version'],
  },
  lift: { fields: { since: 'text' }, required: [] },
  hold: {
    fields: { module: 'text', for: 'text', until: 'text', reason: 'text', by: 'text' },
    required: ['reason', 'by'],
  },
  unhold: { fields: { module: 'text', since: 'text' }, required: [] },
  config: { fields: { text: 'text' }, required: ['text'] },
  version: { fields: { version: 'text', deployed: 'text' }, required: ['version'] },
} as const;

/** The fields of a JSON body. Without a body there are none. */
export function jsonIn<
  const Fields extends Readonly<Record<string, Kind>>,
  const Required extends keyof Fields & string,
>(
  c: Context,
  text: string,
  { fields, required }: Shape<Fields, Required>,
): Read<Body<Fields, Required>> {
  const [asked] = Object.keys(c.req.query());
  // It would be ignored, and the change would be another one than was meant.
  if (asked !== undefined) {
    return wrong('BAD_BODY', `the address has ${quote(asked)}: send fields in a JSON body`);
  }
  const type = c.req.header('content-type') ?? '';
  if (text !== '' && !/^application\/json\s*(;|$)/i.test(type)) {
    return wrong('NOT_JSON', 'send the body with content-type: application/json');
  }
  const json = parsed(text === '' ? '{}' : text);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return wrong(
      'BAD_BODY',
      `the body is ${json === undefined ? 'not JSON' : describeValue(json)}, expected a JSON object`,
    );
  }
  const complaint = complaintOn(new Map(Object.entries(json)), { fields, required });
  // A cast: each field was checked.
  return complaint ?? { ok: true, value: json as Body<Fields, Required> };
}

function complaintOn(
  values: ReadonlyMap<string, unknown>,
  { fields, required }: Shape<Readonly<Record<string, Kind>>, string>,
): Read<never> | undefined {
  const missing = required.find((name) => !values.has(name));
  if (missing !== undefined) return wrong('BAD_FIELD', `the field ${quote(missing)} is missing`);
  for (const [name, value] of values) {
    if (!Object.hasOwn(fields, name)) {
      const known = Object.keys(fields).join(', ') || 'no fields';
      return wrong('BAD_FIELD', `${quote(name)} is not a field of the body`, `it has ${known}`);
    }
    const expected = KINDS[fields[name] ?? 'text'];
    if (!expected.is(value)) {
      return wrong(
        'BAD_FIELD',
        `${quote(name)} is ${describeValue(value)}, expected ${expected.words}`,
      );
    }
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A duration in milliseconds; undefined if there is none. */
export function termIn(text: string | undefined): Read<number | undefined> {
  if (text === undefined) return { ok: true, value: undefined };
  const term = parseDuration(text);
  if (!term.ok) return wrong('BAD_FIELD', `for: ${term.error}`);
  return term.value > 0 ? term : wrong('BAD_FIELD', 'for: expected more than no time');
}

/** The ETag in If-Match, which a change of a document requires. */
export function ifMatch(c: Context): Read<string> {
  const etag = c.req.header('if-match')?.trim();
  if (etag !== undefined && /^(?:W\/)?"[^"]*"$/.test(etag)) return { ok: true, value: etag };
  const found = etag === undefined ? 'there is no If-Match' : `If-Match is ${quote(etag)}`;
  return wrong(
    'NO_ETAG',
    `${found}, expected the ETag of the document that is changed`,
    'GET /v1/config and GET /v1/modules/{name}/compare return it',
  );
}

import type { Context } from 'hono';
import type { Result } from '../../core/index.ts';
import { quote } from '../../core/text/quote.ts';
import { duplicateKey } from '../../registry/formats/duplicate-key.ts';
import { SERVER_LIMITS } from '../server-limits.ts';
import { problem } from '../problem.ts';
import type { ReleaseErrors } from '../catalogue/published-release.ts';
import { readBody } from './request-body.ts';

const LARGEST_BODY = SERVER_LIMITS.bodyBytes;

const UNREADABLE = {
  'too-large': ['too-large', `the body may have at most ${LARGEST_BODY} bytes`],
  'not-utf-8': ['bad-request', 'the body is not UTF-8'],
} as const;

/** The body of a request as `read` validates it. If the body is empty, `absent` is used instead. */
export async function jsonBody<T>(
  c: Context,
  read: (json: unknown) => Result<T, ReleaseErrors>,
  absent?: unknown,
): Promise<Result<T, Response>> {
  const body = await readBody(c.req.raw, LARGEST_BODY);
  if (!body.ok) {
    const [kind, detail] = UNREADABLE[body.reason];
    return { ok: false, error: problem(kind, detail) };
  }
  const { text } = body;
  if (text === '' && absent !== undefined) return orProblem(read(absent));
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
    return {
      ok: false,
      error: problem('not-json', 'send the body with content-type: application/json'),
    };
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { ok: false, error: problem('bad-request', 'the body is not JSON') };
  }
  const key = duplicateKey(text, json);
  if (key !== undefined) {
    const detail = `the body has the key ${quote(key)} twice in one object`;
    return { ok: false, error: problem('bad-request', detail) };
  }
  return orProblem(read(json));
}

function orProblem<T>(read: Result<T, ReleaseErrors>): Result<T, Response> {
  if (read.ok) return read;
  const [first = ''] = read.error;
  return { ok: false, error: problem('bad-release', first, { errors: read.error.slice(0, 50) }) };
}

import type { Context, Hono } from 'hono';
import { parseVersion, type Result } from '../core/index.ts';
import { formatTime } from '../core/text/rfc3339.ts';
import type { RegistryEvent, ServeOptions } from './registry-options.ts';
import type { Catalogue } from './catalogue.ts';
import { RELEASES, withModule, YANK } from './module-route.ts';
import { problem } from './problem.ts';
import { readBody } from './request-body.ts';
import {
  readReason,
  readRelease,
  type PublishedRelease,
  type ReleaseErrors,
} from './published-release.ts';

const LARGEST_BODY = 1024 * 1024;
/** How far a claimed publish time may be from the registry's clock. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

const UNREADABLE = {
  'too-large': ['too-large', `the body may have at most ${LARGEST_BODY} bytes`],
  'not-utf-8': ['bad-request', 'the body is not UTF-8'],
} as const;

/** Adds the routes that need a token. `changed` is called after each change. */
export function addWriteRoutes(
  app: Hono,
  catalogue: Catalogue,
  { clock }: ServeOptions,
  changed: (event: RegistryEvent) => void,
): void {
  const guard = async (c: Context, next: () => Promise<void>): Promise<Response | void> =>
    authorized(c, catalogue) ?? (await next());
  app.post(RELEASES, guard, async (c) => {
    const release = await jsonBody(c, readRelease);
    if (!release.ok) return release.error;
    return publishAnswer(c, catalogue, release.value, { now: clock(), changed });
  });
  app.put(YANK, guard, async (c) => {
    const reason = await jsonBody(c, readReason, { reason: '' });
    return reason.ok ? yankAnswer(c, catalogue, reason.value, changed) : reason.error;
  });
  app.delete(YANK, guard, (c) => yankAnswer(c, catalogue, null, changed));
}

/**
 * Why the claimed publish time is refused; undefined if it is not. A time in the past would evade a minimum age (D34).
 * A token that may import the releases of another registry would be exempt here.
 */
function publishTimeError({ publishedAt }: PublishedRelease, now: number): string | undefined {
  if (publishedAt === undefined || Math.abs(publishedAt - now) <= CLOCK_TOLERANCE_MS) {
    return undefined;
  }
  const [claimed, clock] = [formatTime(publishedAt), formatTime(now)];
  return `/published_at: ${claimed} is more than five minutes from the registry's clock, ${clock}`;
}

function publishAnswer(
  c: Context,
  catalogue: Catalogue,
  release: PublishedRelease,
  { now, changed }: { readonly now: number; readonly changed: (event: RegistryEvent) => void },
): Response {
  const { version } = release;
  return withModule(c, (moduleId) => {
    const error = publishTimeError(release, now);
    // Publishing a release again changes nothing, so it may have an old time.
    if (error !== undefined && !catalogue.has(moduleId, version)) {
      return problem('bad-release', error, { errors: [error] });
    }
    const result = catalogue.publish(moduleId, release, now);
    if (result === 'other-content') {
      const next = 'it cannot change; yank it and publish another version';
      return problem(
        'already-published',
        `${moduleId} ${version} is already published with different content or publish time: ${next}`,
      );
    }
    if (result !== 'unchanged') changed({ kind: result, moduleId, version });
    const status = result === 'published' ? 201 : 200;
    return c.json({ module_id: moduleId, version, result }, status);
  });
}

function yankAnswer(
  c: Context,
  catalogue: Catalogue,
  reason: string | null,
  changed: (event: RegistryEvent) => void,
): Response {
  const version = parseVersion(c.req.param('version'));
  if (!version.ok) return problem('bad-request', version.error.message);
  const { text } = version.value;
  return withModule(c, (moduleId) => {
    const result = catalogue.yank(moduleId, text, reason);
    switch (result) {
      case 'unknown-module':
        return problem(result, `nothing was ever published for ${moduleId}`);
      case 'unknown-version':
        return problem(result, `${moduleId} has no version ${text}`);
      case 'done':
        changed({ kind: reason === null ? 'unyanked' : 'yanked', moduleId, version: text });
        break;
      case 'unchanged':
    }
    return c.json({ module_id: moduleId, version: text, yanked: reason });
  });
}

function authorized(c: Context, catalogue: Catalogue): Response | undefined {
  const [, token] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
  if (token !== undefined && catalogue.isToken(token)) return undefined;
  const found =
    token === undefined
      ? 'the request has no bearer token'
      : 'this registry did not create the token';
  return problem('unauthorized', found, { headers: { 'www-authenticate': 'Bearer' } });
}

/** The body as `read` validates it. If the body is empty, `absent` is used instead. */
async function jsonBody<T>(
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
  return orProblem(read(json));
}

function orProblem<T>(read: Result<T, ReleaseErrors>): Result<T, Response> {
  if (read.ok) return read;
  const [first = ''] = read.error;
  return { ok: false, error: problem('bad-release', first, { errors: read.error.slice(0, 50) }) };
}

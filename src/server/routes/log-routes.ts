import { gunzipSync } from 'node:zlib';
import type { Context, Hono } from 'hono';
import type { Result } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { parseTime } from '../../core/text/rfc3339.ts';
import { LOG_LEVELS } from '../../registry/site-logs.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { readLogs, type ReceivedLogs } from '../logs/received-records.ts';
import type { RegistryLogs } from '../logs/registry-logs.ts';
import type { LogSearch } from '../logs/search-records.ts';
import { problem } from '../problem.ts';
import { SERVER_LIMITS } from '../server-limits.ts';
import { LOGS_READ, machineScope, machinesOf } from '../tokens/scope.ts';
import type { StoredToken } from '../tokens/token.ts';
import { readToken } from './bearer.ts';
import { answeringToken, type Answer } from './guarded.ts';
import { FLEET_LOGS, LOGS } from './module-route.ts';
import type { AppOptions } from './read-routes.ts';
import { readBytes } from './request-body.ts';

const LARGEST_BODY = SERVER_LIMITS.bodyBytes;
const MOST_RECORDS = 2048;
const MOST_LINES = 1000;
const IN_CLUSTER =
  'a front of a cluster keeps no logs of machines: send them to an OpenTelemetry Collector with a log store';
const UNAVAILABLE =
  'nothing was stored, and the rest of the registry goes on; the log of the registry says what is wrong with the file';

/** Adds the route to which machines send their logs, and the one that reads them (D304). */
export function addLogRoutes(
  app: Hono,
  catalogue: Catalogue,
  { logs, ...options }: AppOptions & { readonly logs: RegistryLogs },
): void {
  const audit = { catalogue, ...options };
  app.post(
    LOGS,
    answeringToken(readToken, audit, async (c, { token }) => {
      const machine = machineIn(token);
      if (typeof machine !== 'string') return machine;
      if (options.replica) return problem('no-logs', IN_CLUSTER);
      return await exportAnswer(c, machine, logs);
    }),
  );
  app.get(
    FLEET_LOGS,
    answeringToken(readToken, audit, async (c, { token }) => {
      const scope = LOGS_READ;
      if (!token.scopes.includes(scope)) return { kind: 'missing-scope', token, scope };
      if (options.replica) return problem('no-logs', IN_CLUSTER);
      return await linesAnswer(c, logs);
    }),
  );
}

/** The machine that a token is of, whatever the request says (D304); or why it cannot send logs. */
function machineIn(token: StoredToken): string | Answer {
  const [machine, ...others] = machinesOf(token.scopes);
  if (machine === undefined) {
    return { kind: 'missing-scope', token, scope: machineScope('<id>') };
  }
  if (others.length === 0) return machine;
  const found = `the token ${token.id} (${token.name}) is of ${others.length + 1} machines`;
  return problem('missing-scope', `${found}, expected one: create a token for each`);
}

async function exportAnswer(c: Context, machine: string, logs: RegistryLogs): Promise<Response> {
  const body = await readRequest(c);
  if (!body.ok) return body.error;
  const read = received(body.value);
  if (!read.ok) return read.error;
  const { records, rejected, why } = read.value;
  const bytes = body.value.length;
  if (records.length > 0 && !(await logs.take({ machine, records }, bytes))) {
    return problem('logs-unavailable', UNAVAILABLE);
  }
  if (rejected === 0) return c.json({});
  const errorMessage = `the first that cannot be stored: ${why}`;
  return c.json({ partialSuccess: { rejectedLogRecords: `${rejected}`, errorMessage } });
}

/** The text of a request, which may be compressed (D305). */
async function readRequest(c: Context): Promise<Result<string, Response>> {
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    const found = type === '' ? 'there is no content-type' : `content-type is ${excerpt(type)}`;
    return refusal('not-json', `${found}, expected application/json: Protobuf is not read`);
  }
  const encoding = c.req.header('content-encoding') ?? 'identity';
  if (!/^(gzip|identity)$/i.test(encoding)) {
    return refusal('not-json', `content-encoding is ${excerpt(encoding)}, expected gzip or none`);
  }
  const bytes = await readBytes(c.req.raw, LARGEST_BODY);
  if (!bytes) return tooLarge();
  return encoding.toLowerCase() === 'gzip' ? unzipped(bytes) : utf8(bytes);
}

function refusal(...problemParts: Parameters<typeof problem>): {
  readonly ok: false;
  readonly error: Response;
} {
  return { ok: false, error: problem(...problemParts) };
}

function tooLarge(): ReturnType<typeof refusal> {
  return refusal('too-large', `the body may have at most ${LARGEST_BODY} bytes, also uncompressed`);
}

function unzipped(bytes: Uint8Array): Result<string, Response> {
  try {
    return utf8(gunzipSync(bytes, { maxOutputLength: LARGEST_BODY }));
  } catch (error) {
    if (error instanceof RangeError) return tooLarge();
    if (!(error instanceof Error && 'code' in error)) throw error;
    return refusal('bad-request', 'the body is not gzip, as content-encoding says');
  }
}

function utf8(bytes: Uint8Array): Result<string, Response> {
  try {
    return { ok: true, value: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof TypeError) return refusal('bad-request', 'the body is not UTF-8');
    throw error;
  }
}

function received(text: string): Result<ReceivedLogs, Response> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return refusal('bad-request', 'the body is not JSON');
    throw error;
  }
  const read = readLogs(json);
  if (!read.ok) return refusal('bad-request', read.error);
  const count = read.value.records.length + read.value.rejected;
  if (count <= MOST_RECORDS) return read;
  return refusal('too-large', `the body has ${count} records, and may have ${MOST_RECORDS}`);
}

async function linesAnswer(c: Context, logs: RegistryLogs): Promise<Response> {
  const search = searchIn(c);
  if (!search.ok) return problem('bad-request', search.error);
  const found = await logs.search(search.value);
  return found ? c.json(found) : problem('logs-unavailable', UNAVAILABLE);
}

function searchIn(c: Context): Result<LogSearch, string> {
  const { machine, module, text, level: levelText, since: sinceText, before } = c.req.query();
  const { limit = '100' } = c.req.query();
  if (!/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > MOST_LINES) {
    return { ok: false, error: `limit must be a number from 1 to ${MOST_LINES}` };
  }
  const level = LOG_LEVELS.find((one) => one === levelText);
  if (levelText !== undefined && !level) {
    return { ok: false, error: `level must be one of ${LOG_LEVELS.join(', ')}` };
  }
  const since = sinceText === undefined ? undefined : parseTime(sinceText);
  if (since?.ok === false) return { ok: false, error: 'since must be a time of RFC 3339' };
  if (before !== undefined && !/^\d{1,15}$/.test(before)) {
    return { ok: false, error: 'before must be next of an earlier response' };
  }
  const value = { machine, module, text, level, since: since?.value, limit: Number(limit) };
  return {
    ok: true,
    value: { ...value, before: before === undefined ? undefined : Number(before) },
  };
}

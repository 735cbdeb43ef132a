import { hash } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { parseModuleId, type ModuleId, type Result } from '../../core/index.ts';
import { peerOf } from './bearer.ts';
import { SERVER_LIMITS } from '../server-limits.ts';
import { longPolls, refusedPoll, type LongPolls } from '../limits/long-polls.ts';
import type { ExceededLimit, RegistryOptions } from '../registry-options.ts';
import { slicedBody } from '../limits/sliced-body.ts';
import { configWait } from '../configs/config-wait.ts';
import { isKnown } from './conditional.ts';
import type { NoteContact } from '../fleet/contacts.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import type { RegistryLogs } from '../logs/registry-logs.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Changes } from '../catalogue/catalogue-results.ts';
import type { Health } from './health.ts';
import type { ChangeFeed } from '../catalogue/change-feed.ts';
import type { ModuleDocument } from '../catalogue/module-document.ts';
import { MODULE, TRUST, withModule } from './module-route.ts';
import { answerSigner, type SignAnswer } from './signed-answer.ts';
import { problem } from '../problem.ts';

/** Options of the API, and how the server that it is part of keeps its limits. */
export interface AppOptions extends RegistryOptions {
  /** The size of the next slice of a release list. */
  readonly slice?: () => number;
  /** Whether the registry can be used; looked up by the app itself if absent. */
  readonly health?: Health;
  /** What machines reported; opened by the app itself if absent. */
  readonly fleet?: FleetFile;
  /** What machines log; opened by the app itself if absent. */
  readonly logs?: RegistryLogs;
}

export interface ReadOptions extends AppOptions {
  /** Counts a refused request. */
  readonly refused: (limit: ExceededLimit, peer: string | undefined) => void;
  readonly noteContact: NoteContact;
}

/** Adds the routes that need no token. */
export function addReadRoutes(
  app: Hono,
  catalogue: Catalogue,
  feed: ChangeFeed,
  options: ReadOptions,
): void {
  const polls = longPolls(options);
  const reached = whenReached(catalogue, feed, options.noteContact);
  const sign = answerSigner(catalogue);
  const changesOptions = { ...options, polls, sign, catalogue };
  app.get('/v1/modules', (c) =>
    reached(c, () => listAnswer(c, { modules: catalogue.modules(c.req.query('namespace')) })),
  );
  app.get(MODULE, (c) =>
    reached(c, () =>
      withModule(
        c,
        (moduleId) =>
          withheldAnswer(moduleId, options) ??
          unconfirmedAnswer(c, options) ??
          documentAnswer(c, moduleId, {
            ...options,
            document: catalogue.document(moduleId),
            history: catalogue.history(),
            sign,
          }),
      ),
    ),
  );
  app.get('/v1/changes', (c) =>
    reached(c, () => unconfirmedAnswer(c, options) ?? changesAnswer(c, feed, changesOptions)),
  );
  app.get(TRUST, (c) => c.json({ documents: catalogue.trust.documents() }));
  app.get('/v1/openapi.json', async (c) => c.json((await import('./openapi.ts')).OPENAPI));
}

/** How long a request waits for a change that its client knows. */
const BEHIND_MS = 2000;

type Answer = () => Response | Promise<Response>;

/**
 * Answers a request with the header `Modreg-At-Least` once the catalogue has that sequence: behind one address, a server may lag
 * behind another that the client has asked before. Numbers of another history are not compared. No middleware, which would cost
 * each request without the header as well.
 */
function whenReached(
  catalogue: Catalogue,
  feed: ChangeFeed,
  noteContact: NoteContact,
): (c: Context, answer: Answer) => ReturnType<Answer> {
  const waited = async (c: Context, text: string, answer: Answer): Promise<Response> => {
    const history = c.req.header('modreg-history');
    if (history !== undefined && history !== catalogue.history()) return await answer();
    const sequence = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(sequence)) {
      return problem('bad-request', 'Modreg-At-Least must be a sequence, a whole number');
    }
    if (await feed.reaches(sequence, BEHIND_MS, c.req.raw.signal)) return await answer();
    const found = `this registry is at sequence ${catalogue.sequence()}, and ${sequence} is asked for`;
    return problem('behind', found, { headers: { 'retry-after': '1' } });
  };
  return (c, answer) => {
    noteContact(c.req.header('authorization'));
    const text = c.req.header('modreg-at-least');
    return text === undefined ? answer() : waited(c, text, answer);
  };
}

/** The answer to a request for a list that this front knows to be out of date, or that it may not even have (T259). */
function withheldAnswer(moduleId: ModuleId, { replica }: AppOptions): Response | undefined {
  const { message, modules } = replica?.withheld() ?? {};
  if (message === undefined || modules?.has(moduleId) === false) return undefined;
  return unhealthy(message);
}

/** The answer to a nonce by a front that the majority of its cluster may have left behind: it would be fresh by a signature alone (D168). */
function unconfirmedAnswer(c: Context, { replica }: AppOptions): Response | undefined {
  if (!replica || replica.isConfirmed() || c.req.query('nonce') === undefined) return undefined;
  return unhealthy('this front cannot reach a majority of its cluster');
}

/** The answer of a front that may lack documents or commands, or that cannot confirm them: what it serves could be older than what a machine has (T794). */
export function unservedAnswer(c: Context, options: AppOptions): Response | undefined {
  const { message, modules } = options.replica?.withheld() ?? {};
  if (message === undefined || modules !== undefined) return unconfirmedAnswer(c, options);
  return unhealthy(message);
}

function unhealthy(message: string): Response {
  const retryAfter = `${SERVER_LIMITS.retryAfter / 1000}`;
  return problem('unhealthy', message, { headers: { 'retry-after': retryAfter } });
}

function documentAnswer(
  c: Context,
  moduleId: ModuleId,
  {
    document,
    history,
    sign,
    slice = () => SERVER_LIMITS.slice,
  }: AppOptions & {
    readonly document: ModuleDocument | undefined;
    readonly history: string;
    readonly sign: SignAnswer;
  },
): Response {
  if (!document) return problem('unknown-module', `nothing was ever published for ${moduleId}`);
  const { bytes, etag, sha256 } = document;
  const signature = sign({ nonce: c.req.query('nonce'), question: `list ${moduleId}`, sha256 });
  // Not in the body, which may change only with the generation (D43).
  const headers = { etag, 'cache-control': 'no-cache', 'modreg-history': history, ...signature };
  if (isKnown(c.req.header('if-none-match'), etag))
    return new Response(null, { status: 304, headers });
  const length = { 'content-type': 'application/json', 'content-length': `${bytes.length}` };
  return new Response(slicedBody(bytes, slice), { headers: { ...headers, ...length } });
}

/** A list that is sent as a whole, and so must not be larger than a connection may have unsent. */
function listAnswer(
  c: Context,
  list: object,
  sign: (text: string) => Readonly<Record<string, string>> = () => ({}),
): Response {
  const text = JSON.stringify(list);
  const most = SERVER_LIMITS.unsentPerConnection;
  if (text.length > most) {
    const found = `the list has ${text.length} characters, and a response at most ${most}`;
    return problem('internal', `${found}: ask for /v1/modules?namespace=…`);
  }
  return c.body(text, { headers: { 'content-type': 'application/json', ...sign(text) } });
}

interface ChangesOptions extends ReadOptions {
  readonly polls: LongPolls;
  readonly sign: SignAnswer;
  readonly catalogue: Catalogue;
}

async function changesAnswer(
  c: Context,
  feed: ChangeFeed,
  options: ChangesOptions,
): Promise<Response> {
  const { polls, replica, clock, catalogue } = options;
  const query = changesQuery(c);
  if (!query.ok) return problem('bad-request', query.error);
  const { after, ms, only, nonce } = query.value;
  const held = replica?.withheld();
  const end = polls.begin(peerOf(c));
  if (!end) return refusedPoll();
  try {
    const { news, other } = waitFor(c, catalogue, {
      // One that is about known modules is about no machine.
      isAsked: (!held || held.modules !== undefined) && nonce === undefined,
      clock,
    });
    const changes = await feed.wait(after, ms, c.req.raw.signal, { modules: only, other });
    return changesList(c, query.value, { ...options, changes, news: news() });
  } finally {
    end();
  }
}

/** The list of what has changed, and what else is news to the client. */
function changesList(
  c: Context,
  { after, only, nonce }: ChangesQuery,
  {
    changes: { history, sequence, modules: changed },
    news,
    spreadMs,
    replica,
    sign,
    catalogue,
  }: ChangesOptions & { readonly changes: Changes; readonly news: object },
): Response {
  const withheld = replica?.withheld();
  const unconfirmed = [...(withheld ? (withheld.modules ?? catalogue.modules()) : [])];
  const isAsked = (id: ModuleId): boolean => only?.has(id) ?? true;
  // To a client, a module that the feed does not name is unchanged. To name it wakes no waiting client (T259).
  const modules = [...new Set([...changed, ...unconfirmed.filter(isAsked)])];
  return listAnswer(c, { history, sequence, modules, spread_ms: spreadMs, ...news }, (text) =>
    nonce === undefined
      ? {}
      : sign({ nonce, question: `changes ${after}`, sha256: hash('sha256', text) }),
  );
}

/** The wait of a machine for its documents, if the request is one of a machine that follows them; also at a front of a cluster (D399). */
function waitFor(
  c: Context,
  catalogue: Catalogue,
  { isAsked, clock }: Pick<AppOptions, 'clock'> & { readonly isAsked: boolean },
): ReturnType<typeof configWait> {
  return configWait(catalogue.configs, (text) => catalogue.tokenWith(text), {
    known: isAsked ? c.req.query('config') : undefined,
    taken: isAsked ? numberIn(c.req.query('commands')) : undefined,
    authorization: c.req.header('authorization'),
    now: () => clock.now(),
  });
}

/** Undefined for what is no number of a command. */
function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

interface ChangesQuery {
  readonly after: number;
  readonly ms: number;
  readonly only: ReadonlySet<ModuleId> | undefined;
  readonly nonce: string | undefined;
}

function changesQuery(c: Context): Result<ChangesQuery, string> {
  const { after: afterText = '0', wait: waitText = '0', modules: named, nonce } = c.req.query();
  const after = Number(afterText);
  if (!/^\d+$/.test(afterText) || !Number.isSafeInteger(after)) {
    const error = 'after must be the sequence of an earlier response, a whole number';
    return { ok: false, error };
  }
  if (!/^\d+(\.\d+)?$/.test(waitText)) {
    return { ok: false, error: 'wait must be a number of seconds' };
  }
  const only = modulesIn(named);
  if (!only.ok) return only;
  const ms = Math.min(Number(waitText) * 1000, SERVER_LIMITS.longPoll);
  // An answer about some modules says nothing of the others, and its text would not show it.
  const signed = only.value ? undefined : nonce;
  return { ok: true, value: { after, ms, only: only.value, nonce: signed } };
}

/** The most modules that a client can wait for by name: as many fit into the headers of a request. */
const MOST_MODULES = 100;

/** The ids in `modules`, separated by commas; undefined without it. */
function modulesIn(text: string | undefined): Result<ReadonlySet<ModuleId> | undefined, string> {
  if (text === undefined) return { ok: true, value: undefined };
  const ids = text.split(',');
  if (ids.length > MOST_MODULES) {
    return { ok: false, error: `modules has ${ids.length} ids, expected at most ${MOST_MODULES}` };
  }
  const modules = new Set<ModuleId>();
  for (const one of ids) {
    const id = parseModuleId(one);
    if (!id.ok) return { ok: false, error: `modules: ${id.error.message}` };
    modules.add(id.value);
  }
  return { ok: true, value: modules };
}

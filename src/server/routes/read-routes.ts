import type { Context, Hono } from 'hono';
import type { ModuleId } from '../../core/index.ts';
import { peerOf } from '../tokens/bearer.ts';
import { SERVER_LIMITS } from '../limits/limits.ts';
import { longPolls, refusedPoll, type LongPolls } from '../limits/long-polls.ts';
import type { ExceededLimit, RegistryOptions } from '../registry-options.ts';
import { slicedBody } from '../limits/sliced-body.ts';
import { isKnown } from './conditional.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Health } from './health.ts';
import type { ChangeFeed } from '../catalogue/change-feed.ts';
import type { ModuleDocument } from '../catalogue/module-document.ts';
import { MODULE, withModule } from './module-route.ts';
import { OPENAPI } from './openapi.ts';
import { problem } from './problem.ts';

/** Options of the API, and how the server that it is part of keeps its limits. */
export interface AppOptions extends RegistryOptions {
  /** The size of the next slice of a release list. */
  readonly slice?: () => number;
  /** Whether the registry can be used; looked up by the app itself if absent. */
  readonly health?: Health;
  /** What machines reported; opened by the app itself if absent. */
  readonly fleet?: FleetFile;
}

export interface ReadOptions extends AppOptions {
  /** Counts a refused request. */
  readonly refused: (limit: ExceededLimit, peer: string | undefined) => void;
}

/** Adds the routes that need no token. */
export function addReadRoutes(
  app: Hono,
  catalogue: Catalogue,
  feed: ChangeFeed,
  options: ReadOptions,
): void {
  const polls = longPolls(options);
  app.get('/v1/modules', (c) =>
    listAnswer(c, { modules: catalogue.modules(c.req.query('namespace')) }),
  );
  app.get(MODULE, (c) =>
    withModule(c, (moduleId) =>
      documentAnswer(c, moduleId, {
        ...options,
        document: catalogue.document(moduleId),
        history: catalogue.history(),
      }),
    ),
  );
  app.get('/v1/changes', async (c) => await changesAnswer(c, feed, { ...options, polls }));
  app.get('/v1/openapi.json', (c) => c.json(OPENAPI));
}

function documentAnswer(
  c: Context,
  moduleId: ModuleId,
  {
    document,
    history,
    slice = () => SERVER_LIMITS.slice,
  }: AppOptions & { readonly document: ModuleDocument | undefined; readonly history: string },
): Response {
  if (!document) return problem('unknown-module', `nothing was ever published for ${moduleId}`);
  const { bytes, etag } = document;
  // Not in the body, which may change only with the generation (D43).
  const headers = { etag, 'cache-control': 'no-cache', 'modreg-history': history };
  if (isKnown(c.req.header('if-none-match'), etag))
    return new Response(null, { status: 304, headers });
  const length = { 'content-type': 'application/json', 'content-length': `${bytes.length}` };
  return new Response(slicedBody(bytes, slice), { headers: { ...headers, ...length } });
}

/** A list that is sent as a whole, and so must not be larger than a connection may have unsent. */
function listAnswer(c: Context, list: object): Response {
  const text = JSON.stringify(list);
  const most = SERVER_LIMITS.unsentPerConnection;
  if (text.length > most) {
    const found = `the list has ${text.length} characters, and a response at most ${most}`;
    return problem('internal', `${found}: ask for /v1/modules?namespace=…`);
  }
  return c.body(text, { headers: { 'content-type': 'application/json' } });
}

async function changesAnswer(
  c: Context,
  feed: ChangeFeed,
  { spreadMs, polls }: ReadOptions & { readonly polls: LongPolls },
): Promise<Response> {
  const { after: afterText = '0', wait: waitText = '0' } = c.req.query();
  const after = Number(afterText);
  const wait = Number(waitText);
  if (!/^\d+$/.test(afterText) || !Number.isSafeInteger(after)) {
    return problem(
      'bad-request',
      'after must be the sequence of an earlier response, a whole number',
    );
  }
  if (!/^\d+(\.\d+)?$/.test(waitText))
    return problem('bad-request', 'wait must be a number of seconds');
  const ms = Math.min(wait * 1000, SERVER_LIMITS.longPoll);
  const changes = await polls.within(peerOf(c), async () => {
    return await feed.wait(after, ms, c.req.raw.signal);
  });
  if (!changes) return refusedPoll();
  const { history, sequence, modules } = changes;
  return listAnswer(c, { history, sequence, modules, spread_ms: spreadMs });
}

import type { Context, Hono } from 'hono';
import type { ModuleId } from '../core/index.ts';
import type { ServeOptions } from './registry-options.ts';
import type { Catalogue } from './catalogue.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { ModuleDocument } from './module-document.ts';
import { MODULE, withModule } from './module-route.ts';
import { OPENAPI } from './openapi.ts';
import { problem } from './problem.ts';

const LONGEST_WAIT_S = 60;

/** Adds the routes that need no token. */
export function addReadRoutes(
  app: Hono,
  catalogue: Catalogue,
  feed: ChangeFeed,
  options: ServeOptions,
): void {
  app.get('/v1/modules', (c) => c.json({ modules: catalogue.modules(c.req.query('namespace')) }));
  app.get(MODULE, (c) =>
    withModule(c, (moduleId) => documentAnswer(c, catalogue.document(moduleId), moduleId)),
  );
  app.get('/v1/changes', async (c) => await changesAnswer(c, feed, options));
  app.get('/v1/openapi.json', (c) => c.json(OPENAPI));
}

function documentAnswer(
  c: Context,
  document: ModuleDocument | undefined,
  moduleId: ModuleId,
): Response {
  if (!document) return problem('unknown-module', `nothing was ever published for ${moduleId}`);
  const { bytes, etag } = document;
  const headers = { etag, 'cache-control': 'no-cache' };
  if (isKnown(c.req.header('if-none-match'), etag))
    return new Response(null, { status: 304, headers });
  return new Response(bytes, { headers: { ...headers, 'content-type': 'application/json' } });
}

/** Whether the client already has the document with this entity tag. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch === etag) return ifNoneMatch === etag;
  return ifNoneMatch.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}

async function changesAnswer(
  c: Context,
  feed: ChangeFeed,
  { spreadMs }: ServeOptions,
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
  const ms = Math.min(wait, LONGEST_WAIT_S) * 1000;
  const { history, sequence, modules } = await feed.wait(after, ms, c.req.raw.signal);
  return c.json({ history, sequence, modules, spread_ms: spreadMs });
}

import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { isSha256 } from '../../registry/formats/hosted-artifact.ts';
import { artifactBody, type ServedArtifact } from '../artifacts/artifact-body.ts';
import { findArtifact } from '../artifacts/artifact-store.ts';
import { byteRange } from '../artifacts/byte-range.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { isKnown } from './conditional.ts';
import { SERVER_LIMITS } from '../server-limits.ts';
import { ARTIFACT } from './module-route.ts';
import { problem } from '../problem.ts';
import type { AppOptions } from './read-routes.ts';

/** Adds the routes of hosted files. Like lists, they need no token. */
export function addArtifactRoutes(app: Hono, catalogue: Catalogue, options: AppOptions): void {
  const reported = new Set<string>();
  const lost = (sha256: string, found: string): Response => {
    const error = new Error(`the file sha256:${sha256}, which a release lists, ${found}`);
    if (!reported.has(sha256)) options.log?.({ kind: 'failed', error });
    // Once, because a client may ask again and again.
    reported.add(sha256);
    return problem('lost-file', 'upload it again; machines can use their other releases');
  };
  app.get(ARTIFACT, (c) => {
    const sha256 = c.req.param('sha256');
    if (!isSha256(sha256)) return problem('bad-request', 'expected 64 lower-case digits of sha256');
    const listed = catalogue.listedArtifacts().get(sha256);
    const found = findArtifact(catalogue.path, sha256);
    if (!found) {
      if (listed !== undefined) return lost(sha256, 'is missing');
      return problem('unknown-file', 'no release lists this file, and it was not uploaded');
    }
    const { size } = found;
    if (listed !== undefined && listed !== size) {
      return lost(sha256, `has ${size} bytes, expected ${listed}`);
    }
    reported.delete(sha256);
    return artifactAnswer(c, { path: catalogue.path, sha256, size }, options);
  });
}

function artifactAnswer(c: Context, artifact: ServedArtifact, options: AppOptions): Response {
  const { sha256, size } = artifact;
  const etag = `"${sha256}"`;
  const headers = {
    etag,
    'cache-control': 'public, max-age=31536000, immutable',
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    'content-disposition': 'attachment',
  };
  if (isKnown(c.req.header('if-none-match'), etag))
    return new Response(null, { status: 304, headers: { etag } });
  if (c.req.method === 'HEAD')
    return new Response(null, { headers: { ...headers, 'content-length': `${size}` } });
  const ifRange = c.req.header('if-range') ?? etag;
  const range = ifRange === etag ? byteRange(c.req.header('range'), size) : 'whole';
  if (range === 'none') {
    const all = { 'content-range': `bytes */${size}` };
    return problem('no-such-range', `the file has ${size} bytes`, { headers: all });
  }
  const { first, last } = range === 'whole' ? { first: 0, last: size - 1 } : range;
  const length = { 'content-length': `${last + 1 - first}` };
  const part = { 'content-range': `bytes ${first}-${last}/${size}` };
  const body = size === 0 ? null : bodyOf(c, artifact, { first, last }, options);
  if (range === 'whole') return new Response(body, { headers: { ...headers, ...length } });
  return new Response(body, { status: 206, headers: { ...headers, ...length, ...part } });
}

function bodyOf(
  c: Context,
  artifact: ServedArtifact,
  range: { readonly first: number; readonly last: number },
  { slice = () => SERVER_LIMITS.slice, log }: AppOptions,
): ReadableStream<Uint8Array> {
  return artifactBody(artifact, range, {
    size: () => Math.min(slice(), SERVER_LIMITS.fileSlice),
    failed(error) {
      log?.({ kind: 'failed', error });
      const { incoming } = Object(c.env) as Partial<HttpBindings>;
      incoming?.socket.destroy();
    },
  });
}

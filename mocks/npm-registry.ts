/*
 * Stands in for a registry of npm, such as registry.npmjs.org.
 *
 * - `GET /<package>` is its packument. The slash of a scoped name is `%2f`. (npm-package-arg, `escapedName`)
 * - Publish times are in `time` of the full packument. `Accept: application/vnd.npm.install-v1+json` asks for the abbreviated one, which
 *   has none. (https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md)
 * - Its entity tag changes with `_rev`, the revision of the document, and a known one is answered with 304. (RFC 9110, section 13.1.2)
 * - A package that it does not have is 404 with `{"error":"Not found"}`.
 * - `GET /-/ping` is `{}`. (npm, "npm ping")
 */
import type { Answer } from './network.ts';

export interface Packument {
  readonly name: string;
  readonly _rev?: string;
  readonly versions: Readonly<Record<string, object>>;
  readonly time?: Readonly<Record<string, string>>;
  readonly keywords?: readonly unknown[];
}

const ABBREVIATED = 'application/vnd.npm.install-v1+json';

/** A registry with these packages. */
export function npmRegistry(...packuments: readonly Packument[]): Answer {
  return ({ url, headers }) => {
    if (new URL(url).pathname.endsWith('/-/ping')) return Response.json({});
    const [name = ''] = new URL(url).pathname.split('/').slice(-1);
    const found = packuments.find((one) => one.name === decodeURIComponent(name));
    if (!found) return Response.json({ error: 'Not found' }, { status: 404 });
    const { _rev: revision, versions } = found;
    const etag = revision === undefined ? undefined : `W/"${revision}"`;
    const tagged: [string, string][] = etag === undefined ? [] : [['etag', etag]];
    if (etag !== undefined && headers.get('if-none-match') === etag) {
      return new Response(null, { status: 304, headers: tagged });
    }
    const accept = headers.get('accept') ?? '*/*';
    if (weightOf(ABBREVIATED, accept) <= weightOf('application/json', accept)) {
      return Response.json(found, { headers: tagged });
    }
    const abbreviated = { name: found.name, versions };
    return Response.json(abbreviated, { headers: [...tagged, ['content-type', ABBREVIATED]] });
  };
}

/** How much an `Accept` header wants a type, 0 to 1. */
function weightOf(type: string, accept: string): number {
  const ranges = accept.split(',').map((one) => one.split(';').map((part) => part.trim()));
  const [, ...parameters] = ranges.find(([name]) => name === type) ?? [type, 'q=0'];
  return Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
}

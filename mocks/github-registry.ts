/*
 * Stands in for the REST API of GitHub, as its documentation describes it; no test uses the service itself.
 *
 * - `GET /repos/<owner>/<name>/releases?per_page=<n>&page=<n>` has the releases, newest first; 30 on a page unless it says otherwise, and
 *   at most 100. (REST API endpoints for releases, "List releases")
 * - While there are more, a `Link` header with `rel="next"` is the address of the next page. (Using pagination in the REST API)
 * - The entity tag is that of the page, and a known one is answered with 304. (Best practices, "Use conditional requests")
 * - Drafts are listed only for someone with push access. (Same page as the list)
 * - `x-ratelimit-remaining` is 0 when no request is allowed before `x-ratelimit-reset`, in seconds since the epoch; the status is then 403 or
 *   429. (Rate limits for the REST API)
 * - An asset has `browser_download_url`, and `url`, which sends the file to a request that accepts `application/octet-stream`.
 *   (REST API endpoints for release assets)
 * - A repository that does not exist, or that the token may not read, is 404 with `{"message":"Not Found"}`.
 */
import { createHash } from 'node:crypto';
import type { Answer } from './network.ts';

/** A file of a release. */
interface Asset {
  readonly name: string;
  readonly state?: string;
  readonly size?: number;
  readonly digest?: string | null | undefined;
  readonly url?: string;
  readonly browser_download_url?: string;
}

interface GithubRelease {
  readonly tag_name: string;
  readonly draft?: boolean;
  readonly prerelease?: boolean;
  readonly published_at?: string;
  readonly assets?: readonly Asset[];
}

/** A repository with these releases, at the path `/repos/acme/lidar` below any address. */
export function githubRepository(...releases: readonly GithubRelease[]): Answer {
  return ({ url, headers }) => {
    const { pathname, searchParams, origin } = new URL(url);
    if (!pathname.endsWith('/repos/acme/lidar/releases')) {
      return Response.json({ message: 'Not Found' }, { status: 404 });
    }
    const count = Math.min(Number(searchParams.get('per_page') ?? 30), 100);
    const page = Number(searchParams.get('page') ?? 1);
    const listed = releases.slice((page - 1) * count, page * count).map((one) => complete(one));
    const etag = `W/"${createHash('sha256').update(JSON.stringify(listed)).digest('hex')}"`;
    if (headers.get('if-none-match') === etag) {
      return new Response(null, { status: 304, headers: { etag } });
    }
    const next = `<${origin}${pathname}?per_page=${count}&page=${page + 1}>; rel="next"`;
    const link: [string, string][] = releases.length > page * count ? [['link', next]] : [];
    return Response.json(listed, { headers: [['etag', etag], ...link] });
  };
}

/** A release with the fields that the API always sends. */
function complete({ assets = [], ...release }: GithubRelease): object {
  return {
    draft: false,
    prerelease: false,
    published_at: '2026-07-01T00:00:00Z',
    assets: assets.map((asset) => ({ state: 'uploaded', size: 7, digest: null, ...asset })),
    ...release,
  };
}

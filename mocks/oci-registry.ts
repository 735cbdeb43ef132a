/*
 * Stands in for a registry of container images. (OCI Distribution Specification 1.1, "Content Discovery" and "Error Codes")
 *
 * - `GET /v2/<name>/tags/list` has the tags of a repository in lexical order, whatever their case.
 * - With `?n=<number>` it has so many, and `&last=<tag>` those after a tag. While there are more, a `Link` header (RFC 5988) with
 *   `rel="next"` is the address of the next page.
 * - A repository that it does not have is 404 with the code NAME_UNKNOWN.
 */
import type { Answer } from './network.ts';

/** A registry with the tags of these repositories. */
export function ociRegistry(repositories: Readonly<Record<string, readonly string[]>>): Answer {
  return ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    const [, name = ''] = /^\/v2\/(.+)\/tags\/list$/.exec(pathname) ?? [];
    const tags = Object.hasOwn(repositories, name) ? repositories[name] : undefined;
    if (!tags) {
      const error = { code: 'NAME_UNKNOWN', message: 'repository name not known to registry' };
      return Response.json({ errors: [error] }, { status: 404 });
    }
    const last = searchParams.get('last')?.toLowerCase() ?? '';
    const left = tags
      .filter((tag) => tag.toLowerCase() > last)
      .toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));
    const count = Number(searchParams.get('n') ?? left.length);
    const page = left.slice(0, count);
    const next = `<${pathname}?n=${count}&last=${page.at(-1)}>; rel="next"`;
    const isLast = page.length === 0 || left.length <= count;
    return Response.json({ name, tags: page }, { headers: isLast ? [] : [['link', next]] });
  };
}

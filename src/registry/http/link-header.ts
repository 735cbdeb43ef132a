const LINK = /<([^<>]*)>((?:[^",]|"(?:[^"\\]|\\.)*")*)/g;
const PARAMETER = /;\s*([^\s=;,"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))/g;

/** The target of the link with the relation `next` in a `Link` header; undefined if there is none. (RFC 8288) */
export function nextLink(header: string | null): string | undefined {
  for (const [, target, parameters = ''] of (header ?? '').matchAll(LINK)) {
    for (const [, name = '', quoted, bare = ''] of parameters.matchAll(PARAMETER)) {
      const relations = (quoted ?? bare).toLowerCase().split(/\s+/);
      if (name.toLowerCase() === 'rel' && relations.includes('next')) return target;
    }
  }
  return undefined;
}

/** Whether a `Link` header has something besides links: a link may be hidden in it. */
export function hasUnreadableLink(header: string | null): boolean {
  return /[^\s,]/.test((header ?? '').replaceAll(LINK, ''));
}

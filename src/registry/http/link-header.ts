/** The target of the link with the relation `next` in a `Link` header; undefined without one. (RFC 8288) */
export function nextLink(header: string | null): string | undefined {
  if (header === null) return undefined;
  for (const [, target, parameters = ''] of header.matchAll(/<([^<>]*)>([^<>]*)/g)) {
    if (/;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\b)/i.test(parameters)) return target;
  }
  return undefined;
}

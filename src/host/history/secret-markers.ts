// Each always matches where it begins, so a text takes time in proportion to its length (T287).
/** What follows the scheme of an address in a text, up to white space or a quotation mark. */
const ADDRESS = /:\/\/[^\s"'<>]*/g;
/** Text up to an `@`, if there is one. */
const WORDS = /[^\s/@"']+@?/g;
/** A fragment that only names the digest of a download. */
const DIGEST = /^#sha(256|512)=[0-9a-f]*$/i;

/**
 * Returns a function that copies a JSON value and replaces what may be secret in its texts by numbered markers: user
 * info, query strings and fragments of addresses. Equal secrets have equal markers, so a decision that compares
 * addresses stays the same.
 */
export function secretMarkers(): (value: unknown) => unknown {
  const markers = new Map<string, string>();
  const mark = (secret: string): string => {
    const marker = markers.get(secret) ?? `secret-${markers.size + 1}`;
    markers.set(secret, marker);
    return marker;
  };
  const inText = (text: string): string =>
    text
      .replace(ADDRESS, (address) => inAddress(address, mark))
      .replace(WORDS, (found) => withoutPassword(found, mark));
  const copy = (value: unknown): unknown => {
    if (typeof value === 'string') return inText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(copy);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copy(one)]));
  };
  return copy;
}

function inAddress(address: string, mark: (secret: string) => string): string {
  const [, authority = '', path = '', query = '', fragment = ''] =
    /^:\/\/([^/?#]*)(\/[^?#]*)?(\?[^#]*)?(#.*)?$/s.exec(address) ?? [];
  const at = authority.lastIndexOf('@');
  const user = at === -1 ? '' : `${mark(authority.slice(0, at))}@`;
  const search = query.length > 1 ? `?${mark(query.slice(1))}` : query;
  const isSecret = fragment.length > 1 && !DIGEST.test(fragment);
  const end = isSecret ? `#${mark(fragment.slice(1))}` : fragment;
  return `://${user}${authority.slice(at + 1)}${path}${search}${end}`;
}

/** Words before an `@` that contain a colon, without a scheme, are secret: `user:password@host`. */
function withoutPassword(found: string, mark: (secret: string) => string): string {
  const start = found.search(/[^:]/);
  const secret = found.slice(start, -1);
  const colon = secret.indexOf(':');
  const isSecret = found.endsWith('@') && colon > 0 && colon < secret.length - 1;
  if (!isSecret || secret.startsWith('secret-')) return found;
  return `${found.slice(0, start)}${mark(secret)}@`;
}

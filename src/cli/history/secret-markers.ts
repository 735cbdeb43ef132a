/** An address in a text, up to white space or a quotation mark. */
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]*/gi;
/** Words before an `@` that contain a colon, without a scheme: `user:password@host`. */
const CREDENTIALS = /[^\s/@:"']+:[^\s/@"']+(?=@)/g;
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
      .replace(CREDENTIALS, (found) => (found.startsWith('secret-') ? found : mark(found)));
  const copy = (value: unknown): unknown => {
    if (typeof value === 'string') return inText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(copy);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copy(one)]));
  };
  return copy;
}

function inAddress(address: string, mark: (secret: string) => string): string {
  const [, start = '', rest = ''] = /^([^:]*:\/\/)(.*)$/s.exec(address) ?? [];
  const [, authority = '', path = '', query = '', fragment = ''] =
    /^([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(rest) ?? [];
  const at = authority.lastIndexOf('@');
  const user = at === -1 ? '' : `${mark(authority.slice(0, at))}@`;
  const search = query.length > 1 ? `?${mark(query.slice(1))}` : query;
  const isSecret = fragment.length > 1 && !DIGEST.test(fragment);
  const end = isSecret ? `#${mark(fragment.slice(1))}` : fragment;
  return `${start}${user}${authority.slice(at + 1)}${path}${search}${end}`;
}

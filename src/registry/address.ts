import { quote } from '../core/text/quote.ts';
import type { Result } from '../core/text/result.ts';
import { readWebAddress, type AddressComplaint } from '../core/text/web-address.ts';

/** Where release lists come from, and in which format. */
export type RegistryAddress =
  WebRegistryAddress | { readonly kind: 'folder' | 'database'; readonly path: string };

export interface WebRegistryAddress {
  readonly kind: 'modreg' | 'npm' | 'oci';
  readonly url: URL;
}

/**
 * Reads `https://host/…`, `npm:https://host`, `oci:https://host`, the path of a `.db` file, or else
 * of a folder. What has a scheme is never taken for a path: `./` before it makes it one.
 */
export function parseRegistryAddress(text: string): Result<RegistryAddress, AddressComplaint> {
  if (text === '') return { ok: false, error: 'it is empty' };
  if (/\p{Cc}/u.test(text)) return { ok: false, error: 'it holds a control character' };
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? [];
  // What looks like an address and is none was not meant as a folder.
  if (scheme === undefined && /^\/\/|:\/\/|^\s*https?/i.test(text)) {
    return {
      ok: false,
      error: 'expected https:, npm: or oci: at its beginning, or ./ for a folder',
    };
  }
  if (scheme === undefined) {
    return { ok: true, value: { kind: text.endsWith('.db') ? 'database' : 'folder', path: text } };
  }
  const kind = scheme === 'npm' || scheme === 'oci' ? scheme : 'modreg';
  if (kind === 'modreg' && !/^https?$/i.test(scheme)) {
    return { ok: false, error: `${quote(`${scheme}:`)} is not https:, npm: or oci:` };
  }
  const url = readWebAddress(kind === 'modreg' ? text : text.slice(scheme.length + 1));
  return url.ok ? { ok: true, value: { kind, url: url.value } } : url;
}

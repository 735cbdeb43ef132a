import { quote } from '../core/text/quote.ts';
import type { Result } from '../core/text/result.ts';
import { readWebAddress } from '../core/text/web-address.ts';

/** The address of release lists: a registry over the network, a folder, or the `.db` file of a catalogue. */
export type RegistryAddress =
  | WebRegistryAddress
  | {
      /** A folder of release lists, or the file of a `Catalogue`. */
      readonly kind: 'folder' | 'database';
      /** As written: absolute, or relative to a folder that the caller selects. */
      readonly path: string;
    };

/** The address of a registry over the network. */
export interface WebRegistryAddress {
  /** The protocol: modreg, npm or OCI distribution. */
  readonly kind: 'modreg' | 'npm' | 'oci';
  /** An http: or https: address, without user info. */
  readonly url: URL;
}

/**
 * Parses the address of a registry: `https://host/…`, `npm:https://host`, `oci:https://host`, the path of a
 * `.db` file, or the path of a folder. Text with a scheme is not a path unless `./` precedes it. The error is one
 * line for a person. It repeats no more than the scheme, because the text may contain a password.
 */
export function parseRegistryAddress(text: string): Result<RegistryAddress, string> {
  if (text === '') return { ok: false, error: 'it is empty' };
  if (/\p{Cc}/u.test(text)) return { ok: false, error: 'it contains a control character' };
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? [];
  // Text that resembles an address without a scheme is not accepted as a folder.
  if (scheme === undefined && /^\/\/|:\/\/|^\s*https?/i.test(text)) {
    return { ok: false, error: 'expected https:, npm: or oci: at the start, or ./ for a folder' };
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

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
  /** The protocol: modreg, npm, OCI distribution, or the releases of a repository on GitHub. */
  readonly kind: 'modreg' | 'npm' | 'oci' | 'github';
  /** An http: or https: address, without user info. For `github`, that of the repository in the API. */
  readonly url: URL;
  /** Present if the settings of npm name the registry of each scope, `npm:`; `url` is then that of the rest. */
  readonly isByScope?: true;
}

/** The registry of npm itself. */
export const NPM = 'https://registry.npmjs.org/';

/**
 * Parses the address of a registry: `https://host/…`, `npm:https://host`, `npm:`, `oci:https://host`, `github:owner/name`, the path of a
 * `.db` file, or the path of a folder. Text with a scheme is not a path unless `./` precedes it. The error is one
 * line for a person. It repeats no more than the scheme, because the text may contain a password.
 */
export function parseRegistryAddress(text: string): Result<RegistryAddress, string> {
  if (text === '') return { ok: false, error: 'it is empty' };
  if (/\p{Cc}/u.test(text)) return { ok: false, error: 'it contains a control character' };
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? [];
  // Text that resembles an address without a scheme is not accepted as a folder.
  if (scheme === undefined && /^\/\/|:\/\/|^\s*https?/i.test(text)) {
    return {
      ok: false,
      error: 'expected https:, npm:, oci: or github: at the start, or ./ for a folder',
    };
  }
  if (scheme === undefined) {
    return { ok: true, value: { kind: text.endsWith('.db') ? 'database' : 'folder', path: text } };
  }
  const rest = text.slice(scheme.length + 1);
  if (scheme === 'github') return githubAddress(rest);
  if (text === 'npm:') {
    return { ok: true, value: { kind: 'npm', url: new URL(NPM), isByScope: true } };
  }
  const kind = scheme === 'npm' || scheme === 'oci' ? scheme : 'modreg';
  if (kind === 'modreg' && !/^https?$/i.test(scheme)) {
    return { ok: false, error: `${quote(`${scheme}:`)} is not https:, npm:, oci: or github:` };
  }
  const url = readWebAddress(kind === 'modreg' ? text : rest);
  return url.ok ? { ok: true, value: { kind, url: url.value } } : url;
}

/** `owner/name`, after the address of an API if it is not that of github.com, and before `#` and a pattern. */
const REPOSITORY =
  /^(?:(https?:\/\/.+?)(?:\/repos)?\/)?([\w-]{1,39}\/(?!\.\.?(?:[/#]|$))[\w.-]{1,100})\/?(#.+)?$/i;
const GITHUB = 'https://api.github.com';

function githubAddress(text: string): Result<RegistryAddress, string> {
  const [, api = GITHUB, repository, pattern = ''] = REPOSITORY.exec(text) ?? [];
  if (repository === undefined) {
    const error = 'expected github:owner/name, or github:https://host/api/v3/owner/name';
    return { ok: false, error };
  }
  const base = /^https:\/\/(?:www\.)?github\.com$/i.test(api) ? GITHUB : api;
  const url = readWebAddress(`${base}/repos/${repository}${pattern}`);
  return url.ok ? { ok: true, value: { kind: 'github', url: url.value } } : url;
}

/** The address of a registry over the network as a person writes it, without a final slash, and not escaped. */
export function writtenAddress({ kind, url }: WebRegistryAddress): string {
  const shown = `${url.origin}${url.pathname}`.replace(/\/$/, '');
  if (kind === 'modreg') return shown;
  if (kind !== 'github') return `${kind}:${shown}`;
  const short = shown.startsWith(`${GITHUB}/repos/`) ? shown.slice(GITHUB.length + 7) : shown;
  return `${kind}:${short}${decodeURIComponent(url.hash)}`;
}

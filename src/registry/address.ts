import type { Result } from '../core/index.ts';
import { quote } from '../core/quote.ts';
import { folderRegistry } from './folder-registry.ts';
import { RegistryError } from './registry-error.ts';
import type { Registry } from './registry.ts';

const HINT =
  'name a folder that holds <namespace>/<name>.json, with ./ before a name with a colon, or a .db file';

/**
 * The registry at `address`, which names a folder; other kinds of address are `bad-address`.
 * `clock` gives milliseconds since the epoch.
 */
export function registryAt(address: string, clock: () => number): Result<Registry, RegistryError> {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(address) ?? [];
  if (address !== '' && scheme === undefined) {
    return { ok: true, value: folderRegistry(address, clock) };
  }
  // An address may hold a password, so no more of it than its scheme is repeated.
  const message =
    scheme === undefined
      ? 'the registry address is empty'
      : `a registry at a ${quote(`${scheme}:`)} address cannot be read`;
  return { ok: false, error: new RegistryError('bad-address', message, { hint: HINT }) };
}

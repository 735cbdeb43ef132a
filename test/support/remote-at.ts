import { parseRegistryAddress } from '../../src/registry/address.ts';
import { httpRegistry, type HttpRegistryOptions } from '../../src/registry/http-registry.ts';
import type { RemoteRegistry } from '../../src/registry/remote-registry.ts';

/** A client of the registry at the web address `address`. */
export function remoteAt(address: string, options: HttpRegistryOptions = {}): RemoteRegistry {
  const parsed = parseRegistryAddress(address);
  if (!parsed.ok || !('url' in parsed.value)) throw new Error(`${address} is not a web address`);
  const remote = httpRegistry(parsed.value, options);
  if (!remote.ok) throw remote.error;
  return remote.value;
}

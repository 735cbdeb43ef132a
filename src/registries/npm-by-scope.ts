import type { ModuleId, Result } from '../core/index.ts';
import { namespaceOf } from '../core/releases/module-id.ts';
import { readWebAddress } from '../core/text/web-address.ts';
import { NPM, type WebRegistryAddress } from '../registry/address.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { RemoteRegistry } from '../registry/remote-registry.ts';

/**
 * The registries of the scopes, `npm:`. `registryOf` returns the address that the settings of npm name for a scope, or for all others if the
 * text is empty; registry.npmjs.org is that of the rest. It throws a RegistryError if they name one that is not known.
 */
export function npmByScope(
  registryOf: (scope: string) => string | undefined,
  remoteAt: (address: WebRegistryAddress) => Result<RemoteRegistry, RegistryError>,
): RemoteRegistry {
  const remotes = new Map<string, RemoteRegistry>();
  const addressFor = (moduleId: ModuleId | undefined): WebRegistryAddress => {
    const namespace = moduleId && namespaceOf(moduleId);
    const scope = namespace === undefined || namespace === 'npm' ? '' : `@${namespace}`;
    const url = readWebAddress(registryOf(scope) ?? registryOf('') ?? NPM);
    if (url.ok) return { kind: 'npm', url: url.value };
    const message = `the settings of npm name a registry that cannot be used: ${url.error}`;
    throw new RegistryError('bad-address', message);
  };
  const remoteFor = (moduleId: ModuleId): RemoteRegistry => {
    const address = addressFor(moduleId);
    const remote = remotes.get(address.url.href) ?? openAt(address);
    remotes.set(address.url.href, remote);
    return remote;
  };
  const openAt = (address: WebRegistryAddress): RemoteRegistry => {
    const remote = remoteAt(address);
    if (!remote.ok) throw remote.error;
    return remote.value;
  };
  return {
    address: 'npm:',
    from: 'npm:',
    addressFor,
    fetch: async (moduleId, ...rest) => await remoteFor(moduleId).fetch(moduleId, ...rest),
  };
}

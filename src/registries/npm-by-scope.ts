import type { ModuleId, Result } from '../core/index.ts';
import { namespaceOf } from '../core/releases/module-id.ts';
import { readWebAddress } from '../core/text/web-address.ts';
import { NPM, type WebRegistryAddress } from '../registry/address.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { RemoteRegistry } from '../registry/remote-registry.ts';

/**
 * The registries of the scopes, `npm:`. `registryOf` returns the address that the settings of npm name for a scope, or for all others if the
 * text is empty; registry.npmjs.org is that of the rest.
 */
export function npmByScope(
  registryOf: (scope: string) => string | undefined,
  remoteAt: (address: WebRegistryAddress) => Result<RemoteRegistry, RegistryError>,
): RemoteRegistry {
  const remotes = new Map<string, RemoteRegistry>();
  const remoteFor = (moduleId: ModuleId): RemoteRegistry => {
    const scope = namespaceOf(moduleId) === 'npm' ? '' : `@${namespaceOf(moduleId)}`;
    const named = registryOf(scope) ?? registryOf('') ?? NPM;
    const remote = remotes.get(named) ?? openAt(named);
    remotes.set(named, remote);
    return remote;
  };
  const openAt = (named: string): RemoteRegistry => {
    const url = readWebAddress(named);
    if (!url.ok) {
      const message = `the settings of npm name a registry that cannot be used: ${url.error}`;
      throw new RegistryError('bad-address', message);
    }
    const remote = remoteAt({ kind: 'npm', url: url.value });
    if (!remote.ok) throw remote.error;
    return remote.value;
  };
  return {
    address: 'npm:',
    from: 'npm:',
    fetch: async (moduleId, ...rest) => await remoteFor(moduleId).fetch(moduleId, ...rest),
  };
}

import type { ModuleId } from '../../core/index.ts';
import { nameOf, namespaceOf } from '../../core/releases/module-id.ts';
import { RegistryError } from '../registry-error.ts';

/** The syntax of repository names. (OCI Distribution 1.1, "Pulling manifests") */
const REPOSITORY = /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$/;

/** The repository of a module. */
export interface Repository {
  /** Where the API is, with a final slash. */
  readonly api: URL;
  /** Its name in that API. */
  readonly name: string;
  readonly moduleId: ModuleId;
}

/**
 * Where the repository of a module may be, in the order to ask: the path of `base` is mostly a prefix of its name, and in some
 * registries, it is that of the API. Throws a RegistryError if the module cannot have one.
 */
export function repositoriesOf(
  base: URL,
  moduleId: ModuleId,
  where: string,
): readonly [Repository, ...Repository[]] {
  const own = `${namespaceOf(moduleId)}/${nameOf(moduleId)}`;
  const name = `${base.pathname.slice(1)}${own}`;
  if (!REPOSITORY.test(name)) {
    const message = `${where} cannot have a module ${moduleId}: a repository name has lower-case letters and digits, with single separators between them`;
    throw new RegistryError('unknown-module', message);
  }
  const first = { api: new URL('/v2/', base), name, moduleId };
  return base.pathname === '/'
    ? [first]
    : [first, { api: new URL('v2/', base), name: own, moduleId }];
}

/** The address of something in a repository. */
export function repositoryUrl({ api, name }: Repository, path: string): URL {
  return new URL(`${name}/${path}`, api);
}

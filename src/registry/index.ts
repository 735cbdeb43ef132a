export type { ModuleId, ReleaseRecord, Result } from '../core/index.ts';
export { parseRegistryAddress, type RegistryAddress } from './address.ts';
export { secret, type Secret } from '../core/text/secret.ts';
export { acceptList, type Acceptance } from './acceptance.ts';
export { cachedRegistry, type CachedRegistry, type CacheOptions } from './cached-registry.ts';
export type { ChangeWait } from './await-change.ts';
export { systemClock, systemRandom, type Clock } from './clock.ts';
export { folderRegistry } from './folder-registry.ts';
export { httpRegistry, type HttpRegistryOptions } from './http-registry.ts';
export {
  openRegistries,
  type OpenRegistries,
  type OpenRegistriesOptions,
  type OpenRegistry,
  type RegistryTerms,
} from './open-registries.ts';
export type { Limits } from './http/limits.ts';
export type { KnownDigest } from './known-digests.ts';
export { moduleListOf, moduleListsOf } from './module-list.ts';
export { RegistryError, type RegistryErrorKind } from './registry-error.ts';
export type { ListResult, Registry, ReleaseList } from './registry.ts';
export type {
  FetchedList,
  RemoteChanges,
  RemoteRegistry,
  RequestContext,
} from './remote-registry.ts';
export { SavedListsError, type SavedList, type SavedLists } from './saved-lists.ts';

export { parseRegistryAddress, type RegistryAddress, type WebRegistryAddress } from './address.ts';
export { acceptList, type Acceptance, type AcceptOptions } from './acceptance.ts';
export { cachedRegistry, type CachedRegistry, type CacheOptions } from './cached-registry.ts';
export type { ChangeWait } from './await-change.ts';
export { systemClock, type Clock } from './clock.ts';
export type { DecodedList } from './formats/decoded-list.ts';
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
export { RegistryError, type RegistryErrorKind } from './registry-error.ts';
export type { ListResult, Registry, ReleaseList } from './registry.ts';
export type {
  FetchedList,
  RemoteChanges,
  RemoteRegistry,
  RequestContext,
} from './remote-registry.ts';
export { SavedListsError, type SavedList, type SavedLists } from './saved-lists.ts';

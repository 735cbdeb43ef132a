export {
  openRegistries,
  type OpenRegistries,
  type OpenRegistriesOptions,
  type OpenRegistry,
} from './open-registries.ts';
export type { PollableRegistry } from './pollable-registry.ts';
export type { CachedRegistry, ListResult, Registry, ReleaseList } from './registry.ts';
export { RegistryError } from './registry-error.ts';
export { SavedListsError, type SavedList, type SavedLists } from './saved-lists.ts';
export type { Limits } from './http/limits.ts';
export { systemClock, type Clock } from './clock.ts';

export { cached } from '../registry/own-registry.ts';
export {
  openRegistries,
  type OpenRegistries,
  type OpenRegistriesOptions,
  type OpenRegistry,
} from './open-registries.ts';
export type { PollableRegistry } from '../registry/pollable-registry.ts';
export type { CachedRegistry, ListResult, Registry, ReleaseList } from '../registry/registry.ts';
export { RegistryError } from '../registry/registry-error.ts';
export { SavedListsError, type SavedList, type SavedLists } from '../registry/saved-lists.ts';
export type { Limits } from '../registry/http/limits.ts';
export { systemClock, type Clock } from '../registry/clock.ts';
export { satisfiesRange } from '../registry/npm-range.ts';

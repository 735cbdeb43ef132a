export { DatabaseError, type DatabaseErrorKind } from '../sqlite/database-error.ts';
export { registryApp } from './app.ts';
export type {
  CatalogueFileOptions,
  Changes,
  ModuleSummary,
  PublishResult,
  YankResult,
} from './catalogue-results.ts';
export { Catalogue } from './catalogue.ts';
export { changeFeed, type ChangeFeed } from './change-feed.ts';
export {
  readRelease,
  type PublishedArtifact,
  type PublishedRelease,
  type ReleaseErrors,
} from './published-release.ts';
export type { ModuleDocument } from './module-document.ts';
export type { RegistryEvent, ServeOptions } from './registry-options.ts';
export { serveRegistry, type RunningRegistry } from './serve.ts';

export type { ModuleId, Result } from '../core/index.ts';
export { DatabaseError, type DatabaseErrorKind } from '../sqlite/database-error.ts';
export { registryApp } from './app.ts';
export {
  Catalogue,
  type Changes,
  type ModuleSummary,
  type PublishResult,
  type YankResult,
} from './catalogue.ts';
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

export type { PublishResult } from './catalogue-results.ts';
export { Catalogue } from './catalogue.ts';
export { readRelease, type PublishedRelease } from './published-release.ts';
export type { ServeOptions } from './registry-options.ts';
export { serveRegistry, type RunningRegistry } from './serve.ts';

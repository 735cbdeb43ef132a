export type { PublishResult } from './catalogue/catalogue-results.ts';
export { Catalogue } from './catalogue/catalogue.ts';
export { readRelease, type PublishedRelease } from './catalogue/published-release.ts';
export type { ServeOptions } from './registry-options.ts';
export { serveRegistry, type RunningRegistry } from './serve.ts';

import type { Catalogue } from './catalogue.ts';
import type { CatalogueChange, ChangeKind, ChangeResults } from './catalogue-change.ts';

/** Makes a change, and resolves with its result once it is durable. `by` says who makes it; a cluster does not keep it. */
export type WriteChange = <K extends ChangeKind>(
  change: CatalogueChange<K>,
  by?: string,
) => Promise<ChangeResults[K]>;

/** A cluster has no leader, or takes too long. The change may have been made or not. */
export class ChangeUnavailable extends Error {
  override readonly name = 'ChangeUnavailable';
}

/** A front of the cluster could not read the change, so nothing was changed (D205). The message says which, and what to do. */
export class OlderFrontError extends Error {
  override readonly name = 'OlderFrontError';
}

/** An event of the cluster cannot be so large, so nothing was changed. */
export class TooLargeChange extends Error {
  override readonly name = 'TooLargeChange';
}

/** Makes changes in the catalogue of a single server. */
export function writeTo(catalogue: Catalogue): WriteChange {
  return async (change, by) => await Promise.resolve(catalogue.apply(change, by));
}

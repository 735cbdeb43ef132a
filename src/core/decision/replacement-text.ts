import type { Release } from '../releases/release.ts';
import type { Replacement } from './decision.ts';

/** What an action deploys in place of a version, if it restarts a local module. */
export const LOCAL = 'local';

/** The new version, or the download address; `local` for a restart of a local module. */
export function replacementText({ to }: Replacement): string {
  if ('isLocal' in to) return LOCAL;
  return 'url' in to ? to.url : to.version.text;
}

/** The release of a replacement; undefined if it is of an address, or restarts a local module. */
export function releaseOf({ to }: Replacement): Release | undefined {
  return 'url' in to || 'isLocal' in to ? undefined : to;
}

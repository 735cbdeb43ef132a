import type { ModuleId } from '../core/index.ts';

/** What the HTTP API needs besides its catalogue. */
export interface ServeOptions {
  /** The time in milliseconds since the epoch: `Date.now`. Releases without a publish time get it. */
  readonly clock: () => number;
  /** Clients wait for a random time up to this before they fetch a change, in milliseconds. */
  readonly spreadMs: number;
  /** Called after each change, and for each error that ended a request. It must not throw. */
  readonly log?:
    | ((
        event:
          | {
              /** What was done to the release. */
              readonly kind: 'published' | 'yanked' | 'unyanked';
              /** The module of the release. */
              readonly moduleId: ModuleId;
              /** The version as published. */
              readonly version: string;
            }
          | {
              readonly kind: 'failed';
              /** What was thrown, a DatabaseError for instance. Its client got no details. */
              readonly error: unknown;
            },
      ) => void)
    | undefined;
}

/** A change of the catalogue by a request, or an error that ended a request. */
export type RegistryEvent = Parameters<NonNullable<ServeOptions['log']>>[0];

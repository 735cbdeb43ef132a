import type { ModuleId } from '../core/index.ts';

/** Options of the HTTP API. */
export interface ServeOptions {
  /** Returns the time in milliseconds since the epoch, such as `Date.now`: the default publish time. */
  readonly clock: () => number;
  /** Clients wait a random time up to this before they fetch a change, in milliseconds. */
  readonly spreadMs: number;
  /** Called after each change, and for each error that ended a request. It must not throw. */
  readonly log?:
    | ((
        event:
          | {
              /** What happened to the release. */
              readonly kind: 'published' | 'yanked' | 'unyanked';
              /** The module of the release. */
              readonly moduleId: ModuleId;
              /** The version as published. */
              readonly version: string;
            }
          | {
              readonly kind: 'failed';
              /** The thrown error, such as a DatabaseError. The client received no details. */
              readonly error: unknown;
            },
      ) => void)
    | undefined;
}

/** A change to the catalogue by a request, or an error that ended a request. */
export type RegistryEvent = Parameters<NonNullable<ServeOptions['log']>>[0];

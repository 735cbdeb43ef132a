import type { HostNames } from './host-names.ts';
import type { PageFile } from './page-file.ts';

/** Who may use a page, and under which names. */
export interface AccessOptions {
  readonly file: PageFile;
  readonly names: HostNames;
  readonly isTls: boolean;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly onEvent?: ((event: AccessEvent) => void) | undefined;
}

/** The page for signing in as HTML. `problem` says why the last code was not accepted. */
export type SignInView = (problem: string | undefined) => string | Promise<string>;

/** What happened, for a log. */
export type AccessEvent = 'signed-in' | 'signed-out' | 'code-refused';

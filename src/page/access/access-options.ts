import type { Context, Hono } from 'hono';
import type { CatalogueAccounts } from '../../server/accounts/catalogue-accounts.ts';
import type { HostNames } from './host-names.ts';
import type { PageFile } from './page-file.ts';

/** How messages name a page. */
export interface PageNaming {
  /** The command that serves it, such as `modreg page`. */
  readonly command: string;
}

/** The page of a machine. */
export const MACHINE_PAGE: PageNaming = { command: 'modreg page' };

/** Who may use a page, and under which names. */
export interface AccessOptions {
  readonly naming: PageNaming;
  readonly file: PageFile;
  readonly names: HostNames;
  readonly isTls: boolean;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Whose names and passwords are accepted besides codes; undefined for a page that has none. */
  readonly accounts?: PageAccounts | undefined;
  /** `account` is the name of the one that signed in or out; undefined for a code. */
  readonly onEvent?: ((event: AccessEvent, account?: string) => void) | undefined;
}

/** The accounts of a page. */
type PageAccounts = Pick<CatalogueAccounts, 'all' | 'withPassword' | 'roleOf'>;

/** Those who see one page without signing in. */
export interface Guests {
  /** The page. */
  readonly path: string;
  /** Where they say who they are. */
  readonly entrance: string;
  /** Adds the routes of the entrance, which need no session. */
  readonly addEntrance: (app: Hono, options: AccessOptions) => void;
  /** Whether the request for the page is that of a guest. */
  readonly isGuest: (c: Context) => boolean;
}

/** The page for signing in as HTML. */
export type SignInView = (shown: SignInAttempt) => string | Promise<string>;

interface SignInAttempt {
  /** Why the last code was not accepted. */
  readonly problem?: string;
  /** The path of the page that is shown afterwards. */
  readonly to: string;
  /** Whether a name and a password are accepted, too. */
  readonly hasAccounts: boolean;
}

/** What happened, for a log. */
export type AccessEvent =
  'signed-in' | 'signed-out' | 'code-refused' | 'password-refused' | 'wall-opened';

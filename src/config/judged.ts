import type { UpdatePolicy } from '../core/machine/update-policy.ts';
import type { Environment } from './fields/environment-reference.ts';
import type { Finding } from './fault.ts';

/** What a document is judged with, besides itself. */
export interface CheckContext {
  /**
   * What it says of secrets and addresses counts; without it, what a site without a policy gets. Where
   * there is one and nobody can read it, nothing is judged that it may allow.
   */
  readonly policy?: UpdatePolicy | 'unreadable' | undefined;
  /** Where the variables that a module's `env` reads must be set; without it they are not looked up. */
  readonly environment?: Environment | undefined;
  /** The mode of the file, where it is one: no secret may stand where others can read it. */
  readonly mode?: number | undefined;
}

/** What the values of a document come to. */
export interface Judged<T> {
  /** Undefined when the schema does not allow the document. */
  readonly output: T | undefined;
  readonly findings: readonly Finding[];
  /** How many module entries were looked at. */
  readonly modules: number;
}

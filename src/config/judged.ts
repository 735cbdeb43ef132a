import type { UpdatePolicy } from '../core/machine/update-policy.ts';
import type { Finding } from './fault.ts';

/** What a document is validated against, besides its own rules. */
export interface CheckContext {
  /**
   * The policy whose `allow_http` and `env_allow` apply; `DEFAULT_POLICY` without one. With `'unreadable'`, for
   * a policy that exists and has errors, nothing that a policy could allow is reported.
   */
  readonly policy?: UpdatePolicy | 'unreadable' | undefined;
  /** The variables that a module's `env` may read; without it, unset variables are not reported. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** The mode bits of the document's file (`statSync(path).mode`); without it, `permissions` is not reported. */
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

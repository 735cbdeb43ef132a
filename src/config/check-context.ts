import type { UpdatePolicy } from '../core/machine/update-policy.ts';
import type { Finding } from './fault.ts';

/** What a check considers besides the document itself. */
export interface CheckContext {
  /**
   * The policy whose `allow_http` and `env_allow` apply; `DEFAULT_POLICY` by default. Pass `'unreadable'` for a
   * policy that exists but has errors: then nothing that a policy could allow is reported.
   */
  readonly policy?: UpdatePolicy | 'unreadable' | undefined;
  /** The variables that a module's `env` may read; without it, unset variables are not reported. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** The mode bits of the document's file (`statSync(path).mode`); without it, `permissions` is not reported. */
  readonly mode?: number | undefined;
  /**
   * What an unknown field of a policy or an agent configuration is: by default an error. With `warn` it is a warning, the document is
   * read without it, and a plan from what was read holds every replacement; what is deployed can be started. So is a field of a machine
   * config that is nearly `modules`, if that is missing: do not end the modules of a machine that was read without it.
   */
  readonly unknownFields?: 'error' | 'warn' | undefined;
  /** The time, in milliseconds since the epoch; without it, neither blackouts that hold nothing nor releases without signatures are reported. */
  readonly now?: number | undefined;
}

/** The result of checking the values of a document. */
export interface Checked<T> {
  /** The value of the document; undefined when its schema does not allow it. */
  readonly output: T | undefined;
  readonly findings: readonly Finding[];
  /** The number of module entries in the document. */
  readonly modules: number;
}

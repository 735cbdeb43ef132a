import type { ModuleId } from '../core/index.ts';

/** @internal Release lists that a front does not answer. */
export interface Withheld {
  /** Why, and what to do about it. */
  readonly message: string;
  /** The modules; undefined: all. */
  readonly modules: ReadonlySet<ModuleId> | undefined;
}

import type { ModuleEntry } from '../core/machine/machine.ts';
import type { SupervisedModule } from './supervised-module.ts';

/** A module entry of the config, and its module. */
export interface Supervised {
  entry: ModuleEntry;
  /** How it is run, as the config and the policy say now. */
  setup: string;
  /** What of the configuration reached its program when that was started last; undefined if it was not. */
  started: string | undefined;
  /** The entries that left the config when this one was added: it may be in the place of one of them (D84). */
  readonly after: ReadonlySet<string>;
  readonly module: SupervisedModule;
}

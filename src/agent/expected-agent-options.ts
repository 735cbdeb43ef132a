import {
  ANYTHING,
  expectMembers,
  FUNCTION,
  OBJECT,
  optional,
  TEXT,
  type Expected,
} from '../core/text/argument.ts';
import { expectSpelling } from '../core/text/spelling.ts';
import type { AgentOptions } from './agent-options.ts';

/** The options that the poller has as well are checked there. */
const OPTIONS: Readonly<Record<keyof AgentOptions, Expected>> = {
  file: ANYTHING,
  configuration: FUNCTION,
  registryFor: ANYTHING,
  platform: ANYTHING,
  systemTags: ANYTHING,
  home: TEXT,
  environment: OBJECT,
  secretOf: optional(FUNCTION),
  machineId: ANYTHING,
  group: ANYTHING,
  intervalMs: ANYTHING,
  fetch: optional(FUNCTION),
  system: optional(OBJECT),
  launched: optional(OBJECT),
  clock: ANYTHING,
  random: ANYTHING,
  onEvent: optional(FUNCTION),
  onLine: optional(FUNCTION),
};

/** Throws a TypeError unless the options of an `Agent`, which no compiler checked, have their names and types. */
export function expectAgentOptions(options: AgentOptions): void {
  expectMembers('new Agent()', 'options', options, OPTIONS);
  expectSpelling('new Agent()', 'options', options, OPTIONS);
}

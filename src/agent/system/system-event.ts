import type { AgentEvent } from '../event.ts';

/** An event about the settings of the system, for a log. */
export type SystemEvent = Extract<
  AgentEvent,
  { readonly kind: 'system-file' | 'system-trouble' | 'network' }
>;

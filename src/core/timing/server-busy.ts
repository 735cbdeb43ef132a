import type { TimingPolicy } from './timing-policy.ts';

/** Nothing restarts while the server processes changes of its config. (Agent and server updates, rule 2) */
export const serverBusy: TimingPolicy = ({ isServerBusy }) =>
  isServerBusy ? { reason: 'server-busy' } : undefined;

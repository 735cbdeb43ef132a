import type { TimingPolicy } from './timing-policy.ts';

/** Restarts begin while a window is open, where there is one. (Agent and server updates, rule 2) */
export const windowClosed: TimingPolicy = ({ window }, at) => {
  if (!window || window.openSince(at) !== undefined) return undefined;
  return { reason: 'window-closed', until: window.nextOpening(at) };
};

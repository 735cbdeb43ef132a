import type { TimingPolicy } from './timing-policy.ts';

/**
 * After a restart comes a rest. A restart that lies further ahead than the rest is long was noted by a
 * clock that was wrong, and counts for nothing. (D25, I15)
 */
export const resting: TimingPolicy = ({ restarts, restAfterRestartMs }, at) => {
  const until = restarts
    .filter((restart) => restart <= at + restAfterRestartMs)
    .reduce((latest, restart) => Math.max(latest, restart + restAfterRestartMs), -Infinity);
  return at < until ? { reason: 'resting', until } : undefined;
};

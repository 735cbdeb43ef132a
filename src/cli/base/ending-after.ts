import type { Outcome } from '../../base/problem.ts';
import type { EndSignal } from '../../base/world.ts';

const ENDINGS = {
  SIGINT: 'interrupted',
  SIGTERM: undefined,
  SIGHUP: undefined,
  closed: 'unread',
} as const;

/** How a command ends that runs until a signal, or until its stdout is closed: `signal` is undefined then. */
export function endingAfter(signal: EndSignal | void): Outcome['ending'] {
  return ENDINGS[signal ?? 'closed'];
}

import { termsFor } from '../core/machine/update-policy.ts';
import type { Configuration } from '../core/plan/configuration.ts';
import type { LoggedDecision } from '../core/plan/logged-decisions.ts';
import type { PollerEvent } from '../poller/index.ts';
import { decisionsIn } from '../store/decision-log.ts';
import type { ClaimedFile } from '../store/index.ts';

/** Reasons that only the time of `next` ends, unless something is published, configured or reported. */
const SETTLED: ReadonlySet<string> = new Set([
  'up-to-date',
  'ahead',
  'local',
  'disabled',
  'deployed-unknown',
]);

/**
 * For how many milliseconds from `now` a poller decides the same in each round; undefined if that is not known
 * (D429). What waits for a window does so until it opens; for what else holds, reasons may come and go.
 */
export function machineRest(
  { sql }: Pick<ClaimedFile, 'sql'>,
  configuration: Configuration,
  { events, now }: { readonly events: readonly PollerEvent[]; readonly now: number },
): number | undefined {
  const decisions = decisionsIn(sql);
  const rests = ({ decision, name, because }: LoggedDecision): boolean =>
    decision === 'hold'
      ? termsFor(configuration.policy, name).blackouts === undefined &&
        reasonsOfHold(name, events).join() === 'window-closed'
      : SETTLED.has(because?.code ?? '');
  if (!decisions.every(rests)) return undefined;
  return Math.min(...decisions.map(({ next }) => next?.at ?? Infinity)) - now;
}

/** A poller reports a hold when it begins, and again when its reasons change. */
function reasonsOfHold(name: string, events: readonly PollerEvent[]): string[] {
  const held = events.findLast((event) => event.kind === 'held' && event.target.name === name);
  return held?.kind === 'held' ? held.because.map(({ reason }) => reason) : [];
}

import { withReadableTimes } from '../../core/text/time-words.ts';
import type { RecentDecision } from '../../host/history/past-decisions.ts';
import { reasonAlone } from '../../host/history/told-history.ts';
import { labelFor } from '../../host/machine-row.ts';
import type { HistoryEntry } from '../paged-machine.ts';

/** A decision of the past in words. */
export function historyEntry({
  told: {
    past: { since, first },
    event,
    causes,
  },
  times,
}: RecentDecision): HistoryEntry {
  const readable = (text: string): string => withReadableTimes(text, times);
  return {
    at: since,
    name: first.name,
    label: labelFor(first),
    event: readable(event),
    why: readable(reasonAlone(first)),
    causes: causes.map(readable),
    decision: first.decision,
    deployed: first.deployed,
    target: first.target,
  };
}

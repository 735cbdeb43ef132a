import type {
  CatalogueChange,
  ChangeKind,
  ChangeResults,
} from '../server/catalogue/catalogue-change.ts';
import type { ChangeLog, LoggedEvent } from '../server/catalogue/change-log.ts';
import { decodeEvent } from './event.ts';

type Outcome = ChangeResults[ChangeKind];

/** The events that were applied since this program began. */
export interface AppliedEvents {
  /** Applies the next event; why it cannot be read, or undefined. */
  readonly apply: (event: LoggedEvent) => string | undefined;
  /** What the change of the event with this id resulted in, if it was applied. */
  readonly resultOf: (id: string) => Outcome | undefined;
  /** Calls `look` after each event until the result is called. */
  readonly onEach: (look: () => void) => () => void;
}

/** How many results to keep: more than there are changes at once. */
const KEPT_RESULTS = 10_000;

/** `onMended` is told what was changed in an event so that it could be applied. */
export function appliedEvents(
  log: ChangeLog,
  onMended: (event: LoggedEvent, message: string) => void,
): AppliedEvents {
  const results = new Map<string, Outcome>();
  const watchers = new Set<() => void>();
  const keep = (id: string, result: Outcome): void => {
    results.set(id, result);
    const [oldest] = results.keys();
    if (results.size > KEPT_RESULTS && oldest !== undefined) results.delete(oldest);
  };
  return {
    apply(event) {
      const decoded = decodeEvent(event.body);
      if (!decoded.ok) return decoded.error.message;
      const { event: found, mended } = decoded.value;
      if (found.kind === 'begin') log.begin(event, found.history);
      else if (found.kind === 'rows') log.load(event, found.rows);
      else keep(event.id, applied(log, event, found));
      if (mended !== undefined) onMended(event, mended);
      for (const look of watchers) look();
      return undefined;
    },
    resultOf: (id) => results.get(id),
    onEach(look) {
      watchers.add(look);
      return () => watchers.delete(look);
    },
  };
}

function applied<K extends ChangeKind>(
  log: ChangeLog,
  event: LoggedEvent,
  change: CatalogueChange<K>,
): ChangeResults[K] {
  return log.apply(event, change);
}

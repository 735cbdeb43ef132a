import type { ModuleId } from '../core/index.ts';
import { excerpt } from '../core/text/quote.ts';
import type { LoggedEvent } from '../server/catalogue/change-log.ts';
import type { Withheld } from '../server/withheld.ts';
import { moduleOf } from './event.ts';

/**
 * An event that this front cannot apply, and those after it. None of them is passed over, and none is applied: a list without a yank
 * would look current, and the numbers of later changes depend on it (T259).
 */
export interface HeldEvents {
  /** The number of the event to look at next. */
  readonly next: () => number;
  /** Looks at an event. */
  readonly add: (event: LoggedEvent) => void;
  /** Looks at all again: the stream was replaced, and may have others. */
  readonly lookAgain: () => void;
  /** The lists that one of them may change. */
  readonly withheld: () => Withheld;
}

/** `why` the first event cannot be applied. */
export function heldEvents(first: LoggedEvent, why: string): HeldEvents {
  const { sequence } = first;
  const modules = new Set<ModuleId>();
  let next = sequence;
  let concernsAll = false;
  const add = ({ subject }: LoggedEvent): void => {
    const id = moduleOf(subject);
    if (id === undefined) concernsAll = true;
    else modules.add(id);
    next += 1;
  };
  add(first);
  const message = `${nameOf(first)} cannot be applied: ${why}; no change is taken, and lists that it or a later event may concern are not answered. ${WAY_OUT}`;
  return {
    next: () => next,
    add,
    lookAgain: () => (next = sequence),
    withheld: () => ({ message, modules: concernsAll ? undefined : modules }),
  };
}

/** What to do about an event that cannot be applied. */
export const WAY_OUT =
  'upgrade modreg on all fronts, and start them again; docs/fleet-cluster.md says what to do if the newest modreg cannot read it either';

/** An event, for a person. */
export function nameOf({ sequence, subject }: LoggedEvent): string {
  return `event ${sequence} of the stream (${excerpt(subject)})`;
}

import type { Standing } from './orders.ts';
import { keyOf, type Ledger, type ListInForce, type SeenAction, type Target } from './ledger.ts';
import { listKey } from './returned-lists.ts';
import type { Moment } from './timeline.ts';

/** The state that the judge compares an observation with. */
export interface JudgeContext {
  readonly ledger: Ledger;
  readonly moment: () => Moment;
  readonly complain: Complain;
  readonly acknowledgeWithinMs: number;
  /** The targets that may be replaced in a crash loop, by key. (D85) */
  readonly suspected: () => ReadonlySet<string>;
  /** The entries whose programs work, by name. (D77) */
  readonly standing: () => ReadonlyMap<string, Standing>;
}

/** A broken invariant, and the observation that breaks it. */
export interface Violation {
  readonly invariant: string;
  readonly found: string;
}

/** Records a violation. Only the first one of a play is kept. */
type Complain = (invariant: string, found: string) => void;

export function describe({ target, from, to, direction, id }: SeenAction): string {
  return `${id} ${direction} ${keyOf(target)} ${from ?? 'none'} → ${to}`;
}

/** The lists that a decision may rest on: at the moment when a list arrives, also the one before it. */
export function listsFor(
  { ledger, moment }: JudgeContext,
  target: Target,
): (ListInForce | undefined)[] {
  if (!ledger.desired) return [undefined];
  const lists = ledger.lists.get(listKey(ledger.desired, target));
  return lists?.at === moment().elapsed ? [lists.now, lists.before] : [lists?.now];
}

/** The number that ends the id of an action. */
export function numberOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}

import type { Moment } from './expectation.ts';
import {
  keyOf,
  termsOf,
  type Ledger,
  type ListInForce,
  type SeenAction,
  type Target,
} from './ledger.ts';

/** What a verdict is made by. */
export interface Court {
  readonly ledger: Ledger;
  readonly moment: () => Moment;
  readonly complain: Complain;
  /** Whether what is said now may have been said earlier, and waited for room on the disk. */
  readonly isDelayed: () => boolean;
  readonly acknowledgeWithinMs: number;
}

/** A broken invariant, and how. */
export interface Violation {
  readonly invariant: string;
  readonly found: string;
}

/** Says what is broken; the first word counts. */
type Complain = (invariant: string, found: string) => void;

export function describe({ target, from, to, direction, id }: SeenAction): string {
  return `${id} ${direction} ${keyOf(target)} ${from ?? 'none'} → ${to}`;
}

/** What may have been decided by: at the moment when a list comes, also by the one before. */
export function listsFor({ ledger, moment }: Court, target: Target): (ListInForce | undefined)[] {
  if (!ledger.wish) return [undefined];
  const { registry } = termsOf(ledger.wish, target.name);
  const lists = ledger.lists.get(`${registry} ${target.moduleId}`);
  return lists?.at === moment().elapsed ? [lists.now, lists.before] : [lists?.now];
}

import { keyOf, knownOf, targetsOf, type Ledger, type OpenAction, type Target } from './ledger.ts';
import { describe, type Court } from './court.ts';
import type { Wish } from './wish.ts';

/** What a module needs is not in somebody's hands meanwhile. (T62) */
export function judgeNeeds({ ledger: { wish, open }, complain }: Court, action: OpenAction): void {
  if (!wish || action.direction === 'rollback') return;
  const needed = neededBy(wish, action.target);
  for (const other of open.values()) {
    if (other.state !== 'delivered' || !needed.has(other.target.moduleId)) continue;
    complain('T62', `${describe(action)} while ${describe(other)} is not acknowledged`);
  }
}

/** Whether something that a module needs does not run, or is about to be another. (T62) */
export function isWaiting(ledger: Ledger, target: Target): boolean {
  const needed = ledger.wish ? neededBy(ledger.wish, target) : new Set();
  return targetsOf(ledger.wish).some((other) => {
    if (!needed.has(other.moduleId)) return false;
    const { running } = knownOf(ledger, other);
    const isOpen = [...ledger.open.values()].some((open) => keyOf(open.target) === keyOf(other));
    const isFailed = ledger.quarantine.has(`${other.moduleId} ${running}`);
    return typeof running !== 'string' || isFailed || isOpen;
  });
}

/** The modules that a module needs, directly or through others; none where they need it as well. */
function neededBy({ modules, needs }: Wish, { kind, moduleId }: Target): ReadonlySet<string> {
  const idOf = (name: string): string | undefined =>
    modules.find((module) => module.name === name)?.moduleId;
  const needed = new Set<string>();
  const add = (who: string): void => {
    for (const [name, on] of needs) {
      const other = idOf(on);
      if (idOf(name) !== who || other === undefined || needed.has(other)) continue;
      needed.add(other);
      add(other);
    }
  };
  if (kind === 'module') add(moduleId);
  return needed.has(moduleId) ? new Set() : needed;
}

import { keyOf, knownOf, targetsOf, type Ledger, type OpenAction, type Target } from './ledger.ts';
import { describe, type JudgeContext } from './judge-context.ts';
import type { Desired } from './desired.ts';

/** No action of a module is delivered while one of its dependencies has a delivered action. (T62) */
export function judgeNeeds(
  { ledger: { desired, open }, complain }: JudgeContext,
  action: OpenAction,
): void {
  if (!desired || action.direction === 'rollback') return;
  const needed = neededBy(desired, action.target);
  for (const other of open.values()) {
    if (other.state !== 'delivered' || !needed.has(other.target.moduleId)) continue;
    complain('T62', `${describe(action)} while ${describe(other)} is not acknowledged`);
  }
}

/** Whether a dependency of a module is not installed, failed, or has an open action. (T62) */
export function isWaiting(ledger: Ledger, target: Target): boolean {
  const needed = ledger.desired ? neededBy(ledger.desired, target) : new Set();
  return targetsOf(ledger.desired).some((other) => {
    if (!needed.has(other.moduleId)) return false;
    const { running } = knownOf(ledger, other);
    const isOpen = [...ledger.open.values()].some((open) => keyOf(open.target) === keyOf(other));
    const isFailed = ledger.quarantine.has(`${other.moduleId} ${running}`);
    return typeof running !== 'string' || isFailed || isOpen;
  });
}

/** The direct and transitive dependencies of a module; empty if they form a cycle with it. */
function neededBy({ modules, needs }: Desired, { kind, moduleId }: Target): ReadonlySet<string> {
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

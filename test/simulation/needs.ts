import {
  keyOf,
  knownOf,
  SERVER,
  targetsOf,
  type Ledger,
  type OpenAction,
  type Target,
} from './ledger.ts';
import { describe, type JudgeContext } from './judge-context.ts';
import type { Desired } from './desired.ts';

/** No action of a module is delivered while one of its dependencies has a delivered action. (T62) */
export function judgeNeeds({ ledger, complain }: JudgeContext, action: OpenAction): void {
  for (const other of delivered(ledger, action)) {
    complain('T62', `${describe(action)} while ${describe(other)} is not acknowledged`);
  }
}

/** The delivered actions of what the target of an action depends on. A rollback waits for none. */
export function delivered(
  { desired, open }: Ledger,
  { target, direction }: OpenAction,
): readonly OpenAction[] {
  if (!desired || direction === 'rollback') return [];
  const needed = neededBy(desired, target);
  return [...open.values()].filter(
    (other) => other.state === 'delivered' && needed.has(other.target.moduleId),
  );
}

/** The delivered actions because of which a module may be stopped: its own, the server's, and those that said so. */
export function stoppingActions({ open }: Ledger, target: Target): readonly OpenAction[] {
  return [...open.values()].filter(
    (action) =>
      action.state === 'delivered' &&
      (keyOf(action.target) === keyOf(target) ||
        action.target.name === SERVER.name ||
        action.stops.includes(target.moduleId)),
  );
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

/** The ids of the direct and transitive dependencies of a module; empty if they form a cycle with it. */
export function neededBy(
  { modules, needs }: Desired,
  { kind, moduleId }: Target,
): ReadonlySet<string> {
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

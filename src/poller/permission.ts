import type { Plan } from '../core/index.ts';
import type { Decision } from '../core/decision/decision.ts';
import { describeDecision } from '../core/explanation/decision-words.ts';
import type { OpenAction } from '../core/plan/committed-action.ts';
import { decisionOn, revalidate } from '../core/plan/revalidate.ts';
import { excerpt } from '../core/text/quote.ts';
import type { ConfigurationSource } from './configuration-source.ts';
import type { Delivery } from './delivery.ts';
import type { Outbox } from './outbox.ts';
import type { Planner } from './planner.ts';
import type { StateAccess } from './state-access.ts';
import type { Clock } from '../registry/clock.ts';

/** Whether an action may be begun, and what forbids it. */
type Permission = Awaited<ReturnType<Delivery['mayProceed']>>;

/** The parts of a poller that decide whether an action may be begun. */
export interface PermissionParts {
  readonly state: StateAccess;
  readonly configuration: Pick<ConfigurationSource, 'read'>;
  readonly planner: Planner;
  readonly outbox: Outbox;
  readonly clock: Clock;
}

const MAY: Permission = { mayProceed: true };
/** How long to wait before an action is taken back that the file does not take. */
const RETRY_MS = 1000;

/**
 * The `mayProceed` of a delivery: reads the configuration and plans its target again, as for a delivery (D72). `ending` ends the poller or the
 * iterator. While an action cannot be taken back, because the file cannot be written, its consumer waits.
 */
export function permission(
  { action: { id }, signal }: Omit<Delivery, 'mayProceed'>,
  parts: PermissionParts,
  ending: AbortSignal,
): () => Promise<Permission> {
  const { configuration, planner, outbox, clock } = parts;
  const ended = refused(`action ${id} has ended`);
  const answered = (plan: Plan | undefined): Permission | 'unwritable' => {
    const open = outbox.heldBy(signal, id);
    if (!open) return ended;
    const answer = permissionFor(open, plan, parts);
    return answer.mayProceed || outbox.takeBack(open) ? answer : 'unwritable';
  };
  return async () => {
    for (;;) {
      // What was edited since the last round holds already.
      await configuration.read(ending);
      ending.throwIfAborted();
      const open = outbox.heldBy(signal, id);
      if (!open) return ended;
      const answer = await planner.asking(answered, ending, open.action);
      if (answer !== 'unwritable') return answer;
      await clock.sleep(RETRY_MS, ending);
    }
  };
}

function permissionFor(
  open: OpenAction,
  plan: Plan | undefined,
  { state, planner }: PermissionParts,
): Permission {
  const { target } = open.action;
  if (!plan) return refused('nothing can be decided now');
  const decision = decisionOn(target, plan);
  if (!decision) return refused(`${excerpt(target.name)} is not in the config`);
  if (revalidate(open, plan) !== 'deliver') return refusedBy(decision);
  const dependency = planner.blockingDependency(open, state.read());
  return dependency === undefined ? MAY : refused(`waits for ${excerpt(dependency)}`);
}

function refusedBy(decision: Decision): Permission {
  const because = decision.kind === 'hold' ? decision.because : [];
  return { mayProceed: false, because, text: describeDecision(decision) };
}

function refused(text: string): Permission {
  return { mayProceed: false, because: [], text };
}

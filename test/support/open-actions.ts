import type {
  CommittedAction,
  NewAction,
  OpenAction,
} from '../../src/core/plan/committed-action.ts';
import type { ModuleState, Plan } from '../../src/core/index.ts';
import { actionsOf } from '../../src/core/plan/reconcile.ts';
import { entry, known, plan } from './planned.ts';

/** An open action that was never delivered, with the fields in `more` replaced. */
export function waiting(action: NewAction, more: Partial<OpenAction> = {}): OpenAction {
  const committed: CommittedAction = { ...action, id: `of-${action.target.name}` };
  const never = { notBefore: 0, deliveries: 0, failures: 0, lastFailure: undefined };
  return { action: committed, state: 'waiting', ...never, ...more };
}

/** An open action that was delivered once. */
export function delivered(action: NewAction): OpenAction {
  return waiting(action, { state: 'delivered', deliveries: 1 });
}

/** The plan of a machine with one lidar, 1.0.0 by default, and these published versions. */
export function lidarPlan(
  constraint: string,
  published: Parameters<typeof known>[1] | 'no list',
  more: {
    readonly deployed?: string;
    readonly held?: true;
    readonly id?: string;
    readonly state?: Partial<ModuleState>;
  } = {},
): Plan {
  const { deployed = '1.0.0', held, id = 'acme:lidar', state: facts } = more;
  const list = { error: { kind: 'registry-unreachable', message: 'down' } };
  const state =
    published === 'no list'
      ? { ...known(deployed, []), list, ...facts }
      : known(deployed, published, facts);
  return plan(
    { modules: [entry(id, constraint, 'lidar')] },
    { lidar: state },
    { isServerBusy: held ?? false },
  );
}

/** The actions of a plan, ready to be committed. */
export function wantedBy({ restarts }: Plan): NewAction[] {
  return restarts.flatMap(actionsOf);
}

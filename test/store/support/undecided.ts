import type { ActionTarget } from '../../../src/core/index.ts';
import type { MachineState } from '../../../src/store/machine-state.ts';
import { claimed, commitOne, LIDAR, moduleNamed } from '../../support/claimed.ts';

export const TERMS = { at: 4, quarantineUntil: undefined, retryAt: 5 };
/** Another entry of the same module. */
export const REAR: ActionTarget = moduleNamed('rear', 'acme:lidar');

/** What the quarantine means for an entry: `1.1.0 failed`, `1.1.0 failed in rear`, `1.1.0 waits for 1.0.0`. */
export function refused(state: MachineState, target: ActionTarget = LIDAR): string[] {
  return state
    .memory()
    .of(target)
    .quarantine.map(({ version, failedIn, undecided }) => {
      const where = failedIn === undefined ? '' : ` in ${failedIn}`;
      if (!undecided) return `${version} failed${where}`;
      const how = undecided.isWaiting ? 'waits for' : 'may be tried again, as';
      return `${version} ${how} ${undecided.sameAs}${where}`;
    });
}

/** A machine on which 1.1.0 replaced 1.0.0 for the lidar. */
export function upgraded(): ReturnType<typeof claimed> {
  const file = claimed();
  file.state.report(LIDAR, '1.0.0', 1);
  file.state.report(LIDAR, '1.1.0', 2);
  return file;
}

/** Its release then fails, and so does the rollback to 1.0.0: the agent starts `running` again and again. */
export function fallen(now: string | null): ReturnType<typeof claimed> {
  const file = upgraded();
  const { state } = file;
  const failure = { version: '1.1.0', reason: 'no camera', running: null };
  state.reportFailure(LIDAR, failure, { at: 3, quarantineUntil: undefined });
  const { id } = commitOne(state, {
    from: undefined,
    to: '1.0.0',
    direction: 'rollback',
    reason: { kind: 'failure', version: '1.1.0', until: undefined, isRolledBack: false, text: '' },
  });
  state.deliver(id, 3);
  const reason = 'no camera';
  state.acknowledge(id, { kind: 'failed', blame: 'undecided', reason, running: now }, TERMS);
  return file;
}

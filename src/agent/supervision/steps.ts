import type {
  Activation,
  Fault,
  Installed,
  RollingBack,
  Trying,
} from '../../core/machine/activation.ts';
import { backOffMs, isCrashLoop, NO_CRASHES, withCrash } from './back-off.ts';
import type {
  AfterStop,
  Command,
  Lifecycle,
  LifecycleEvent,
  Serving,
  Step,
  Surroundings,
} from './lifecycle.ts';

/** Whether there is a process at the moment of an event. */
type Process = 'none' | 'running' | 'ending';

/** A candidate that was started this often for one action, without an outcome, does not work. */
const MOST_ATTEMPTS = 3;

export function started({ run, previous, crashes, restart }: Serving): Step {
  return {
    next: { state: 'starting', run, previous, crashes, restart },
    commands: [{ command: 'start', run }],
  };
}

/** Ends the process. */
export function stopped(after: AfterStop, process: Process = 'running'): Step {
  const commands: Command[] = process === 'running' ? [{ command: 'stop' }] : [];
  return { next: { state: 'stopping', after }, commands };
}

/** Continues after a stop, or at once if there is nothing to stop. */
function switching(after: Extract<AfterStop, { readonly row: unknown }>, process: Process): Step {
  if (process !== 'none') return { ...stopped(after, process), row: after.row };
  const run = after.to === 'trying' ? after.row.candidate : after.row.previous;
  const next =
    after.to === 'trying'
      ? ({ state: 'trying', row: after.row } as const)
      : ({ state: 'rolling-back', row: after.row } as const);
  return { next, row: after.row, commands: [{ command: 'start', run }] };
}

export function resumed(row: Activation, isHeld: boolean): Step {
  if (row.phase === 'stable') {
    const serving = { run: row.current, previous: row.previous, crashes: NO_CRASHES };
    return isHeld ? { next: { state: 'held', ...serving }, commands: [] } : started(serving);
  }
  if (row.phase === 'rolling-back') return switching({ to: 'rolling-back', row }, 'none');
  if (row.attempts >= MOST_ATTEMPTS) {
    const reason = `the agent or the machine ended each of the ${row.attempts} times that it was tried`;
    return rolledBack(row, { reason, blame: 'release' }, 'none');
  }
  return switching({ to: 'trying', row: { ...row, attempts: row.attempts + 1 } }, 'none');
}

export function tried(
  { action, candidate, restorable }: Extract<LifecycleEvent, { readonly event: 'activate' }>,
  current: Installed | undefined,
  process: Process,
): Step {
  const previous = current?.root === restorable ? current : undefined;
  const row = { phase: 'trying', action, candidate, previous, attempts: 1 } as const;
  return switching({ to: 'trying', row }, process);
}

/** Starts the version before the candidate again. Without one, nothing is left in use. */
export function rolledBack(row: Trying, fault: Fault, process: Process): Step {
  const { action, candidate, previous } = row;
  if (previous) {
    const rolling = { phase: 'rolling-back', action, candidate, previous, fault } as const;
    return switching({ to: 'rolling-back', row: rolling }, process);
  }
  if (process === 'none') return withoutVersion(action, fault);
  return stopped({ to: 'failed', action, fault }, process);
}

function withoutVersion(action: string, fault: Fault): Step {
  const fail = { command: 'fail', action, running: null, ...fault } as const;
  return { next: { state: 'idle' }, row: null, commands: [fail] };
}

/** The candidate works. */
export function accepted({ action, candidate, previous }: Trying, now: number): Step {
  return {
    next: { state: 'running', run: candidate, previous, crashes: NO_CRASHES, since: now },
    row: { phase: 'stable', current: candidate, previous, settled: { action, fault: undefined } },
    commands: [{ command: 'done', action }],
  };
}

/** The version to activate is running already. */
export function settled(serving: Serving & { readonly since: number }, action: string): Step {
  const { run, previous } = serving;
  return {
    next: { ...serving, state: 'running' },
    row: { phase: 'stable', current: run, previous, settled: { action, fault: undefined } },
    commands: [{ command: 'done', action }],
  };
}

/** The version before the candidate works again. */
export function restored(
  { action, candidate: { version }, previous, fault }: RollingBack,
  now: number,
): Step {
  const ended = { action, fault, version };
  return {
    next: { state: 'running', run: previous, previous: undefined, crashes: NO_CRASHES, since: now },
    row: { phase: 'stable', current: previous, previous: undefined, settled: ended },
    commands: [{ command: 'fail', action, running: previous.version, ...fault }],
  };
}

/** The version before the candidate fails too. It is started again and again, because there is no better one. */
export function down(
  { action, candidate: { version }, previous, fault }: RollingBack,
  other: Fault,
  { now }: Surroundings,
): Step {
  const ended = { action, fault, version };
  const crashes = withCrash(NO_CRASHES, now, 0);
  const reason = `${fault.reason}; ${previous.version} does not start either: ${other.reason}`;
  const { next, commands } = stopped({
    to: 'backing-off',
    run: previous,
    previous: undefined,
    crashes,
  });
  const fail = { command: 'fail', action, running: null, reason, blame: fault.blame } as const;
  return {
    next,
    row: { phase: 'stable', current: previous, previous: undefined, settled: ended },
    commands: [...commands, fail],
  };
}

/** A version in use failed: it is started again after a wait, and reported if that did not help. */
export function crashed(
  { run, previous, crashes, restart }: Serving,
  { fault, upMs }: { readonly fault: Fault; readonly upMs: number },
  { now }: Surroundings,
): Step {
  const all = withCrash(crashes, now, upMs);
  const { next, commands } = stopped({ to: 'backing-off', run, previous, crashes: all });
  const { reason, blame } = fault;
  // A version that this machine cannot start now stays the one in use: nothing else is to be installed.
  const running = blame === 'machine' ? run.version : null;
  const words: Command[] =
    restart === undefined ? [] : [{ command: 'fail', action: restart, running, ...fault }];
  if (isCrashLoop(all) && blame === 'release') {
    words.push({ command: 'report', version: run.version, reason });
  }
  return { next, commands: [...commands, ...words] };
}

/** The entry left the config during a trial: the version before the candidate stays in use. */
export function removed({ previous }: Trying | RollingBack, process: Process = 'running'): Step {
  const row =
    previous &&
    ({ phase: 'stable', current: previous, previous: undefined, settled: undefined } as const);
  return { ...stopped({ to: 'idle' }, process), row: row ?? null };
}

/** The entry left the config while its process was ending. */
export function removedAtEnd(after: AfterStop): Step {
  if ('row' in after) return removed(after.row, 'ending');
  const end = stopped({ to: 'idle' }, 'ending');
  // The version that failed was the first one.
  return after.to === 'failed' ? { ...end, row: null } : end;
}

/** The outcome of the action that ends because its entry left the config, if there is one. */
export function cancelled(state: Lifecycle): Command[] {
  const of = state.state === 'stopping' ? state.after : state;
  if ('row' in of) {
    const { row } = of;
    const { action, previous } = row;
    const fault = row.phase === 'trying' ? LEFT : row.fault;
    return [{ command: 'fail', action, running: previous?.version ?? null, ...fault }];
  }
  if ('fault' in of) return [{ command: 'fail', action: of.action, running: null, ...of.fault }];
  if (!('restart' in of) || of.restart === undefined) return [];
  return [{ command: 'fail', action: of.restart, running: of.run.version, ...LEFT }];
}

const LEFT: Fault = { reason: 'its entry left the config', blame: 'machine' };

/** The agent ends during a trial, which is not the candidate's failure. */
export function interrupted(row: Trying): Step {
  return { ...stopped({ to: 'idle' }), row: { ...row, attempts: row.attempts - 1 } };
}

export function continued(after: AfterStop, { random }: Surroundings): Step {
  switch (after.to) {
    case 'idle':
      return { next: { state: 'idle' }, commands: [] };
    case 'held': {
      const { run, previous, crashes, restart } = after;
      // A restart that was requested goes on once the module may run.
      return { next: { state: 'held', run, previous, crashes, restart }, commands: [] };
    }
    case 'starting':
      return started(after);
    case 'backing-off': {
      const { run, previous, crashes } = after;
      const wait = { command: 'wait', ms: backOffMs(crashes, random) } as const;
      return { next: { state: 'backing-off', run, previous, crashes }, commands: [wait] };
    }
    case 'trying':
    case 'rolling-back': {
      const { next, commands } = switching(after, 'none');
      return { next, commands };
    }
    case 'failed':
      return withoutVersion(after.action, after.fault);
  }
}

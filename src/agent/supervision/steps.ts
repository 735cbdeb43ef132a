import type {
  Activation,
  Fault,
  Installed,
  RollingBack,
  Trying,
} from '../../core/machine/activation.ts';
import { backOffMs, NO_CRASHES, withCrash, type Crashes } from './back-off.ts';
import { untilEndured } from './endurance.ts';
import type {
  AfterStop,
  Command,
  Lifecycle,
  Serving,
  Step,
  Surroundings,
  Trial,
} from './lifecycle.ts';

/** Whether there is a process at the moment of an event. */
export type Process = 'none' | 'running' | 'ending';

/** A candidate that was started this often for one action, without an outcome, does not work. */
const MOST_ATTEMPTS = 3;

export function started({ run, previous, crashes, restart, failed }: Serving): Step {
  return {
    next: { state: 'starting', run, previous, crashes, restart, failed },
    commands: [{ command: 'start', run }],
  };
}

/** Ends the process. */
export function stopped(after: AfterStop, process: Process = 'running'): Step {
  const commands: Command[] = process === 'running' ? [{ command: 'stop' }] : [];
  return { next: { state: 'stopping', after }, commands };
}

/** Continues after a stop, or at once if there is nothing to stop. */
export function switching(
  after: Extract<AfterStop, { readonly row: unknown }>,
  process: Process,
): Step {
  if (process !== 'none') return { ...stopped(after, process), row: after.row };
  const run = after.to === 'trying' ? after.row.candidate : after.row.previous;
  const next =
    after.to === 'trying'
      ? ({ state: 'trying', row: after.row, crashes: after.crashes } as const)
      : ({ state: 'rolling-back', row: after.row } as const);
  return { next, row: after.row, commands: [{ command: 'start', run }] };
}

export function resumed(row: Activation, isHeld: boolean, around: Surroundings): Step {
  if (row.phase === 'stable') {
    const { current: run, previous, failed } = row;
    const serving = { run, previous, crashes: NO_CRASHES, failed };
    return isHeld ? { next: { state: 'held', ...serving }, commands: [] } : started(serving);
  }
  if (row.phase === 'rolling-back') return switching({ to: 'rolling-back', row }, 'none');
  if (row.attempts >= MOST_ATTEMPTS) {
    const reason = `the agent or the machine went down in each of its ${row.attempts} trials`;
    return rolledBack({ row }, { reason, blame: 'release' }, 'none', around);
  }
  return switching({ to: 'trying', row: { ...row, attempts: row.attempts + 1 } }, 'none');
}

/** Starts the version before the candidate again. Without one, nothing is left in use. */
export function rolledBack(
  { row, crashes }: Trial,
  fault: Fault,
  process: Process,
  around: Pick<Surroundings, 'now'>,
): Step {
  const { action, candidate, previous, failed } = row;
  if (previous) {
    const rolling = { phase: 'rolling-back', action, candidate, previous, fault } as const;
    return switching({ to: 'rolling-back', row: rolling }, process);
  }
  const end = { fault, process, crashes: crashes ?? withCrash(NO_CRASHES, around.now, 0) };
  if (failed && fault.blame === 'release') return undecided({ ...row, failed }, end, around);
  if (failed?.hasFailed) return untried({ ...row, failed }, end);
  if (process === 'none') return withoutVersion(action, fault);
  return stopped({ to: 'failed', action, fault }, process);
}

/** How a candidate ended, and the crashes of the version before it. */
interface TrialEnd {
  readonly fault: Fault;
  readonly process: Process;
  readonly crashes: Crashes;
}

/**
 * Both a version and the one before it fail. The one that is proven is started for ever, the newest if both are (D80), and the
 * candidate if the other one must not run any more (D102).
 */
function undecided(
  { action, candidate, failed }: Trying & { readonly failed: Installed },
  { fault, process, crashes }: TrialEnd,
  { now }: Pick<Surroundings, 'now'>,
): Step {
  const isOnlyOne = !failed.hasFailed;
  const isCandidate = isOnlyOne || (candidate.isProven && !failed.isProven);
  const [kept, other] = isCandidate ? [candidate, failed] : [failed, candidate];
  // A candidate that is not kept never worked, unless it is proven (D102).
  const isNew = !isCandidate && !other.isProven;
  const unkept = isNew ? ({ ...other, hasFailed: true } as const) : other;
  const previous = other.root === kept.root ? undefined : unkept;
  const current = { ...kept, hasFailed: undefined, isUndecided: true } as const;
  const ended = { action, fault, version: candidate.version, isUndecided: true } as const;
  // The wait of a version that crashed before goes on growing (D106).
  const own = isCandidate ? withCrash(NO_CRASHES, now, 0) : crashes;
  const { next, commands } = startedLater({ run: current, previous, crashes: own }, process);
  const why = isOnlyOne ? 'no other version may run here' : `${failed.version} failed before it`;
  const reason = `${fault.reason}; ${why}`;
  const fail = { action, running: kept.version, reason, blame: 'undecided' } as const;
  return {
    next,
    row: { phase: 'stable', current, previous, settled: ended },
    commands: [...commands, { command: 'fail', ...fail }],
  };
}

/** The machine could not start the version before one that failed: that one is started again meanwhile (A4). */
function untried(
  { action, candidate, failed: run }: Trying & { readonly failed: Installed },
  { fault, process, crashes }: TrialEnd,
): Step {
  // It was not shown to work here, so it is none to go back to (D121).
  const previous = candidate.isProven ? candidate : ({ ...candidate, hasFailed: true } as const);
  const { next, commands } = startedLater({ run, previous, crashes }, process);
  const ended = { action, fault, version: candidate.version };
  return {
    next,
    row: { phase: 'stable', current: run, previous, settled: ended },
    commands: [...commands, { command: 'fail', action, running: null, ...fault }],
  };
}

/** Starts what serves once the process of a candidate is gone. */
function startedLater(serving: Serving, process: Process): Step {
  return process === 'none'
    ? started(serving)
    : stopped({ to: 'backing-off', ...serving }, process);
}

function withoutVersion(action: string, fault: Fault): Step {
  const fail = { command: 'fail', action, running: null, ...fault } as const;
  return { next: { state: 'idle' }, row: null, commands: [fail] };
}

/** The version of `serving` works from now on. */
export function up(serving: Serving, { now, probationMs }: Surroundings): Step {
  const { run, previous, crashes, failed } = serving;
  return {
    next: { state: 'running', run, previous, crashes, failed, since: now },
    commands: untilEndured(serving, { upMs: 0, probationMs }),
  };
}

/** The candidate works. */
export function accepted(
  { action, candidate: run, previous, failed }: Trying,
  around: Surroundings,
): Step {
  const { next, commands } = up({ run, previous, crashes: NO_CRASHES, failed }, around);
  const ended = { action, fault: undefined };
  return {
    next,
    row: { phase: 'stable', current: run, previous, settled: ended, failed },
    commands: [{ command: 'done', action }, ...commands],
  };
}

/** The version to activate is running already. */
export function settled(
  { since, ...serving }: Serving & { readonly since: number },
  action: string,
  { now, probationMs }: Surroundings,
): Step {
  const { run, previous, failed } = serving;
  const ended = { action, fault: undefined };
  const wait = untilEndured(serving, { upMs: now - since, probationMs });
  return {
    next: { ...serving, state: 'running', since },
    row: { phase: 'stable', current: run, previous, settled: ended, failed },
    commands: [{ command: 'done', action }, ...wait],
  };
}

/** The version before the candidate works again. */
export function restored(
  { action, candidate, previous: run, fault }: RollingBack,
  around: Surroundings,
): Step {
  const ended = { action, fault, version: candidate.version };
  const failed = fault.blame === 'release' ? candidate : undefined;
  const { next, commands } = up({ run, previous: undefined, crashes: NO_CRASHES, failed }, around);
  return {
    next,
    row: { phase: 'stable', current: run, previous: undefined, settled: ended, failed },
    commands: [{ command: 'fail', action, running: run.version, ...fault }, ...commands],
  };
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

/** The agent ends during a trial, or before its start, which is not the candidate's failure. */
export function interrupted(row: Trying, process?: Process): Step {
  return { ...stopped({ to: 'idle' }, process), row: { ...row, attempts: row.attempts - 1 } };
}

export function continued(after: AfterStop, { random }: Surroundings): Step {
  switch (after.to) {
    case 'idle':
      return { next: { state: 'idle' }, commands: [] };
    case 'held': {
      const { run, previous, crashes, restart, failed } = after;
      // A restart that was requested goes on once the module may run.
      return { next: { state: 'held', run, previous, crashes, restart, failed }, commands: [] };
    }
    case 'starting':
      return started(after);
    case 'backing-off': {
      const { run, previous, crashes, failed } = after;
      const wait = { command: 'wait', ms: backOffMs(crashes, random) } as const;
      return { next: { state: 'backing-off', run, previous, crashes, failed }, commands: [wait] };
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

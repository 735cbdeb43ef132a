import type { Fault, Installed, RollingBack } from '../../core/machine/activation.ts';
import { isCrashLoop, NO_CRASHES, RECOVERED_MS, withCrash } from './back-off.ts';
import { PROVEN_MS, untilEndured } from './endurance.ts';
import type {
  Command,
  Lifecycle,
  LifecycleEvent,
  Marks,
  Serving,
  Step,
  Surroundings,
} from './lifecycle.ts';
import { stopped } from './steps.ts';

/** A version in use failed: it is started again after a wait, and reported if that did not help. */
export function crashed(
  serving: Serving,
  { fault, upMs }: { readonly fault: Fault; readonly upMs: number },
  { now }: Surroundings,
): Step {
  const { run, previous, restart } = serving;
  const all = withCrash(serving.crashes, now, upMs);
  const { reason, blame } = fault;
  // It stays the one in use, also after a restart on request: only a crash loop says that the release does not work.
  const words: Command[] =
    restart === undefined
      ? []
      : [{ command: 'fail', action: restart, running: run.version, ...fault }];
  const isReported = isCrashLoop(all) && blame === 'release' && !run.isUndecided && !run.hasFailed;
  const crashes = isReported ? { ...all, reportedAt: all.count } : all;
  const { report, marks } = isReported ? crashLoop(serving, reason) : {};
  const { current, failed } = marks ?? { current: run, failed: serving.failed };
  const after = { run: current, previous, crashes, failed };
  const { next, commands } = stopped({ to: 'backing-off', ...after });
  return { next, marks, commands: [...commands, ...words, ...(report ? [report] : [])] };
}

/** The release in use does not work (A4). If another one failed before it, both may fail for one reason (D80). */
function crashLoop(
  { run, failed }: Serving,
  reason: string,
): { readonly report: Command; readonly marks: Marks } {
  if (!failed) {
    const report = { version: run.version, reason, running: null, blame: 'release' } as const;
    const marks = { current: { ...run, hasFailed: true }, failed } as const;
    return { report: { command: 'report', ...report }, marks };
  }
  const both = `${run.version}, which ran in its place, does not stay up either: ${reason}`;
  const running = run.version;
  const report = { version: failed.version, reason: both, running, blame: 'undecided' } as const;
  const marks = { current: { ...run, isUndecided: true }, failed: undefined } as const;
  return { report: { command: 'report', ...report }, marks };
}

/** The version before the candidate fails too. It is started again and again, because there is no better one. */
export function down(
  { action, candidate: { version }, previous, fault }: RollingBack,
  other: Fault,
  { now }: Surroundings,
): Step {
  // What keeps both from working is not the candidate's failure (D80).
  const isUndecided = fault.blame === 'release' ? (true as const) : undefined;
  // What was undecided stays so where the machine started neither (D121).
  const current = { ...previous, isUndecided: isUndecided ?? previous.isUndecided };
  const ended = { action, fault, version, isUndecided };
  const crashes = withCrash(NO_CRASHES, now, 0);
  const reason = `${fault.reason}; ${previous.version} does not start either: ${other.reason}`;
  const { next, commands } = stopped({
    to: 'backing-off',
    run: current,
    previous: undefined,
    crashes,
  });
  const how = isUndecided
    ? ({ running: previous.version, blame: 'undecided' } as const)
    : ({ running: null, blame: fault.blame } as const);
  return {
    next,
    row: { phase: 'stable', current, previous: undefined, settled: ended },
    commands: [...commands, { command: 'fail', action, reason, ...how }],
  };
}

/**
 * A release could not be prepared while the version in use crashes: both may fail for one reason. The version in use is started
 * again for ever, and the release is tried again once it works (D103). Undefined if the version in use does not fail.
 */
export function compared(
  serving: Serving,
  { action, fault }: Extract<LifecycleEvent, { readonly event: 'unprepared' }>,
): { readonly run: Installed; readonly marks: Marks; readonly fail: Command } | undefined {
  const { crashes, failed } = serving;
  if (crashes.count === 0 && !serving.run.isUndecided) return undefined;
  const { version } = serving.run;
  const run = { ...serving.run, hasFailed: undefined, isUndecided: true } as const;
  const reason = `${fault.reason}; ${version}, which is in use, does not stay up either`;
  const fail = { command: 'fail', action, running: version, reason, blame: 'undecided' } as const;
  return { run, marks: { current: run, failed }, fail };
}

/** The version in use has been up for some time, which says something about it. */
export function endured(
  { since, ...serving }: Extract<Lifecycle, { readonly state: 'running' }>,
  { now, probationMs }: Surroundings,
): Step {
  const { run } = serving;
  const upMs = now - since;
  const hasRecovered = upMs >= RECOVERED_MS;
  const isProven = upMs >= PROVEN_MS;
  const isCleared = run.isUndecided === true && upMs >= probationMs;
  const current: Installed = {
    version: run.version,
    root: run.root,
    ...((run.isProven ?? isProven) && { isProven: true }),
    ...(run.hasFailed && !hasRecovered && { hasFailed: true }),
    ...(run.isUndecided && !isCleared && { isUndecided: true }),
  };
  const failed = hasRecovered ? undefined : serving.failed;
  const next = { ...serving, state: 'running', run: current, failed, since } as const;
  const works: Command[] =
    isCleared || isProven ? [{ command: 'works', version: run.version, isProven }] : [];
  return {
    next,
    marks: { current, failed },
    commands: [...works, ...untilEndured(next, { upMs, probationMs })],
  };
}

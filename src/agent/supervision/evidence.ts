import type { Fault, Installed, RollingBack } from '../../core/machine/activation.ts';
import { isCrashLoop, NO_CRASHES, RECOVERED_MS, withCrash } from './back-off.ts';
import { PROVEN_MS, untilEndured } from './endurance.ts';
import type { Command, Lifecycle, Marks, Serving, Step, Surroundings } from './lifecycle.ts';
import { stopped } from './steps.ts';

/** A version in use failed: it is started again after a wait, and reported if that did not help. */
export function crashed(
  serving: Serving,
  { fault, upMs }: { readonly fault: Fault; readonly upMs: number },
  { now }: Surroundings,
): Step {
  const { run, previous, restart } = serving;
  const crashes = withCrash(serving.crashes, now, upMs);
  const { reason, blame } = fault;
  // It stays the one in use, also after a restart on request: only a crash loop says that the release does not work.
  const words: Command[] =
    restart === undefined
      ? []
      : [{ command: 'fail', action: restart, running: run.version, ...fault }];
  const isReported = isCrashLoop(crashes) && blame === 'release' && !run.isUndecided;
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
  const current = { ...previous, isUndecided };
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

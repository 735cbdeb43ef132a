import type { Fault, Installed } from '../core/machine/activation.ts';
import type { UpdateTerms } from '../core/machine/update-policy.ts';
import type { Readiness } from '../core/machine/readiness.ts';
import { excerpt } from '../core/text/quote.ts';
import { describeDuration } from '../core/text/duration.ts';
import type { Result } from '../core/text/result.ts';
import type { Clock } from '../registry/clock.ts';
import { launch, type RunningProgram } from './process/launch.ts';
import type { OpenFiles } from './process/open-files.ts';
import { describeEnd } from './process/program-end.ts';
import { lastWords, type LastWords, type OutputLine } from './process/program-output.ts';
import { readinessProbe, type ReadinessProbe } from './process/readiness.ts';
import type { RunAs } from './process/run-as.ts';
import { notStarted } from './process/runnable.ts';
import type { ModuleProcess, ProcessReports } from './supervised-module.ts';

/** How a version is run. */
export interface Runnable {
  readonly path: string;
  readonly arguments: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly runAs: RunAs | undefined;
  readonly noNewPrivs: boolean;
  readonly openFiles: OpenFiles | undefined;
  readonly ready: Readiness;
  /** What names `ready`, in words. */
  readonly readyBy: string;
  readonly stopMs: number;
}

/** What the process of a module needs. */
export interface ModuleStart {
  /** Returns how the version is run, or why it cannot be. */
  readonly runnable: (run: Installed) => Promise<Result<Runnable, Fault>>;
  readonly terms: () => UpdateTerms['run'];
  readonly clock: Clock;
  /** Of the agent. */
  readonly home: string;
  /** Unique among the processes that exist. */
  readonly mark: string;
  readonly cgroups: string | undefined;
  readonly onLine: (line: OutputLine) => void;
  readonly onStarted: (run: Installed, program: Pick<RunningProgram, 'pid' | 'cgroup'>) => void;
  /** Called when a program was stopped; `killedAfterMs` if only SIGKILL ended it, that long after SIGTERM. */
  readonly onStopped: (run: Installed, killedAfterMs: number | undefined) => void;
}

const MOST_FAILED_PROBES = 3;
/** How long a module that shows nothing must stay up to be ready. */
const STAYS_UP_MS = 10_000;

/** Starts a version, reports when it is ready, and once why it does not work. */
export function moduleProcess(
  run: Installed,
  start: ModuleStart,
  reports: ProcessReports,
): ModuleProcess {
  const stopping = new AbortController();
  const started = begin(run, start, stopping.signal);
  const { signal } = stopping;
  void watched(started, start, { ...reports, signal }).catch((error: unknown) => {
    // Other modules go on, whatever one meets.
    reports.failed({ reason: excerpt(String(error)), blame: 'machine' });
  });
  return {
    stop: async () => {
      stopping.abort(new Error('the process is stopped'));
      const result = await started.catch(() => undefined);
      if (!result?.ok) return;
      const { program, probe, stopMs } = result.value;
      const isRunning = program.isAlive();
      const ended = await program.stop(stopMs);
      probe.close();
      if (isRunning) start.onStopped(run, ended === 'killed' ? stopMs : undefined);
    },
  };
}

interface Started {
  readonly program: RunningProgram;
  readonly probe: ReadinessProbe;
  readonly stopMs: number;
  /** How long it may take to be ready. One that shows nothing is ready after a while. */
  readonly limitMs: number;
  readonly readyBy: string;
  readonly words: LastWords;
}

async function begin(
  run: Installed,
  start: ModuleStart,
  signal: AbortSignal,
): Promise<Result<Started, Fault>> {
  // Nothing is reported before the caller has the process.
  await Promise.resolve();
  const read = await start.runnable(run);
  if (!read.ok) return read;
  const { ready, runAs } = read.value;
  const { clock, home, terms } = start;
  const staysUpMs = Math.min(STAYS_UP_MS, terms().readyMs);
  const probe = readinessProbe(ready, { clock, home, runAs, staysUpMs });
  const obstacle = await probe.obstacle();
  const started = await launched(
    read.value,
    probe,
    start,
    obstacle ?? (signal.aborted ? 'it was stopped' : undefined),
  );
  if (!started.ok) {
    probe.close();
    return started;
  }
  const { pid, cgroup } = started.value.program;
  start.onStarted(run, { pid, cgroup });
  return started;
}

async function launched(
  { ready, readyBy, stopMs, ...runnable }: Runnable,
  probe: ReadinessProbe,
  { mark, cgroups, terms, onLine }: ModuleStart,
  obstacle: string | undefined,
): Promise<Result<Started, Fault>> {
  if (obstacle !== undefined) return { ok: false, error: { reason: obstacle, blame: 'machine' } };
  const words = lastWords(onLine);
  const program = await launch({
    ...runnable,
    environment: { ...runnable.environment, ...probe.environment },
    mark,
    cgroups,
    onLine: words.onLine,
  });
  if (!program.ok) return { ok: false, error: notStarted(program.error) };
  const limitMs = ready.kind === 'none' ? Infinity : terms().readyMs;
  return { ok: true, value: { program: program.value, probe, stopMs, limitMs, readyBy, words } };
}

async function watched(
  starting: Promise<Result<Started, Fault>>,
  { terms, clock }: ModuleStart,
  { ready, failed, signal }: ProcessReports & { readonly signal: AbortSignal },
): Promise<void> {
  const result = await starting;
  if (signal.aborted) return;
  if (!result.ok) {
    failed(result.error);
    return;
  }
  const { program, probe, limitMs, readyBy } = result.value;
  const over = new AbortController();
  const isOver = AbortSignal.any([signal, over.signal]);
  const fail = (reason: string): void => {
    if (isOver.aborted) return;
    over.abort(new Error(reason));
    failed({ reason, blame: 'release' });
  };
  void failAtEnd(result.value, fail);
  try {
    // The only answer came after the time was over, if no probe has failed.
    let last = 'it answered too late';
    const untilReady = async (until: AbortSignal): Promise<void> =>
      await probe.untilReady(until, (what) => (last = what));
    if (!(await within(limitMs, { signal: isOver, clock }, untilReady))) {
      fail(`it was not ready within ${describeDuration(limitMs)}: ${last} (${readyBy})`);
      return;
    }
    // Another process may have answered the probe (A13).
    if (!program.isAlive()) return;
    ready();
    if (!probe.failure) return;
    last = await failedProbes(probe.failure, { probeMs: terms().probeMs, clock }, isOver);
    fail(`it failed ${MOST_FAILED_PROBES} probes in a row: ${last} (${readyBy})`);
  } catch (error) {
    if (!isOver.aborted) throw error;
  }
}

async function failAtEnd(
  { program, words }: Started,
  fail: (reason: string) => void,
): Promise<void> {
  fail(words.with(describeEnd(await program.ended)));
}

/** Resolves with false if the time is over first. Rejects with the reason of `signal`. */
async function within(
  ms: number,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
  work: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const ending = new AbortController();
  const until = AbortSignal.any([signal, ending.signal]);
  const late = clock.sleep(ms, until).then(() => false);
  const done = work(until).then(() => true);
  try {
    return await Promise.race([done, late]);
  } finally {
    ending.abort(new Error('the time no longer matters'));
    await Promise.allSettled([done, late]);
  }
}

/** Resolves with the last failure once the module failed several probes in a row. Rejects with the reason of `signal`. */
async function failedProbes(
  failure: NonNullable<ReadinessProbe['failure']>,
  { probeMs, clock }: { readonly probeMs: number; readonly clock: Clock },
  signal: AbortSignal,
): Promise<string> {
  for (let failures = 0; ;) {
    await clock.sleep(probeMs, signal);
    const what = await failure();
    failures = what === undefined ? 0 : failures + 1;
    if (what !== undefined && failures === MOST_FAILED_PROBES) return what;
  }
}

import type { ActionTarget } from '../../core/index.ts';
import { deployedText } from '../../core/decision/deployed.ts';
import { unreadVariable } from '../../config/unread-variable.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Delivery, FailureReport } from '../../poller/index.ts';
import type { ClaimedFile } from '../../store/index.ts';
import type { World } from '../../base/world.ts';
import { actionDocument } from './action-document.ts';
import type { ProgramRecord } from './earlier-program.ts';
import { maskFor } from './mask.ts';
import type { PollReport } from './poll-report.ts';
import { programEnvironment, withheldValues } from './program-environment.ts';
import { failureOf } from './program-outcome.ts';
import { KILL_AFTER_MS, runProgram, type Ended } from './run-program.ts';

/** The programs of `modreg poll`, and what it needs. */
export interface Execution {
  readonly program: string;
  /** The program that runs before it, while nothing has been stopped; undefined if there is none. */
  readonly prepare: string | undefined;
  readonly timeoutMs: number;
  readonly file: ClaimedFile;
  readonly record: ProgramRecord;
  readonly report: PollReport;
  readonly world: World;
  /** Aborts when the poller is to end. */
  readonly stopping: AbortSignal;
  /** Aborts when it is to end at once. */
  readonly killing: AbortSignal;
}

/** A service manager signals all processes of a service at once: a program may end before the poller has its signal (T73). */
const STOP_GRACE_MS = 500;
const REFUSED =
  'its program runs as another user by now, so it cannot be stopped: waiting until it ends; a second signal ends modreg poll without it';
const LONGEST_REASON = 1024;
/** The most that a delivery accepts. */
const LONGEST_EXTENSION_MS = 24 * 60 * 60_000;

/**
 * Runs the programs for one action and reports the outcome. An action whose program is stopped together with the poller
 * is not acknowledged, so it is delivered again (I9).
 */
export async function carryOut(delivery: Delivery, execution: Execution): Promise<void> {
  const { environment, action } = delivery;
  const { prepare, program } = execution;
  const running = knownVersion(execution.file, action.target);
  if (!environment.ok) {
    const reason = environment.error.map(unreadVariable).join('; ');
    await delivery.failed({ reason, running, blame: 'machine' });
    return;
  }
  // A rollback ends a failure, and must not wait for a preparation (T332).
  if (prepare !== undefined && action.direction !== 'rollback') {
    const step = { program: prepare, name: 'the program of --prepare' };
    const prepared = await outcomeOf(step, delivery, execution);
    if (prepared === 'unheard') return;
    const fault = prepared === 'done' ? overdue(step, delivery, execution) : prepared;
    // It has stopped nothing, so what is deployed is still known, and nothing was restarted (T332).
    if (fault) return await delivery.failed({ ...fault, running, restarted: false });
    if (!(await mayBegin(delivery, execution))) return;
  }
  const step = { program, name: 'the program' };
  const outcome = await outcomeOf(step, delivery, execution);
  if (outcome === 'unheard') return;
  if (outcome === 'done') return await delivery.done();
  // What is deployed after a release has failed is not known; a restart deploys nothing (D41).
  const isKnown = outcome.blame === 'machine' || action.direction === 'restart';
  await delivery.failed({ ...outcome, running: isKnown ? running : undefined });
}

/** A program that is run for an action, and what messages call it. */
interface Step {
  readonly program: string;
  readonly name: string;
}

type Fault = Pick<FailureReport, 'blame' | 'reason'>;

/** How a program ended; `unheard` if nobody waits for that: the action was withdrawn, or the next poller gets it. */
async function outcomeOf(
  step: Step,
  delivery: Delivery,
  execution: Execution,
): Promise<'done' | 'unheard' | Fault> {
  const { stopping, world } = execution;
  const { ended, lastLine } = await runFor(step, delivery, execution);
  const failure = failureOf(ended, lastLine);
  if (!failure) return 'done';
  if (failure.blame === 'release' && !stopping.aborted) {
    await world.timer.sleep(STOP_GRACE_MS, stopping).catch(() => undefined);
  }
  const late = overdue(step, delivery, execution);
  if (stopping.aborted || (delivery.signal.aborted && !late)) return 'unheard';
  return late ?? failure;
}

function overdue(
  { name }: Step,
  { signal }: Delivery,
  { timeoutMs }: Execution,
): Fault | undefined {
  const { reason: cause } = signal as { readonly reason: unknown };
  const isOverdue = cause instanceof DOMException && cause.name === 'TimeoutError';
  if (!isOverdue) return undefined;
  return { reason: `${name} was stopped after ${describeDuration(timeoutMs)}`, blame: 'machine' };
}

/** Whether the action may be begun after its preparation, which takes time (D72). If not, it was taken back (T331). */
async function mayBegin(
  { action, signal, mayProceed, extend }: Delivery,
  { report, stopping, timeoutMs }: Execution,
): Promise<boolean> {
  if (stopping.aborted || signal.aborted) return false;
  const permission = await mayProceed().catch((error: unknown) => {
    if (stopping.aborted) return undefined;
    throw error;
  });
  if (!permission) return false;
  if (permission.mayProceed) {
    extend(Math.min(timeoutMs, LONGEST_EXTENSION_MS));
    return true;
  }
  // An event says what holds it.
  const isHeld = permission.because.length > 0;
  if (!isHeld)
    report.about(action.target.name, 'info', `prepared, but not begun: ${permission.text}`);
  return false;
}

async function runFor(
  step: Step,
  delivery: Delivery,
  { record, report, world, stopping, killing }: Execution,
): Promise<{ readonly ended: Ended; readonly lastLine: string | undefined }> {
  const { name } = delivery.action.target;
  const mask = maskFor(delivery, withheldValues(world));
  let lastLine: string | undefined;
  const running = new AbortController();
  report.runs(name, step.name);
  const ended = await runProgram({
    program: step.program,
    environment: programEnvironment(world),
    input: `${actionDocument(delivery)}\n`,
    signal: AbortSignal.any([delivery.signal, stopping]),
    kill: killing,
    onStart: (pid) => {
      const seconds = KILL_AFTER_MS / 1000;
      const waits = `waiting up to ${seconds} s for its program (process ${pid}) to end`;
      stopping.addEventListener('abort', () => report.about(name, 'info', waits), {
        once: true,
        signal: running.signal,
      });
      try {
        record.note(pid);
      } catch (error) {
        report.about(name, 'warn', `the running program cannot be recorded (${codeOf(error)})`);
      }
    },
    onRefused: () => report.about(name, 'warn', REFUSED),
    onLine: (text, stream) => {
      const line = mask(text);
      report.about(name, 'info', line);
      if (stream === 'stderr' && line.trim() !== '') lastLine = cut(line);
    },
  });
  running.abort();
  // The next poller waits for one that runs on.
  if (ended.kind !== 'left') record.clear();
  return { ended, lastLine };
}

/** At most 1 KiB of a line. */
function cut(line: string): string {
  const bytes = Buffer.from(line);
  if (bytes.length <= LONGEST_REASON) return line;
  // A character that is cut in two is dropped.
  return bytes.subarray(0, LONGEST_REASON).toString().replace(/�$/, '');
}

/** The version that was deployed before the program ran; undefined if it is not known. */
function knownVersion({ state }: ClaimedFile, target: ActionTarget): string | null | undefined {
  const { deployed } = state.memory().of(target);
  return deployed.kind === 'none' ? null : deployedText(deployed);
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? excerpt(String(error));
}

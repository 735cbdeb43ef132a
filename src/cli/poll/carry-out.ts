import type { ActionTarget } from '../../core/index.ts';
import { deployedText } from '../../core/decision/deployed.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Delivery } from '../../poller/index.ts';
import type { ClaimedFile } from '../../store/index.ts';
import type { World } from '../../base/world.ts';
import { actionDocument } from './action-document.ts';
import type { ProgramRecord } from './earlier-program.ts';
import { maskFor } from './mask.ts';
import type { PollReport } from './poll-report.ts';
import { programEnvironment, withheldValues } from './program-environment.ts';
import { failureOf } from './program-outcome.ts';
import { KILL_AFTER_MS, runProgram, type Ended } from './run-program.ts';

/** The program of `modreg poll`, and what it needs. */
export interface Execution {
  readonly program: string;
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
const LONGEST_REASON = 1024;

/**
 * Runs the program for one action and reports the outcome. An action whose program is stopped together with the poller
 * is not acknowledged, so it is delivered again (I9).
 */
export async function carryOut(delivery: Delivery, execution: Execution): Promise<void> {
  const { signal, environment, action } = delivery;
  const { stopping, timeoutMs, world } = execution;
  const running = knownVersion(execution.file, action.target);
  if (!environment.ok) {
    const reason = environment.error.map(describeVariable).join('; ');
    await delivery.failed({ reason, running, blame: 'machine' });
    return;
  }
  const { ended, lastLine } = await runFor(delivery, execution);
  const failure = failureOf(ended, lastLine);
  if (!failure) {
    await delivery.done();
    return;
  }
  if (failure.blame === 'release' && !stopping.aborted) {
    await world.timer.sleep(STOP_GRACE_MS, stopping).catch(() => undefined);
  }
  // The action was withdrawn, or is delivered again to the next poller.
  const { reason: cause } = signal as { readonly reason: unknown };
  const isOverdue = cause instanceof DOMException && cause.name === 'TimeoutError';
  if (stopping.aborted || (signal.aborted && !isOverdue)) return;
  if (isOverdue) {
    const reason = `the program was stopped after ${describeDuration(timeoutMs)}`;
    await delivery.failed({ reason, running, blame: 'machine' });
    return;
  }
  // What is deployed after a release has failed is not known; a restart deploys nothing (D41).
  const isKnown = failure.blame === 'machine' || action.direction === 'restart';
  await delivery.failed({ ...failure, running: isKnown ? running : undefined });
}

async function runFor(
  delivery: Delivery,
  { program, record, report, world, stopping, killing }: Execution,
): Promise<{ readonly ended: Ended; readonly lastLine: string | undefined }> {
  const { name } = delivery.action.target;
  const mask = maskFor(delivery, withheldValues(world));
  let lastLine: string | undefined;
  const running = new AbortController();
  const ended = await runProgram({
    program,
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
    onLine: (text, stream) => {
      const line = mask(text);
      report.about(name, 'info', line);
      if (stream === 'stderr' && line.trim() !== '') lastLine = cut(line);
    },
  });
  running.abort();
  record.clear();
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

function describeVariable({
  kind,
  variable,
  reader,
}: Extract<Delivery['environment'], { ok: false }>['error'][number]): string {
  const what = kind === 'unset-variable' ? 'is not set' : 'is a secret of the agent';
  return `${variable}, which the variable ${excerpt(reader)} of the module reads, ${what}`;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? excerpt(String(error));
}

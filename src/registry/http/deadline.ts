import { RegistryError } from '../registry-error.ts';
import type { Limits } from './limits.ts';

/** The time limits of one response. */
export interface Deadline {
  /** Aborts with a RegistryError when a limit is exceeded, or with the reason of the caller's signal. */
  readonly signal: AbortSignal;
  /** Call when a part of the request was sent. */
  progress(): void;
  /** Call when the header has arrived. */
  begin(): void;
  /** Call when `bytes` bytes of the body have arrived. */
  receive(bytes: number): void;
  /** Stops the timers. Call it in every case. */
  stop(): void;
}

const RATE_CHECK_MS = 100;
const NO_ANSWER = 'did not begin its response within';
const STALLED = 'stalled: it sent nothing more for';

/** Starts the time limits for a response of the registry `where`. `callerSignal` also aborts the deadline. */
export function startDeadline(where: string, limits: Limits, callerSignal?: AbortSignal): Deadline {
  const { answerMs, idleMs, totalMs } = limits;
  const controller = new AbortController();
  const expire = (what: string): void => {
    controller.abort(new RegistryError('registry-timeout', `${where} ${what}`));
  };
  const unfollow = follow(controller, callerSignal);
  const startTimer = (what: string, ms: number): NodeJS.Timeout =>
    setTimeout(() => expire(`${what} ${seconds(ms)}`), ms);
  const total = startTimer('did not finish its response within', totalMs);
  let phase = startTimer(NO_ANSWER, answerMs);
  let rate: NodeJS.Timeout | undefined;
  let received = 0;
  let isOver = false;

  const restart = (what: string, ms: number): void => {
    if (isOver) return;
    clearTimeout(phase);
    phase = startTimer(what, ms);
  };
  return {
    signal: controller.signal,
    progress: () => restart(NO_ANSWER, answerMs),
    begin() {
      if (isOver) return;
      restart(STALLED, idleMs);
      rate = watchRate(limits, () => received, expire);
    },
    receive(bytes) {
      received += bytes;
      restart(STALLED, idleMs);
    },
    stop() {
      isOver = true;
      unfollow();
      clearTimeout(total);
      clearTimeout(phase);
      clearInterval(rate);
    },
  };
}

/** Aborts `controller` when `signal` aborts, until the returned function is called. */
function follow(controller: AbortController, signal: AbortSignal | undefined): () => void {
  const abort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return () => signal?.removeEventListener('abort', abort);
}

/** Calls `expire` when the average rate of a body is too low. */
function watchRate(
  { slowAfterMs, leastBytesPerSecond }: Limits,
  received: () => number,
  expire: (what: string) => void,
): NodeJS.Timeout {
  const began = performance.now();
  return setInterval(() => {
    const elapsed = performance.now() - began;
    if (elapsed < slowAfterMs || received() >= (leastBytesPerSecond * elapsed) / 1000) return;
    expire(`is too slow: ${received()} bytes in ${seconds(elapsed)}`);
  }, RATE_CHECK_MS);
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

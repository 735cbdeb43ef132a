import { RegistryError } from '../registry-error.ts';
import type { Limits } from './limits.ts';

/** The time limits of one answer. */
export interface Deadline {
  /** Aborted with a RegistryError when a limit is passed, or with the reason of whoever calls it off. */
  readonly signal: AbortSignal;
  /** The header is here. */
  begin(): void;
  /** `bytes` of the body are here. */
  receive(bytes: number): void;
  /** Stops the timers, whatever became of the answer. */
  stop(): void;
}

const RATE_CHECK_MS = 100;

/** Starts the limits for an answer of `where`, which `calledOff` ends too. */
export function startDeadline(where: string, limits: Limits, calledOff?: AbortSignal): Deadline {
  const { answerMs, idleMs, totalMs } = limits;
  const controller = new AbortController();
  const end = (what: string): void => {
    controller.abort(new RegistryError('registry-timeout', `${where} ${what}`));
  };
  const unfollow = follow(controller, calledOff);
  const total = setTimeout(() => end(`did not end its answer within ${seconds(totalMs)}`), totalMs);
  let phase = setTimeout(() => end(`began no answer within ${seconds(answerMs)}`), answerMs);
  let rate: NodeJS.Timeout | undefined;
  let received = 0;
  let isOver = false;

  const awaitMore = (): void => {
    clearTimeout(phase);
    phase = setTimeout(() => end(`stalled: no more of its answer for ${seconds(idleMs)}`), idleMs);
  };
  return {
    signal: controller.signal,
    begin() {
      if (isOver) return;
      awaitMore();
      rate = watchRate(limits, () => received, end);
    },
    receive(bytes) {
      if (isOver) return;
      received += bytes;
      awaitMore();
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

/** Aborts `controller` with `signal`, until the function that it gives back is called. */
function follow(controller: AbortController, signal: AbortSignal | undefined): () => void {
  const abort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return () => signal?.removeEventListener('abort', abort);
}

/** Calls `end` once a body comes more slowly than it may. */
function watchRate(
  { slowAfterMs, leastBytesPerSecond }: Limits,
  received: () => number,
  end: (what: string) => void,
): NodeJS.Timeout {
  const began = performance.now();
  return setInterval(() => {
    const elapsed = performance.now() - began;
    if (elapsed < slowAfterMs || received() >= (leastBytesPerSecond * elapsed) / 1000) return;
    end(`is too slow: ${received()} bytes in ${seconds(elapsed)}`);
  }, RATE_CHECK_MS);
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

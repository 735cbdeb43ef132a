import { RegistryError } from '../registry-error.ts';
import type { Limits } from './limits.ts';

/** The time limits of one answer, as a signal that is aborted with a RegistryError when one is passed. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** The header is here. */
  begin(): void;
  /** `bytes` of the body are here. */
  receive(bytes: number): void;
  /** Stops the timers, whatever became of the answer. */
  stop(): void;
}

const RATE_CHECK_MS = 100;

/** Starts the limits for an answer of `where`. */
export function startDeadline(where: string, limits: Limits): Deadline {
  const { answerMs, idleMs, totalMs, slowAfterMs, leastBytesPerSecond } = limits;
  const controller = new AbortController();
  const end = (what: string): void => {
    controller.abort(new RegistryError('registry-timeout', `${where} ${what}`));
  };
  const total = setTimeout(() => end(`did not end its answer within ${seconds(totalMs)}`), totalMs);
  let phase = setTimeout(() => end(`began no answer within ${seconds(answerMs)}`), answerMs);
  let rate: NodeJS.Timeout | undefined;
  let received = 0;

  const awaitMore = (): void => {
    clearTimeout(phase);
    phase = setTimeout(() => end(`stalled: no more of its answer for ${seconds(idleMs)}`), idleMs);
  };
  return {
    signal: controller.signal,
    begin() {
      awaitMore();
      const began = performance.now();
      rate = setInterval(() => {
        const elapsed = performance.now() - began;
        if (elapsed < slowAfterMs || received >= (leastBytesPerSecond * elapsed) / 1000) return;
        end(`is too slow: ${received} bytes in ${seconds(elapsed)}`);
      }, RATE_CHECK_MS);
    },
    receive(bytes) {
      received += bytes;
      awaitMore();
    },
    stop() {
      clearTimeout(total);
      clearTimeout(phase);
      clearInterval(rate);
    },
  };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

import { type MaintenanceAnswer, readMaintenanceAnswer } from '../core/decision/timing-policies.ts';
import type { Clock } from '../registry/clock.ts';
import { during } from './during.ts';

/** How long a callback of the agent may take. */
const CALLBACK_TIMEOUT_MS = 10_000;

/** What a callback of the agent returned, or why it returned nothing. */
export type CallbackResult<T> =
  | { readonly kind: 'returned'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'timed-out' };

/** Calls a callback of the agent, and waits for at most ten seconds. Rejects only with the reason of `signal`. */
export async function callback<T>(
  call: () => T | Promise<T>,
  clock: Clock,
  signal: AbortSignal,
): Promise<CallbackResult<T>> {
  return await during(signal, async (waiting) => {
    const deadline = clock.sleep(CALLBACK_TIMEOUT_MS, waiting);
    return await Promise.race([
      resultOf(call),
      deadline.then((): CallbackResult<T> => ({ kind: 'timed-out' })),
    ]);
  });
}

async function resultOf<T>(call: () => T | Promise<T>): Promise<CallbackResult<T>> {
  try {
    return { kind: 'returned', value: await call() };
  } catch (error) {
    return { kind: 'failed', error };
  }
}

/** Reads the answer of the agent. A callback that fails or times out does not allow maintenance (D29). */
export function maintenanceAnswer(answer: CallbackResult<unknown>): MaintenanceAnswer {
  return answer.kind === 'returned' ? readMaintenanceAnswer(answer.value) : answer.kind;
}

import { type MaintenanceAnswer } from '../core/index.ts';
import { readMaintenanceAnswer } from '../core/decision/timing-policies.ts';
import type { Clock } from '../registry/index.ts';
import { during } from './during.ts';

/** How long the agent may take to answer. */
const CALLBACK_TIMEOUT_MS = 10_000;

/** What a function of the agent answered, or why it did not. */
export type AgentAnswer<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'timed-out' };

/** Asks the agent, which may take ten seconds. Rejects with the reason of `signal`, and with nothing else. */
export async function askAgent<T>(
  ask: () => T | Promise<T>,
  clock: Clock,
  signal: AbortSignal,
): Promise<AgentAnswer<T>> {
  return await during(signal, async (waiting) => {
    const patience = clock.sleep(CALLBACK_TIMEOUT_MS, waiting);
    return await Promise.race([
      answerOf(ask),
      patience.then((): AgentAnswer<T> => ({ kind: 'timed-out' })),
    ]);
  });
}

async function answerOf<T>(ask: () => T | Promise<T>): Promise<AgentAnswer<T>> {
  try {
    return { kind: 'answered', value: await ask() };
  } catch (error) {
    return { kind: 'failed', error };
  }
}

/** Whether the agent allows maintenance. (D29) */
export function maintenanceAnswer(answer: AgentAnswer<unknown>): MaintenanceAnswer {
  return answer.kind === 'answered' ? readMaintenanceAnswer(answer.value) : answer.kind;
}

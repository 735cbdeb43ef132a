import { readMaintenanceAnswer, type MaintenanceAnswer } from '../core/index.ts';
import type { Clock } from '../registry/index.ts';
import { during } from './during.ts';

/** How long the agent may take to answer. */
const PATIENCE_MS = 10_000;

/** What a function of the agent answered, or why it did not. */
export type AgentAnswer =
  | { readonly kind: 'answered'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'timed-out' };

/** Asks the agent, which may take ten seconds. Rejects with the reason of `signal`, and with nothing else. */
export async function askAgent(
  ask: () => unknown,
  clock: Clock,
  signal: AbortSignal,
): Promise<AgentAnswer> {
  return await during(signal, async (waiting) => {
    const patience = clock.sleep(PATIENCE_MS, waiting);
    return await Promise.race([
      answerOf(ask),
      patience.then((): AgentAnswer => ({ kind: 'timed-out' })),
    ]);
  });
}

async function answerOf(ask: () => unknown): Promise<AgentAnswer> {
  try {
    return { kind: 'answered', value: await ask() };
  } catch (error) {
    return { kind: 'failed', error };
  }
}

/** Whether the agent allows maintenance. (D29) */
export function maintenanceAnswer(answer: AgentAnswer): MaintenanceAnswer {
  return answer.kind === 'answered' ? readMaintenanceAnswer(answer.value) : answer.kind;
}

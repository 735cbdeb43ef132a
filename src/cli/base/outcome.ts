import type { Result } from '../../core/index.ts';
import { failed, type Outcome, type Problem } from '../../base/problem.ts';

/** Whether the answer is JSON. */
export interface AnswerOptions {
  readonly json?: true;
}

/** The outcome of a command that has the value, as `say` says it, or the problem. */
export function outcomeOf<T>(
  result: Result<T, Problem>,
  say: (value: T) => Partial<Outcome>,
): Outcome {
  return result.ok
    ? { answer: [], notes: [], problems: [], ...say(result.value) }
    : failed(result.error);
}

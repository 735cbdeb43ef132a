import type { Plan } from '../../core/index.ts';
import { withReadableTimes } from '../../core/text/time-words.ts';
import { timeZoneIn } from '../../config/time-zone.ts';
import type { Outcome, Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { planOf, type PlanTerms, type Planned } from '../../host/plan/machine-plan.ts';
import { planDocument } from '../../host/plan/plan-document.ts';
import { planProblems } from '../../host/plan/plan-problems.ts';
import { jsonLine } from '../base/answer-json.ts';
import { planTable } from './plan-answer.ts';

export interface PlanOptions extends PlanTerms {
  readonly exitCode?: true;
  /** Whether warnings are errors. */
  readonly strict?: true;
}

/** `modreg plan <machine.json>`: shows what the machine should run now, why, and which components would stop. */
export async function planCommand(
  path: string,
  options: PlanOptions,
  world: World,
): Promise<Outcome> {
  const planned = await planOf(path, options, world);
  if (!planned.ok) return { answer: [], notes: [], problems: planned.error };
  const problems = planProblems(planned.value);
  return {
    answer: options.json
      ? [jsonLine(planDocument(planned.value))]
      : planTable(planned.value, world.columns),
    notes: [],
    problems: options.json ? problems : problems.map((one) => readable(one, planned.value)),
    ending: endingOf(planned.value.plan, problems, options),
  };
}

/** The problem with its times as people read them. */
function readable(problem: Problem, { now, documents }: Planned): Problem {
  const times = { now, timeZone: timeZoneIn(documents.policy) };
  const because = problem.because?.map((line) => withReadableTimes(line, times)) ?? [];
  return { ...problem, message: withReadableTimes(problem.message, times), because };
}

function endingOf(
  { modules, subsystems }: Plan,
  { length }: readonly Problem[],
  { strict, exitCode }: PlanOptions,
): Outcome['ending'] {
  if (strict && length > 0) return 'no';
  const rows = [...modules, ...subsystems];
  const isPending = rows.some(({ decision: { kind } }) => kind === 'replace' || kind === 'hold');
  return exitCode && isPending ? 'pending' : undefined;
}

import type { PlanRow } from '../../core/plan/plan.ts';
import { describeYanked } from '../../core/explanation/words.ts';
import type { Problem } from '../../base/problem.ts';

/** The problems of a plan for a person who has read its lines: the reason of a yank that these say is not repeated (D412). */
export function saidOnce(
  problems: readonly Problem[],
  rows: readonly PlanRow[],
  answer: readonly string[],
): Problem[] {
  // A reason may continue in the next line of its column.
  const text = answer.map((line) => line.trim()).join(' ');
  const yanks = rows
    .flatMap(({ warnings }) => warnings)
    .flatMap((one) => (one.kind === 'deployed-yanked' ? describeYanked(one.because) : []))
    .filter((yank) => text.includes(yank));
  return problems.flatMap((problem) => {
    const said = yanks.find((yank) => problem.message.includes(yank));
    if (said === undefined) return problem;
    if (problem.kind === 'ahead') return [];
    if (problem.kind !== 'deployed-yanked') return problem;
    return { ...problem, message: problem.message.replace(said, () => 'yanked') };
  });
}

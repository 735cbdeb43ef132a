import type { Plan } from '../../core/index.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { describeTime } from '../../core/text/time-words.ts';
import { timeZoneIn } from '../../config/time-zone.ts';
import type { Outcome, Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { planFor, type PlanTerms } from '../../host/plan/machine-plan.ts';
import { planDocument } from '../../host/plan/plan-document.ts';
import { releaseNotes } from '../../host/plan/release-notes-of.ts';
import { planProblems } from '../../host/plan/plan-problems.ts';
import { isTooYoung } from '../../core/plan/waiting-for-age.ts';
import { documentsInUse, followedAsJson, followedAt } from '../../host/served/documents-in-use.ts';
import { siteNotesHere } from '../../host/served/site-notes.ts';
import { jsonLine } from '../base/answer-json.ts';
import { planTable } from './plan-answer.ts';
import { saidOnce } from './said-once.ts';

export interface PlanOptions extends PlanTerms {
  readonly exitCode?: true;
  /** Whether warnings are errors. */
  readonly strict?: true;
}

const NEW_MACHINE =
  'note: no agent or poller has run here, so no module counts as deployed; --deployed <file> says what is';

/** `modreg plan <machine.json>`: shows what the machine should run now, why, and which components would stop. */
export async function planCommand(
  path: string,
  options: PlanOptions,
  world: World,
): Promise<Outcome> {
  const terms = { ...options, isUnsavedIfNew: true } as const;
  const planned = await planFor(path, documentsInUse(path, options, world), terms, world);
  if (!planned.ok) return { answer: [], notes: [], problems: planned.error };
  const { now, documents } = planned.value;
  const times = { now, timeZone: timeZoneIn(documents.policy) };
  const shown = options.json ? formatTime : (ms: number): string => describeTime(ms, times);
  const problems = planProblems(planned.value, shown);
  const followed = followedAt(path, world);
  const { modules, subsystems } = planned.value.plan;
  const table = options.json ? undefined : planTable(planned.value, world.columns);
  return {
    ...(table ?? {
      answer: [
        jsonLine({
          ...planDocument(planned.value),
          ...(followed && { site: followedAsJson(followed) }),
        }),
      ],
    }),
    notes: [
      ...(planned.value.isNew ? [NEW_MACHINE] : []),
      ...releaseNotes(modules, planned.value.lists.modules),
      ...(followed ? siteNotesHere(world) : []),
    ],
    problems: table ? saidOnce(problems, [...modules, ...subsystems], table.answer) : problems,
    ending: endingOf(planned.value.plan, problems, options),
  };
}

function endingOf(
  { modules, subsystems }: Plan,
  { length }: readonly Problem[],
  { strict, exitCode }: PlanOptions,
): Outcome['ending'] {
  if (strict && length > 0) return 'no';
  const rows = [...modules, ...subsystems];
  const isPending = rows.some(
    (row) => row.decision.kind === 'replace' || row.decision.kind === 'hold' || isTooYoung(row),
  );
  return exitCode && isPending ? 'pending' : undefined;
}

import { planMachine, type Plan, type Result } from '../../core/index.ts';
import { NOT_ASKED } from '../../core/plan/plan.ts';
import { parseTime } from '../../core/text/rfc3339.ts';
import { planInputFor, type Circumstances } from '../../core/plan/plan-input.ts';
import { moduleListOf } from '../../registry/module-list.ts';
import { platformOf, readMaxAge, type ListOptions } from '../resolve/list-options.ts';
import type { Planned } from './planned.ts';
import { planTable } from './plan-answer.ts';
import { readPlanDocuments } from './plan-documents.ts';
import { planAsJson } from './plan-json.ts';
import { factsFor, type Facts } from './plan-facts.ts';
import { readPlanLists } from './plan-lists.ts';
import { planProblems } from './plan-problems.ts';
import { parseProblem, type Outcome, type Problem } from '../problem.ts';
import type { World } from '../world.ts';

export interface PlanOptions extends ListOptions {
  readonly deployed?: string;
  readonly exitCode?: true;
}

/** `modreg plan <machine.json>`: shows what the machine should run now, why, and which components would stop. */
export async function planCommand(
  path: string,
  options: PlanOptions,
  world: World,
): Promise<Outcome> {
  const planned = await planOf(path, options, world);
  if (!planned.ok) return { answer: [], notes: [], problems: planned.error };
  const { plan } = planned.value;
  const isPending = [...plan.modules, ...plan.subsystems].some(
    ({ decision: { kind } }) => kind === 'replace' || kind === 'hold',
  );
  return {
    answer: options.json ? [planAsJson(planned.value)] : planTable(planned.value),
    notes: [],
    problems: planProblems(planned.value),
    ending: options.exitCode && isPending ? 'pending' : undefined,
  };
}

async function planOf(
  path: string,
  options: PlanOptions,
  world: World,
): Promise<Result<Planned, Problem[]>> {
  const platform = platformOf(options, world);
  const at = options.at === undefined ? undefined : parseTime(options.at);
  const maxAge = readMaxAge(options.maxAge);
  const documents = readPlanDocuments(path, options);
  if (!platform.ok || at?.ok === false || !maxAge.ok || !documents.ok) {
    const problems = [
      ...(platform.ok ? [] : [platform.error]),
      ...(at?.ok === false ? [parseProblem(at.error)] : []),
      ...(maxAge.ok ? [] : [maxAge.error]),
      ...(documents.ok ? [] : documents.error),
    ];
    return { ok: false, error: problems };
  }
  const facts = await factsFor(documents.value, world);
  if (!facts.ok) return { ok: false, error: [facts.error] };
  const known = { documents: documents.value, facts: facts.value };
  const reading = { ...options, maxAgeMs: maxAge.value };
  const lists = await readPlanLists(path, known, reading, world);
  if (!lists.ok) return { ok: false, error: [lists.error] };
  const inputs = { path, documents: documents.value, lists: lists.value };
  const now = at?.value ?? world.clock();
  const plan = decideOn(
    { ...known, lists: lists.value },
    { now, isAsOf: at !== undefined, platform: platform.value },
  );
  return {
    ok: true,
    value: { ...inputs, plan, platform: platform.value, now, isAsOf: at !== undefined },
  };
}

function decideOn(
  { documents, lists, facts }: Pick<Planned, 'documents' | 'lists'> & { readonly facts: Facts },
  { now, isAsOf, platform }: Pick<Planned, 'now' | 'isAsOf' | 'platform'>,
): Plan {
  const circumstances: Circumstances = {
    platform,
    now,
    laterReleases: isAsOf ? 'refuse' : 'allow',
    isServerBusy: false,
    knownOf: (target) => {
      const readings = target.kind === 'module' ? lists.modules : lists.subsystems;
      const reading = readings.get(target.name);
      return { ...facts(target), list: reading ? moduleListOf(reading) : NOT_ASKED };
    },
  };
  return planMachine(planInputFor(documents, circumstances));
}

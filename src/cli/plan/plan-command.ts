import type { Machine } from '../../config/index.ts';
import { planMachine, type Plan, type Result } from '../../core/index.ts';
import { NOT_ASKED } from '../../core/plan/plan.ts';
import { formatTime, parseTime } from '../../core/text/rfc3339.ts';
import { describeTime } from '../../core/text/time-words.ts';
import { planInputFor, type Circumstances } from '../../core/plan/plan-input.ts';
import { moduleListOf } from '../../registry/module-list.ts';
import { machineIdOf } from '../../host/machine-id.ts';
import { platformOf, readMaxAge, type ListOptions } from '../../host/list-options.ts';
import type { DocumentFile } from '../../host/document-file.ts';
import { timeZoneIn } from '../base/time-zone.ts';
import type { Planned } from './planned.ts';
import { planTable } from './plan-answer.ts';
import { readPlanDocuments } from '../../host/plan-documents.ts';
import { planAsJson } from './plan-json.ts';
import { factsFor, type Facts } from '../../host/plan-facts.ts';
import { readPlanLists } from '../../host/plan-lists.ts';
import { planProblems } from './plan-problems.ts';
import { parseProblem, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';

export interface PlanOptions extends ListOptions {
  readonly deployed?: string;
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
  const { now, documents } = planned.value;
  const times = { now, timeZone: timeZoneIn(documents.policy) };
  const shown = options.json ? formatTime : (ms: number): string => describeTime(ms, times);
  const problems = planProblems(planned.value, shown);
  return {
    answer: options.json ? [planAsJson(planned.value)] : planTable(planned.value, world.columns),
    notes: [],
    problems,
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
  const isPending = rows.some(({ decision: { kind } }) => kind === 'replace' || kind === 'hold');
  return exitCode && isPending ? 'pending' : undefined;
}

/** The plan of the machine at `path`, with its inputs. With `machineFile`, that is the machine config instead. */
export async function planOf(
  path: string,
  options: PlanOptions,
  world: World,
  machineFile?: DocumentFile,
): Promise<Result<Planned, Problem[]>> {
  const platform = platformOf(options, world);
  const at = options.at === undefined ? undefined : parseTime(options.at);
  const maxAge = readMaxAge(options.maxAge);
  const documents = readPlanDocuments(path, options, machineFile);
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
  const isAsOf = at !== undefined;
  const now = at?.value ?? world.clock();
  const circumstances = { platform: platform.value, machineId: machineIdOf(world), now, isAsOf };
  const inputs = { path, ...known, lists: lists.value, ...circumstances };
  return { ok: true, value: { ...inputs, plan: decideOn(inputs) } };
}

/** What a plan is based on instead of what is. */
export interface Supposition {
  readonly machine?: Machine;
  readonly facts?: Facts;
}

/** What would be planned with the same lists at the same time. The supposed machine has the same modules. */
export function planSupposing(planned: Planned, { machine, facts }: Supposition): Plan {
  return decideOn({
    ...planned,
    facts: facts ?? planned.facts,
    documents: { ...planned.documents, ...(machine && { machine }) },
  });
}

/** With `--at`, the list counts as confirmed at that time. */
function decideOn({
  documents,
  lists,
  facts,
  now,
  isAsOf,
  platform,
  machineId,
}: Omit<Planned, 'path' | 'plan'>): Plan {
  const circumstances: Circumstances = {
    platform,
    machineId: machineId.ok ? machineId.value : undefined,
    now,
    laterReleases: isAsOf ? 'refuse' : 'allow',
    isServerBusy: false,
    knownOf: (target) => {
      const readings = target.kind === 'module' ? lists.modules : lists.subsystems;
      const reading = readings.get(target.name);
      const list = reading ? moduleListOf(reading) : NOT_ASKED;
      return { ...facts(target), list: isAsOf ? { ...list, readAt: undefined } : list };
    },
  };
  return planMachine(planInputFor(documents, circumstances));
}

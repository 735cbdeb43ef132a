import { describeDecision, type Result } from '../../core/index.ts';
import { crashLoopEnd } from '../../core/plan/crash-loop.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import type {
  MachineStatus,
  MachineView,
  PagedMachine,
  PageProblem,
} from '../../page/paged-machine.ts';
import { isPolled } from '../../store/claim.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import { usingFile } from '../../host/open-state.ts';
import { statusAsJson } from '../machine/status-json.ts';
import { statusIn } from '../machine/status-command.ts';
import { timeZoneIn } from '../base/time-zone.ts';
import { describeListsOf } from '../plan/plan-answer.ts';
import { planOf } from '../plan/plan-command.ts';
import { planAsJson } from '../plan/plan-json.ts';
import { planProblems } from '../plan/plan-problems.ts';
import { answerAsJson } from '../resolve/resolve-answer.ts';
import { markOf } from './machine-mark.ts';
import type { World } from '../../base/world.ts';
import { configOnPage } from './config-on-page.ts';
import { logPart } from './log-part.ts';
import { FROM_SAVED, type PageMachineOptions } from './page-machine-options.ts';
import { asPageProblem, onPage } from './page-problem.ts';
import { titleOf } from './page-title.ts';
import { pastDecisions } from './past-decisions.ts';
import { quarantineOnPage } from './quarantine-on-page.ts';
import { requestsOnPage } from './requests-on-page.ts';
import { versionsOnPage } from './versions-on-page.ts';

export type { PageMachineOptions } from './page-machine-options.ts';

/** The machine whose config is at `path`, for the page. */
export function machineOnPage(
  path: string,
  options: PageMachineOptions,
  world: World,
): PagedMachine {
  return {
    title: titleOf(path),
    ...requestsOnPage(path, options, world),
    ...quarantineOnPage(world),
    ...versionsOnPage(path, options, world),
    ...configOnPage(path, options, world),
    view: () => viewOf(path, options, world),
    explain: (name) => explanation(name, path, options, world),
    history: (named) => onPage(pastDecisions(named, world)),
    logs: (query) => onPage(logPart(query, world)),
    mark: () => markOf(path, options, world),
    look: async () => {
      const planned = await planOf(path, options, world);
      return planned.ok
        ? { ok: true, value: undefined }
        : { ok: false, error: planned.error.map(asPageProblem) };
    },
  };
}

async function viewOf(
  path: string,
  options: PageMachineOptions,
  world: World,
): Promise<Result<MachineView, PageProblem[]>> {
  const planned = await planOf(path, { ...options, ...FROM_SAVED }, world);
  if (!planned.ok) return { ok: false, error: planned.error.map(asPageProblem) };
  const { plan, documents, now } = planned.value;
  const status = usingFile(world, 'read', (file) => ({
    status: statusIn(file, world),
    state: stateIn(machineStateIn(file), isPolled(file.path), now),
  }));
  if (!status.ok && !status.error.isAbsent) {
    return { ok: false, error: [asPageProblem(status.error)] };
  }
  const known = status.ok ? status.value : undefined;
  return {
    ok: true,
    value: {
      title: titleOf(path),
      now,
      plan,
      state: known?.state,
      lists: describeListsOf(planned.value),
      timeZone: timeZoneIn(documents.policy),
      problems: planProblems(planned.value).map(asPageProblem),
      documents: { plan: planAsJson(planned.value), status: statusAsJson(known?.status, now) },
    },
  };
}

function stateIn(
  state: ReturnType<typeof machineStateIn>,
  isRunning: boolean,
  now: number,
): MachineStatus {
  const memory = state.memory();
  const { round } = state.poller();
  const poller = {
    isRunning,
    lastRound: round?.at,
    trouble: round?.trouble,
    crashLoopUntil: crashLoopEnd(memory.starts, now),
  };
  return { memory, poller };
}

async function explanation(
  name: string,
  path: string,
  options: PageMachineOptions,
  world: World,
): Promise<Result<string, PageProblem[]>> {
  const planned = await planOf(path, { ...options, ...FROM_SAVED }, world);
  if (!planned.ok) return { ok: false, error: planned.error.map(asPageProblem) };
  const { plan, lists } = planned.value;
  const row = plan.modules.find((one) => one.name === name);
  const list = lists.modules.get(name);
  const resolution = row?.decision.resolution;
  if (row && list?.ok && resolution) {
    const { moduleId } = row;
    const answered = { moduleId, machine: undefined, list: list.value, resolution };
    return { ok: true, value: answerAsJson(answered, { withRefused: true }) };
  }
  const message = row
    ? `${name}: ${describeDecision(row.decision)}`
    : `${quote(name)} names no module of ${excerpt(path)}`;
  return { ok: false, error: [{ code: 'NOT_RECORDED', message }] };
}

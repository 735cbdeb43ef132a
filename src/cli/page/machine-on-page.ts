import { basename } from 'node:path';
import { hostname } from 'node:os';
import type { Result } from '../../core/index.ts';
import { crashLoopEnd } from '../../core/plan/crash-loop.ts';
import type {
  MachineStatus,
  MachineView,
  PagedMachine,
  PageProblem,
} from '../../page/paged-machine.ts';
import { isPolled } from '../../store/claim.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import { printedCode } from '../codes.ts';
import { usingFile } from '../machine/open-state.ts';
import { statusAsJson } from '../machine/status-json.ts';
import { statusIn } from '../machine/status-command.ts';
import { timeZoneIn } from '../output/time-zone.ts';
import { describeListsOf } from '../plan/plan-answer.ts';
import { planOf, type PlanOptions } from '../plan/plan-command.ts';
import { planAsJson } from '../plan/plan-json.ts';
import { planProblems } from '../plan/plan-problems.ts';
import type { Problem } from '../problem.ts';
import type { World } from '../world.ts';

export type PageMachineOptions = Omit<PlanOptions, 'at' | 'deployed' | 'exitCode' | 'strict'>;

/** The machine whose config is at `path`, for the page. */
export function machineOnPage(
  path: string,
  options: PageMachineOptions,
  world: World,
): PagedMachine {
  return {
    view: () => viewOf(path, options, world),
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
  const planned = await planOf(path, { ...options, offline: true }, world);
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
      title: `${hostname()} · ${basename(path)}`,
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

/** A problem of the command line for the page. */
function asPageProblem({ kind, message, because = [], hint }: Problem): PageProblem {
  return { code: printedCode(kind), message, because, hint };
}

import { hostname } from 'node:os';
import { basename } from 'node:path';
import { describeDecision, type Result } from '../../core/index.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { readable } from '../../core/text/time-words.ts';
import { platformHome } from '../../config/platform-home.ts';
import { timeZoneIn } from '../../config/time-zone.ts';
import type { World } from '../../base/world.ts';
import { recentDecisions, type RecentDecision } from '../../host/history/past-decisions.ts';
import { reasonAlone } from '../../host/history/told-history.ts';
import { labelFor } from '../../host/machine-row.ts';
import { logPart } from '../../host/machine-log.ts';
import { markOf } from '../../host/machine-mark.ts';
import {
  planFromSaved,
  planFor,
  type SavedPlanTerms,
  describeListsOf,
} from '../../host/plan/machine-plan.ts';
import { documentsInUse } from '../../host/served/documents-in-use.ts';
import { planDocument } from '../../host/plan/plan-document.ts';
import { planProblems } from '../../host/plan/plan-problems.ts';
import { siteWarnings } from '../../host/served/site-notes.ts';
import { targetNotes } from '../../host/target-notes.ts';
import { trustWarnings } from '../../host/trust-warnings.ts';
import type { Answered } from '../../host/resolution-document.ts';
import { moduleProcesses } from '../../host/status/module-processes.ts';
import { statusOn } from '../../host/status/machine-status.ts';
import { statusDocument } from '../../host/status/status-document.ts';
import type { HistoryEntry, MachineView, PagedMachine } from '../paged-machine.ts';
import {
  asFoundProblem,
  asPageProblem,
  onPage,
  refused,
  type PageProblem,
} from '../page-problem.ts';
import { configOnPage } from './config-on-page.ts';
import { editsOnPage } from './edits-on-page.ts';
import { holdsOnPage } from './holds-on-page.ts';
import { upgradesOnPage } from './upgrades-on-page.ts';
import { requestsOnPage } from './requests-on-page.ts';

/** The machine whose config is at `path`, for the page. */
export function machineOnPage(path: string, options: SavedPlanTerms, world: World): PagedMachine {
  return {
    title: titleOf(path),
    ...requestsOnPage(path, options, world),
    ...holdsOnPage(world),
    ...upgradesOnPage(world),
    ...configOnPage(path, options, world),
    ...editsOnPage(path, options, world),
    view: () => viewOf(path, options, world),
    explain: (name) => explanation(name, path, options, world),
    notes: async (name) => onPage(await targetNotes(name, path, options, world)),
    history: (named) => {
      const decisions = onPage(recentDecisions(named, world));
      return decisions.ok ? { ok: true, value: decisions.value.map(historyEntry) } : decisions;
    },
    logs: (query) => onPage(logPart(query, world)),
    mark: () => markOf(path, options, world),
    look: async () => {
      const planned = onPage(
        await planFor(path, documentsInUse(path, options, world), options, world),
      );
      return planned.ok ? { ok: true, value: undefined } : planned;
    },
  };
}

/** The name of the machine on its page. */
function titleOf(path: string): string {
  return `${hostname()} · ${basename(path)}`;
}

async function viewOf(
  path: string,
  options: SavedPlanTerms,
  world: World,
): Promise<Result<MachineView, PageProblem[]>> {
  const planned = onPage(
    await planFromSaved(path, options, world, documentsInUse(path, options, world)),
  );
  if (!planned.ok) return planned;
  const { plan, downloaded, documents, now } = planned.value;
  const read = statusOn(world);
  if (!read.ok && !read.error.isAbsent) return { ok: false, error: [asPageProblem(read.error)] };
  const status = read.ok ? read.value : undefined;
  const home = platformHome(world.environment);
  return {
    ok: true,
    value: {
      title: titleOf(path),
      now,
      plan,
      downloaded,
      processes: home === undefined || !status ? new Map() : moduleProcesses(home),
      state: status,
      lists: describeListsOf(planned.value),
      timeZone: timeZoneIn(documents.policy),
      problems: [
        ...planProblems(planned.value),
        ...siteWarnings(world),
        ...trustWarnings(documents.policy, planned.value.lists.modules.values(), now),
      ].map(asFoundProblem),
      documents: () => ({ plan: planDocument(planned.value), status: statusDocument(status, now) }),
    },
  };
}

async function explanation(
  name: string,
  path: string,
  options: SavedPlanTerms,
  world: World,
): Promise<Result<Answered, PageProblem[]>> {
  const planned = onPage(
    await planFromSaved(path, options, world, documentsInUse(path, options, world)),
  );
  if (!planned.ok) return planned;
  const { plan, lists } = planned.value;
  const row = plan.modules.find((one) => one.name === name);
  const list = lists.modules.get(name);
  const resolution = row?.decision.resolution;
  if (row && list?.ok && resolution) {
    const { moduleId } = row;
    return { ok: true, value: { moduleId, machine: undefined, list: list.value, resolution } };
  }
  const message = row
    ? `${name}: ${describeDecision(row.decision)}`
    : `${quote(name)} names no module of ${excerpt(path)}`;
  return refused('NOT_RECORDED', message);
}

/** A decision of the past in words. */
function historyEntry({
  told: {
    past: { since, first },
    event,
    causes,
  },
  times,
}: RecentDecision): HistoryEntry {
  return {
    at: since,
    name: first.name,
    label: labelFor(first),
    event,
    why: readable(reasonAlone(first), times),
    causes,
    decision: first.decision,
    deployed: first.deployed,
    target: first.target,
  };
}

import { machineOnPage } from '../../src/page/machine/machine-on-page.ts';
import { planDocument } from '../../src/host/plan/plan-document.ts';
import type { Plan } from '../../src/core/index.ts';
import type { MachineView, PagedMachine } from '../../src/page/paged-machine.ts';
import { NOW } from './decides.ts';
import { quietWorld } from './quiet-world.ts';

/** A machine of the page with a plan, which a test may replace. */
export interface PagedPlan extends PagedMachine {
  plan: Plan;
  /** How often the plan was asked for. */
  views: number;
  /** What is different: another text means that files changed. */
  files: { documents: string; log: string };
  /** What is shown besides the plan. */
  more: Partial<MachineView>;
}

/** The machine of the page that has a plan, and on which no agent has run. */
export function pagedPlan(plan: Plan, more: Partial<MachineView> = {}): PagedPlan {
  const paged: PagedPlan = {
    // Nothing is changed through it.
    ...machineOnPage('machine.json', {}, quietWorld('linux/arm64')),
    plan,
    views: 0,
    files: { documents: '', log: '' },
    more,
    mark: () => paged.files,
    view: async () => {
      paged.views += 1;
      return await Promise.resolve({ ok: true, value: viewOf(paged) });
    },
    explain: async () => await Promise.resolve({ ok: false, error: [] }),
    history: () => ({ ok: true, value: [] }),
    logs: () => ({ ok: true, value: { isThere: false, records: [], dropped: undefined } }),
    look: async () => await Promise.resolve({ ok: true, value: undefined }),
  };
  return paged;
}

function viewOf({ plan, more }: PagedPlan): MachineView {
  const now = more.now ?? NOW;
  const lists = { modules: new Map(), subsystems: new Map(), warnings: [] };
  const platform = 'linux/arm64';
  const downloaded = more.downloaded ?? new Map();
  const planned = { plan, downloaded, lists, open: [], platform, now, isAsOf: false } as const;
  return {
    title: 'rover · machine.json',
    now,
    plan,
    downloaded,
    processes: new Map(),
    state: undefined,
    lists: undefined,
    timeZone: undefined,
    problems: [],
    documents: () => ({ plan: planDocument(planned), status: {} }),
    ...more,
  };
}

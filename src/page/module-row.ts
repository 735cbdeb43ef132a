import { timeZoneOf } from '../config/time-zone.ts';
import type { Decision, PlanRow } from '../core/index.ts';
import { labelOf } from '../core/explanation/plan-cells.ts';
import { isReportedSubsystem } from '../core/plan/subsystem-row.ts';
import { ROW_STATES } from '../core/plan/row-state.ts';
import { SUBSYSTEM_MODULES } from '../core/plan/subsystem.ts';
import { keyOf } from '../core/plan/target.ts';
import { notedReleaseOf } from '../host/plan/release-notes-of.ts';
import { quarantinedOf, quarantineWords } from '../host/requests/lift-words.ts';
import type { CardRow } from './card-row.ts';
import type { FoundProblem } from './page-problem.ts';
import type { MachineView } from './paged-machine.ts';
import { cardWords } from './plan-card.ts';

/** What the page of a machine says about a module or a subsystem. */
export interface ModuleRow extends CardRow {
  readonly plan: PlanRow;
}

/** The module of a subsystem, by its name. One that can only be disabled has none. */
const MODULES: Readonly<Partial<Record<string, string>>> = SUBSYSTEM_MODULES;

/** The rows of a machine. What needs attention comes first; the order of the machine config otherwise. */
export function moduleRows(view: MachineView): ModuleRow[] {
  const { plan } = view;
  const problems = Map.groupBy(view.problems, ({ of }) => of);
  const modules = plan.modules.map((row) =>
    rowFor(
      row,
      { kind: 'module', name: row.name, label: labelOf(row), moduleId: row.moduleId },
      { view, problems },
    ),
  );
  const subsystems = plan.subsystems.filter(isReportedSubsystem).map((row) => {
    const { name } = row.target;
    return rowFor(
      row,
      { kind: 'subsystem', name, label: name, moduleId: MODULES[name] ?? name },
      { view, problems },
    );
  });
  return [...modules, ...subsystems].toSorted(
    (a, b) => ROW_STATES.indexOf(a.state) - ROW_STATES.indexOf(b.state),
  );
}

interface Seen {
  readonly view: MachineView;
  /** By the name of the row that they alone concern. */
  readonly problems: ReadonlyMap<string | undefined, readonly FoundProblem[]>;
}

function rowFor(
  plan: PlanRow,
  named: Pick<ModuleRow, 'kind' | 'name' | 'label' | 'moduleId'>,
  { view, problems }: Seen,
): ModuleRow {
  const { now, timeZone: zone, state, downloaded } = view;
  const memory = state?.memory;
  const open = memory?.open.find(({ action }) => keyOf(action.target) === keyOf(named));
  const timeZone = timeZoneOf(plan.decision.input.timing) ?? zone;
  const times = { now, timeZone };
  const words = cardWords(plan, {
    open,
    failing: state?.failures.get(named.name),
    problems: problems.get(named.name) ?? [],
    times,
  });
  return {
    ...named,
    ...words,
    path: modulePath(named),
    notes: notesOf(named, plan.decision),
    downloaded: downloaded.get(keyOf(named)),
    process: named.kind === 'module' ? view.processes.get(named.name) : undefined,
    quarantined: quarantineWords(quarantinedOf(named.moduleId, memory?.quarantine ?? [], now)),
    plan,
  };
}

/** The address of the page of a module. */
function modulePath({ name }: Pick<CardRow, 'name'>): string {
  return `/modules/${encodeURIComponent(name)}`;
}

function notesOf(named: Pick<CardRow, 'name'>, decision: Decision): CardRow['notes'] {
  const version = notedReleaseOf(decision)?.version.text;
  return version === undefined ? undefined : { version, path: `${modulePath(named)}/notes` };
}

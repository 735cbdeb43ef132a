import { timeZoneOf } from '../config/time-zone.ts';
import type { PlanRow, Stop } from '../core/index.ts';
import { deployedCell, labelOf } from '../core/explanation/plan-cells.ts';
import { decisionWords } from '../core/explanation/decision-words.ts';
import { signedWords } from '../core/explanation/signed-words.ts';
import {
  nextWords,
  requirementText,
  targetText,
  warningWords,
} from '../core/explanation/plan-words.ts';
import type { OpenAction } from '../core/plan/committed-action.ts';
import { isReportedSubsystem } from '../core/plan/subsystem-row.ts';
import { keyOf } from '../core/plan/target.ts';
import type { Said, TimeContext } from '../core/text/time-words.ts';
import type { MachineView } from './paged-machine.ts';

/** What the page says about a module or a subsystem, in words. */
export interface ModuleRow {
  readonly kind: 'module' | 'subsystem';
  readonly name: string;
  readonly label: string;
  readonly state: RowState;
  readonly constraint: string;
  readonly deployed: string;
  readonly target: string;
  readonly latest: string;
  /** Who signed what is selected, else what is deployed. */
  readonly signatures: string;
  /** The reason of the decision. */
  readonly why: Said;
  readonly nextChange: Said | undefined;
  /** The version that is held and whose package is there; undefined if there is none (D78). */
  readonly downloaded: string | undefined;
  readonly stops: readonly Stop[];
  readonly warnings: readonly Said[];
  /** How its times are shown. */
  readonly times: TimeContext;
  readonly plan: PlanRow;
  /** The action that the agent has, or gets next. */
  readonly open: OpenAction | undefined;
}

/** The states of a row. What needs attention comes first. */
export const ROW_STATES = [
  'failing',
  'stuck',
  'needs attention',
  'waiting',
  'due',
  'in progress',
  'settled',
] as const;
type RowState = (typeof ROW_STATES)[number];

/** The rows of a machine. What needs attention comes first; the order of the machine config otherwise. */
export function moduleRows(view: MachineView): ModuleRow[] {
  const { plan } = view;
  const modules = plan.modules.map((row) =>
    rowFor(row, { kind: 'module', name: row.name, label: labelOf(row) }, view),
  );
  const subsystems = plan.subsystems.filter(isReportedSubsystem).map((row) => {
    const { name } = row.target;
    return rowFor(row, { kind: 'subsystem', name, label: name }, view);
  });
  return [...modules, ...subsystems].toSorted(
    (a, b) => ROW_STATES.indexOf(a.state) - ROW_STATES.indexOf(b.state),
  );
}

function rowFor(
  plan: PlanRow,
  named: Pick<ModuleRow, 'kind' | 'name' | 'label'>,
  { now, timeZone: zone, state, downloaded }: MachineView,
): ModuleRow {
  const { decision, latest, stops, warnings } = plan;
  const timeZone = timeZoneOf(decision.input.timing) ?? zone;
  const open = state?.memory.open.find(({ action }) => keyOf(action.target) === keyOf(named));
  return {
    ...named,
    state: stateOf(plan, open),
    constraint: requirementText(decision.input.requirement) ?? decision.input.requirement.kind,
    deployed: deployedCell(decision.input.deployed),
    target: targetText(decision) ?? '-',
    latest: latest?.text ?? '-',
    signatures: signedWords(decision),
    why: decisionWords(decision),
    nextChange: nextWords(plan),
    downloaded: downloaded.get(keyOf(named)),
    stops,
    warnings: warnings.map((one) => warningWords(one, decision)),
    times: { now, timeZone },
    plan,
    open,
  };
}

/** Warnings of a deployed version that should not run, though nothing replaces it (D293). */
const OF_WHAT_RUNS: ReadonlySet<string> = new Set<PlanRow['warnings'][number]['kind']>([
  'deployed-yanked',
  'deployed-refused',
  'failed-in-another-entry',
  'undecided',
]);

function stateOf(
  { decision: { kind }, warnings }: PlanRow,
  open: OpenAction | undefined,
): RowState {
  if (open?.state === 'delivered') return 'in progress';
  // What is tried again and again is not just due (D184).
  if (open && open.failures > 0) return 'failing';
  if (kind === 'stuck') return 'stuck';
  if (kind === 'hold') return 'waiting';
  if (kind === 'replace') return 'due';
  return warnings.some((one) => OF_WHAT_RUNS.has(one.kind)) ? 'needs attention' : 'settled';
}

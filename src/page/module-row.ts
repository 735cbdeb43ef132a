import { printedCode } from '../base/codes.ts';
import { timeZoneOf } from '../config/time-zone.ts';
import type { PlanRow, Stop, Warning } from '../core/index.ts';
import { deployedCell, labelOf } from '../core/explanation/plan-cells.ts';
import { decisionWords } from '../core/explanation/decision-words.ts';
import { rowHeadline } from '../core/plan/open-action-words.ts';
import { signedWords } from '../core/explanation/signed-words.ts';
import {
  nextWords,
  requirementText,
  targetText,
  warningWords,
} from '../core/explanation/plan-words.ts';
import type { OpenAction } from '../core/plan/committed-action.ts';
import { isReportedSubsystem } from '../core/plan/subsystem-row.ts';
import { OF_WHAT_RUNS } from '../core/decision/warning.ts';
import { ROW_STATES, rowState, type RowState } from '../core/plan/row-state.ts';
import { SUBSYSTEM_MODULES } from '../core/plan/subsystem.ts';
import { keyOf } from '../core/plan/target.ts';
import { say, wordsOf, type Said, type TimeContext } from '../core/text/time-words.ts';
import { quarantinedOf, quarantineWords, REPLACING } from '../host/requests/lift-words.ts';
import { describeFailing } from '../host/recent-failures.ts';
import type { ModuleProcess } from '../host/status/module-processes.ts';
import type { FoundProblem } from './page-problem.ts';
import type { MachineView } from './paged-machine.ts';

/** What the page says about a module or a subsystem, in words. */
export interface ModuleRow {
  readonly kind: 'module' | 'subsystem';
  readonly name: string;
  readonly label: string;
  readonly moduleId: string;
  readonly state: RowState;
  readonly constraint: string;
  readonly deployed: string;
  readonly target: string;
  readonly latest: string;
  /** Who signed what is selected, else what is deployed. */
  readonly signatures: string;
  /** What matters most (D352). */
  readonly headline: Said;
  /** The reason of the decision. */
  readonly why: Said;
  readonly nextChange: Said | undefined;
  /** The version that is held and whose package is there; undefined if there is none (D78). */
  readonly downloaded: string | undefined;
  /** What runs now (D353); undefined if nothing does, or if it cannot be seen. */
  readonly process: ModuleProcess | undefined;
  /** What is in quarantine, and until when (D389). */
  readonly quarantined: readonly Said[];
  /** What a person can do about the deployed release; undefined if it was not yanked, or is replaced. */
  readonly remedy: string | undefined;
  readonly stops: readonly Stop[];
  /** The warnings that the headline and the reason do not say. */
  readonly warnings: readonly Said[];
  /** What the headline is about, in full. */
  readonly details: readonly Said[];
  /** How its times are shown. */
  readonly times: TimeContext;
  readonly plan: PlanRow;
  /** The action that the agent has, or gets next. */
  readonly open: OpenAction | undefined;
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
  const { decision, latest, stops } = plan;
  const timeZone = timeZoneOf(decision.input.timing) ?? zone;
  const open = memory?.open.find(({ action }) => keyOf(action.target) === keyOf(named));
  const headline = rowHeadline(plan, open);
  const next = nextWords(plan);
  const isNextSaid = isTimeOf(headline, plan);
  const notices = noticesOf(plan, problems.get(named.name) ?? []);
  return {
    ...named,
    state: rowState(plan, { open, isFailing: state?.failures.has(named.name) ?? false }),
    constraint: requirementText(decision.input.requirement) ?? decision.input.requirement.kind,
    deployed: deployedCell(decision.input.deployed),
    target: targetText(decision) ?? '-',
    latest: latest?.text ?? '-',
    signatures: signedWords(decision),
    headline,
    why: decisionWords(decision),
    nextChange: isNextSaid ? undefined : next,
    downloaded: downloaded.get(keyOf(named)),
    process: named.kind === 'module' ? view.processes.get(named.name) : undefined,
    quarantined: quarantineWords(quarantinedOf(named.moduleId, memory?.quarantine ?? [], now)),
    remedy: remedyOf(plan),
    stops,
    warnings: [...notices.warnings, ...failingWords(named.name, view)],
    details: [...notices.details, ...(isNextSaid && next ? [say`next ${next}`] : [])],
    times: { now, timeZone },
    plan,
    open,
  };
}

/** What stops a yanked release that stays. */
function remedyOf({ decision, warnings }: PlanRow): string | undefined {
  const isYanked = warnings.some(({ kind }) => kind === 'deployed-yanked');
  return isYanked && decision.kind === 'keep' ? `${REPLACING.replace(/^t/, 'T')}.` : undefined;
}

/** That what is deployed ends again and again. */
function failingWords(name: string, { state }: MachineView): string[] {
  const failing = state?.failures.get(name);
  return failing ? [describeFailing(name, failing.version, failing)] : [];
}

/** Whether the headline says when the next change is. */
function isTimeOf(headline: Said, { nextChange, afterActions }: PlanRow): boolean {
  return (
    nextChange !== undefined && !afterActions && wordsOf(headline).times.includes(nextChange.at)
  );
}

/** What was found about a row beside its decision: warnings, and what explains its headline. */
function noticesOf(
  { decision, warnings }: PlanRow,
  problems: readonly FoundProblem[],
): Pick<ModuleRow, 'warnings' | 'details'> {
  const isKept = decision.kind === 'keep';
  const words = (one: Warning): Said => warningWords(one, decision);
  const inHeadline = warnings.filter(({ kind }) => isKept && OF_WHAT_RUNS.has(kind));
  const others = warnings.filter(
    (one) => !SAID_BY_REASON.has(one.kind) && !inHeadline.includes(one),
  );
  const said = new Set<string>(warnings.map(({ kind }) => printedCode(kind)));
  const errors = problems.filter(({ severity }) => severity === 'error');
  const found = problems.filter((one) => !errors.includes(one) && !said.has(one.code));
  const isReason = isKept && decision.because === 'ahead';
  return {
    warnings: [...others.map(words), ...found.map(({ message }) => message)],
    details: [
      ...(isReason ? [] : inHeadline.map(words)),
      ...errors.flatMap(({ because = [], hint }) => because.concat(hint ?? [])),
    ],
  };
}

/** Warnings that are the reason of the decision in other words. */
const SAID_BY_REASON: ReadonlySet<string> = new Set<Warning['kind']>(['ahead', 'downgrade']);

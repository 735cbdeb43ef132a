import type { ListResult } from '../../registry/index.ts';
import { complaintOf, type Complaint } from '../../core/explanation/complaint.ts';
import { reportedText } from '../../core/explanation/decision-words.ts';
import {
  describeDecision,
  describeWarning,
  type ModuleId,
  type PlanRow,
} from '../../core/index.ts';
import { SUBSYSTEM_MODULES } from '../../core/plan/subsystem.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { nearestWord } from '../../core/text/nearest-word.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { listWarnings } from '../resolve/list-warnings.ts';
import { labelOf } from './plan-cells.ts';
import type { PlanDocuments } from './plan-documents.ts';
import type { Planned } from './planned.ts';
import { complaintProblem, registryProblem, type Problem } from '../problem.ts';

/** A row of a plan, what it is called, and what came of asking for its list. */
interface Subject {
  readonly label: string;
  readonly isSubsystem: boolean;
  readonly moduleId: ModuleId;
  readonly row: PlanRow;
  readonly reading: ListResult | undefined;
}

const NAMED = 3;

/** What stands in the way of a plan, and what there is to warn of. What concerns many modules is said once. */
export function planProblems({ plan, lists, documents }: Planned): Problem[] {
  const modules = plan.modules.map((row): Subject => {
    const { moduleId, name } = row;
    return {
      label: labelOf(row),
      isSubsystem: false,
      moduleId,
      row,
      reading: lists.modules.get(name),
    };
  });
  const subsystems = plan.subsystems.flatMap((row): Subject[] => {
    const { target, decision } = row;
    // What nobody reports is left alone, and shown as that.
    const isUnknown = decision.input.deployed.kind === 'unknown';
    if (target.option === 'disable_subsystem' || isUnknown) return [];
    const { name } = target;
    const moduleId = SUBSYSTEM_MODULES[name];
    return [{ label: name, isSubsystem: true, moduleId, row, reading: lists.subsystems.get(name) }];
  });
  const subjects = [...modules, ...subsystems];
  const problems = [...subjects.flatMap(stuckProblem), ...subjects.flatMap(warningsFor)];
  return [...saidOnce(problems), ...slips(documents), ...documents.warnings, ...lists.warnings];
}

/** A problem, and what it is said of, or what it keeps as it is; neither where the message says it. */
interface Said {
  readonly problem: Problem;
  readonly label?: string;
  readonly kept?: string;
}

/** Problems with the same words become one that names what all of them are said of. */
function saidOnce(all: readonly Said[]): Problem[] {
  const groups = Map.groupBy(all, ({ problem: { kind, message } }) => `${kind} ${message}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ ...first.problem, message: messageOf(first.problem, group) }] : [];
  });
}

function messageOf({ message }: Problem, group: readonly Said[]): string {
  const labels = group.flatMap(({ label }) => label ?? []);
  const kept = group.flatMap((said) => said.kept ?? []);
  if (kept.length > 0) return `${message}; ${enumerate(kept)}`;
  if (labels.length > 1) return `${message}: ${enumerate(labels)}`;
  return labels.length === 1 ? `${labels[0]}: ${message}` : message;
}

function enumerate(words: readonly string[]): string {
  const rest = words.length - NAMED;
  return [...words.slice(0, NAMED), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}

const HOW_TO_REPORT =
  'name a file with --deployed: {"acme_lidar": "1.2.3"}, by the names of module entries; null means not deployed';

/** Names of the report that are nothing's, and names of the policy that are nearly something's. */
function slips({ machine, policy, policyPath, deployed }: PlanDocuments): Problem[] {
  const modules = machine.modules.map(({ name }) => name);
  const names = new Set([...modules, 'platform-agent', 'platform-server']);
  const reported = [...(deployed?.keys() ?? [])].filter((name) => !names.has(name));
  // A policy is for many machines: what this one lacks is no slip unless something is called nearly so.
  const governed = [...policy.modules.keys()].flatMap((name) => {
    const suggestion = names.has(name) ? undefined : nearestWord(name, names);
    return suggestion === undefined ? [] : [{ name, suggestion }];
  });
  return [
    ...reported.map((name) =>
      stranger(`what is reported as deployed names ${quote(name)}`, nearestWord(name, names)),
    ),
    ...governed.map(({ name, suggestion }) =>
      stranger(`the policy ${excerpt(policyPath ?? '')} names ${quote(name)}`, suggestion),
    ),
  ];
}

function stranger(found: string, suggestion: string | undefined): Problem {
  return {
    severity: 'warning',
    kind: 'unknown-reference',
    message: `${found}, which is the name of no module entry and no subsystem`,
    suggestion: suggestion && excerpt(suggestion),
  };
}

/** What keeps a decision from being made, and what that keeps as it is. */
function stuckProblem({ label, isSubsystem, row, reading }: Subject): Said[] {
  const { decision } = row;
  if (decision.kind !== 'stuck') return [];
  const kept = keptAs(label, row);
  const severity = 'error';
  switch (decision.code) {
    case 'deployed-unknown': {
      const message = describeDecision(decision);
      return [{ problem: { severity, kind: decision.code, message, hint: HOW_TO_REPORT }, label }];
    }
    case 'no-list':
      return reading?.ok === false ? [{ problem: registryProblem(reading.error), kept }] : [];
    case 'list-stale': {
      const limit = describeDuration(decision.input.maxIndexAgeMs);
      const message = `${decision.stale.message}; the saved list was confirmed more than ${limit} ago`;
      return [{ problem: { severity, kind: decision.code, message }, kept }];
    }
    case 'quarantined': {
      const message = `${label}: ${describeDecision(decision)}`;
      return [{ problem: { severity, kind: decision.code, message }, kept }];
    }
    case 'no-match':
    case 'pin-not-published':
    case 'conflicting-digest':
    case 'no-artifact':
    case 'digest-changed':
    case 'not-yet-published':
      return [{ problem: unanswered(complaintOf(decision.resolution, label), isSubsystem), kept }];
  }
}

/** A hint names constraints, and a subsystem has channels. */
function unanswered(complaint: Complaint, isSubsystem: boolean): Problem {
  return complaintProblem(isSubsystem ? { ...complaint, hint: undefined } : complaint);
}

/** What is kept, where nothing can be decided. */
function keptAs(label: string, { decision }: PlanRow): string {
  const runs = reportedText(decision.input.deployed);
  return runs === undefined ? `${label} is not installed` : `${label} stays at ${excerpt(runs)}`;
}

function warningsFor({ label, moduleId, row, reading }: Subject): Said[] {
  const { decision, warnings } = row;
  const { list } = decision.input;
  const ofDecision = warnings.map((warning): Said => {
    // How old each list is would tell them apart.
    const message =
      warning.kind === 'stale-list'
        ? `${warning.message}; the saved list decides`
        : describeWarning(warning, decision);
    return { problem: { severity: 'warning', kind: warning.kind, message }, label };
  });
  const isListed = reading?.ok === true && !('error' in list);
  const ofList = isListed ? listWarnings(moduleId, reading.value, list.index) : [];
  return [...ofDecision, ...ofList.map((problem) => ({ problem }))];
}

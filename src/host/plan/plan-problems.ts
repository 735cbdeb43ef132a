import type { ListResult } from '../../registry/registry.ts';
import { complaintOf } from '../../core/explanation/complaint.ts';
import { decisionWords, reportedText } from '../../core/explanation/decision-words.ts';
import { warningWords } from '../../core/explanation/plan-words.ts';
import { describeDecision, type Decision, type ModuleId, type PlanRow } from '../../core/index.ts';
import { SUBSYSTEM_MODULES } from '../../core/plan/subsystem.ts';
import { isTooYoung } from '../../core/plan/waiting-for-age.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { nearestWord } from '../../core/text/nearest-word.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { unknownIdWarning } from '../machine-id.ts';
import { listWarnings } from '../list-warnings.ts';
import { entryNames, misspeltNameWarnings, unknownName } from '../misspelt-names.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { textOf } from '../../core/text/time-words.ts';
import { labelOf } from '../../core/explanation/plan-cells.ts';
import type { PlanDocuments } from '../plan-documents.ts';
import type { Planned } from './machine-plan.ts';
import { complaintProblem, registryProblem, type Problem } from '../../base/problem.ts';

/** A row of a plan, its label, and the result of reading its list. */
interface Subject {
  readonly label: string;
  /** Of the module entry, or of the subsystem. */
  readonly name: string;
  readonly isSubsystem: boolean;
  readonly moduleId: ModuleId;
  readonly row: PlanRow;
  readonly reading: ListResult | undefined;
}

const NAMED = 3;

/** How a time is shown. */
type Shown = (ms: number) => string;

/** The errors and warnings of a plan. A problem that several modules share appears once. */
export function planProblems(
  { plan, lists, documents, machineId }: Planned,
  shown: Shown = formatTime,
): Problem[] {
  const modules = plan.modules.map((row): Subject => {
    const { moduleId, name } = row;
    return {
      label: labelOf(row),
      name,
      isSubsystem: false,
      moduleId,
      row,
      reading: lists.modules.get(name),
    };
  });
  const subsystems = plan.subsystems.flatMap((row): Subject[] => {
    const { target, decision } = row;
    // A subsystem whose deployed version is unknown is left as it is, and the plan says so.
    const isUnknown = decision.input.deployed.kind === 'unknown';
    if (target.option === 'disable_subsystem' || isUnknown) return [];
    const { name } = target;
    const moduleId = SUBSYSTEM_MODULES[name];
    const reading = lists.subsystems.get(name);
    return [{ label: name, name, isSubsystem: true, moduleId, row, reading }];
  });
  const subjects = [...modules, ...subsystems];
  const problems = [
    ...subjects.flatMap((one) => named(one, stuckProblem(one, shown))),
    ...subjects.flatMap((one) => named(one, warningsFor(one, shown))),
  ];
  const read = [...lists.modules.values()].flatMap((list) => (list.ok ? [list.value] : []));
  const ofId = unknownIdWarning(machineId, read);
  return [...merged(problems), ...ofId, ...documentWarnings(documents), ...lists.warnings];
}

/** What was found of a row, with the name of its entry or subsystem. */
function named(
  { name: of }: Subject,
  found: readonly Finding[],
): (Finding & { readonly of: string })[] {
  return found.map((one) => ({ ...one, of }));
}

/** A problem, and the label it concerns or what it keeps unchanged; neither if the message already says so. */
interface Finding {
  readonly problem: Problem;
  readonly label?: string;
  readonly kept?: string;
}

/** Merges problems with the same message into one that names every label. */
function merged(all: readonly (Finding & { readonly of: string })[]): Problem[] {
  const groups = Map.groupBy(all, ({ problem: { kind, message } }) => `${kind} ${message}`);
  return [...groups.values()].flatMap((group) => {
    const [first, second] = group;
    if (!first) return [];
    const message = messageOf(first.problem, group);
    return [{ ...first.problem, message, ...(second ? {} : { of: first.of }) }];
  });
}

function messageOf({ message }: Problem, group: readonly Finding[]): string {
  const labels = group.flatMap(({ label }) => label ?? []);
  const kept = group.flatMap((finding) => finding.kept ?? []);
  if (kept.length > 0) return `${message}; ${enumerate(kept)}`;
  if (labels.length > 1) return `${message}: ${enumerate(labels)}`;
  return labels.length === 1 ? `${labels[0]}: ${message}` : message;
}

function enumerate(items: readonly string[]): string {
  const rest = items.length - NAMED;
  return [...items.slice(0, NAMED), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}

/** The warnings about the documents of a machine. */
export function documentWarnings(documents: PlanDocuments): Problem[] {
  return [...unknownNames(documents), ...documents.warnings];
}

const HOW_TO_REPORT =
  'pass --deployed <file> with JSON such as {"acme_lidar": "1.2.3"}, by the names of module entries; null means not deployed';

/** Warnings for names in the report that nothing has, and for names in the policy that are probably misspelt. */
function unknownNames({ machine, policy, policyPath, deployed }: PlanDocuments): Problem[] {
  const names = entryNames(machine.modules);
  const reported = [...(deployed?.keys() ?? [])].filter((name) => !names.has(name));
  return [
    ...reported.map((name) =>
      unknownName(`the report of deployed versions names ${quote(name)}`, nearestWord(name, names)),
    ),
    ...misspeltNameWarnings(machine, policy, policyPath),
  ];
}

/** Why a row is stuck, and what stays unchanged because of that. */
function stuckProblem({ label, isSubsystem, row, reading }: Subject, shown: Shown): Finding[] {
  const { decision } = row;
  if (decision.kind !== 'stuck' || isTooYoung(row)) return [];
  const kept = keptAs(label, row);
  const severity = 'error';
  switch (decision.code) {
    case 'deployed-unknown': {
      const message = describeDecision(decision);
      return [{ problem: { severity, kind: decision.code, message, hint: HOW_TO_REPORT }, label }];
    }
    case 'no-list':
      return reading?.ok === false ? [{ problem: registryProblem(reading.error), kept }] : [];
    case 'list-stale':
      return [{ problem: staleProblem(decision), kept }];
    case 'quarantined': {
      const message = `${label}: ${textOf(decisionWords(decision), shown)}`;
      return [{ problem: { severity, kind: decision.code, message }, kept }];
    }
    case 'behind-floor':
      return [
        { problem: floorProblem(decision, 'name' in row ? String(row.name) : label, shown), kept },
      ];
    case 'no-match':
    case 'pin-not-published':
    case 'conflicting-digest':
    case 'no-artifact':
    case 'untrusted-artifact':
    case 'digest-changed':
    case 'requirement-unmet':
    case 'refused-by-site':
    case 'unsigned':
    case 'bad-signature':
    case 'not-yet-published': {
      const { hint, ...complaint } = complaintOf(decision.resolution, label);
      // A hint names constraints, which a subsystem does not have.
      const found = { ...complaint, hint: isSubsystem ? undefined : hint };
      return [{ problem: complaintProblem(found, { shown }), kept }];
    }
  }
}

/** A list that was confirmed too long ago. */
function staleProblem({
  code,
  stale,
  input,
}: Decision & { readonly kind: 'stuck'; readonly code: 'list-stale' }): Problem {
  const confirmed =
    stale.confirmedAt > input.eligibility.now
      ? 'by a clock ahead of this one'
      : `more than ${describeDuration(input.maxIndexAgeMs)} ago`;
  const message = `${stale.message}; the saved list was confirmed ${confirmed}`;
  return { severity: 'error', kind: code, message };
}

/** A floor that cannot run here, and the command that passes it for the entry with this name (D92). */
function floorProblem(
  decision: Decision & { readonly kind: 'stuck'; readonly code: 'behind-floor' },
  name: string,
  shown: Shown,
): Problem {
  const message = textOf(decisionWords(decision), shown);
  const floor = decision.refused.release.version.text;
  const hint = `modreg floor skip ${excerpt(name)} ${floor} passes it without running it`;
  return { severity: 'error', kind: decision.code, message, hint };
}

/** What stays unchanged when a row is stuck. */
function keptAs(label: string, { decision }: PlanRow): string {
  const text = reportedText(decision.input.deployed);
  return text === undefined ? `${label} is not installed` : `${label} stays at ${excerpt(text)}`;
}

function warningsFor({ label, moduleId, row, reading }: Subject, shown: Shown): Finding[] {
  const { decision, warnings } = row;
  const { list } = decision.input;
  const ofDecision = warnings.map((warning): Finding => {
    // The age of each list is left out, since it would keep the warnings from being merged.
    const message =
      warning.kind === 'stale-list'
        ? `${warning.message}; the saved list is used`
        : textOf(warningWords(warning, decision), shown);
    return { problem: { severity: 'warning', kind: warning.kind, message }, label };
  });
  const isListed = reading?.ok === true && !('error' in list);
  const ofList = isListed ? listWarnings(moduleId, reading.value, list.index) : [];
  return [...ofDecision, ...ofList.map((problem) => ({ problem }))];
}

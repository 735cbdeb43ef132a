import type { LintFinding } from '../../core/lint/lint-finding.ts';
import type { RequiredRow } from '../../core/plan/requirement-outlook.ts';
import type { Plan } from '../../core/plan/plan.ts';
import type { Path } from '../../core/text/json-pointer.ts';

/** Where the machine config says which releases a row gets. */
function pathOf(row: RequiredRow, { modules, subsystems }: Plan): Path {
  if (!row.isSubsystem) {
    const index = modules.findIndex(({ name }) => name === row.name);
    return ['modules', index, 'version'];
  }
  const target = subsystems.find((one) => one.target.name === row.name)?.target;
  return ['agent', row.name, ...(target ? [target.option] : [])];
}

/** The place of a finding. */
export function placeOf(finding: LintFinding, plan: Plan): Path {
  const path = pathOf(finding.row, plan);
  const isAboutModule = finding.kind === 'no-list' || finding.kind === 'stale-list';
  return isAboutModule && !finding.row.isSubsystem ? [...path.slice(0, 2), 'module_id'] : path;
}

/** The place of the other row that a finding is about; undefined if it is about one alone. */
export function otherPlaceOf(finding: LintFinding, plan: Plan): Path | undefined {
  const other = otherRowOf(finding);
  return other && pathOf(other, plan);
}

function otherRowOf(finding: LintFinding): RequiredRow | undefined {
  if (finding.kind === 'excluded-entry') return finding.other;
  if (finding.kind === 'excluding-rows') return finding.first.row;
  if (finding.kind !== 'requires-cycle') return undefined;
  return finding.steps.find(({ row }) => row !== finding.row)?.row;
}

import type { Plan } from '../plan/plan.ts';
import { possibleVersions } from '../plan/possible-versions.ts';
import type { RequiredRow } from '../plan/requirement-outlook.ts';
import { requiredRows } from '../plan/requirement-rows.ts';
import { branchFindings, zeroMajor } from './branch-rules.ts';
import { excludingRows } from './excluding-rows.ts';
import type { LintFinding } from './lint-finding.ts';
import { prospectsOf, refusedForGood } from './prospects.ts';
import { requirementFindings, type Requirements } from './requirement-rules.ts';
import { listFindings, subjectOf, withoutOldList } from './subject.ts';

/**
 * What the lists contradict in the machine config of a plan, whatever is due now: it uses the constraints, the lists and the terms of
 * the plan, not its decisions (D115 to D119). Pure.
 */
export function lint(plan: Plan): LintFinding[] {
  const asRead = requiredRows(plan);
  const rows = asRead.map(withoutOldList);
  const known = requirementsOf(rows);
  const looked = rows.flatMap((row) => {
    const subject = subjectOf(row);
    return subject ? [{ subject, prospects: prospectsOf(subject.input, known?.possible) }] : [];
  });
  const found = looked.flatMap(({ subject, prospects }) => [
    ...branchFindings(subject, prospects),
    ...(known ? requirementFindings(subject, prospects, known) : []),
  ]);
  const newest = new Map(looked.map(({ subject, prospects }) => [subject.row, prospects.release]));
  const wanted = looked.flatMap(({ subject: { row }, prospects: { release, unreachable } }) =>
    release && !unreachable ? [{ row, release }] : [],
  );
  return [
    ...asRead.flatMap(listFindings),
    ...rows.flatMap((row) => zeroMajor(row, newest.get(row))),
    ...withoutRepeats(found),
    ...(known ? excludingRows(wanted, known) : []),
  ];
}

/** Undefined if the plan judges no requirements. */
function requirementsOf(rows: readonly RequiredRow[]): Requirements | undefined {
  const machine = rows[0]?.decision.input.eligibility.machine;
  if (!machine) return undefined;
  const subjects = new Map(rows.map((row) => [row, subjectOf(row)]));
  const possible = possibleVersions(rows, machine, (row, release) => {
    const subject = subjects.get(row);
    return !subject || !refusedForGood(subject.input, release);
  });
  return { rows, machine, possible };
}

/** Each cycle once, however many rows lead to it: at a row that gets nothing else, if there is one. */
function withoutRepeats(all: readonly LintFinding[]): LintFinding[] {
  return [...Map.groupBy(all, keyOf).values()].flatMap((same) => {
    const worst = same.find((one) => 'isOnly' in one && one.isOnly) ?? same[0];
    return worst ? [worst] : [];
  });
}

/** What makes two findings the same one. */
function keyOf(finding: LintFinding): unknown {
  if (finding.kind !== 'requires-cycle') return finding;
  return finding.steps
    .map(({ row, version }) => `${row.name} ${version.text}`)
    .toSorted()
    .join('\n');
}

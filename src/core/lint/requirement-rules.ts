import { editFor } from '../plan/requirement-warnings.ts';
import { constraintIn, type PossibleVersions } from '../plan/possible-versions.ts';
import { isOf, type RequiredRow } from '../plan/requirement-outlook.ts';
import type { MachineFacts } from '../releases/machine-facts.ts';
import type { Release } from '../releases/release.ts';
import { TAGS } from '../releases/requires.ts';
import type { LintFinding, Required, Step } from './lint-finding.ts';
import { refusedForGood, type Prospects } from './prospects.ts';
import { subjectOf, type Subject } from './subject.ts';

/** What requirements are judged by. */
export interface Requirements {
  readonly rows: readonly RequiredRow[];
  readonly machine: MachineFacts;
  readonly possible: PossibleVersions;
}

/** Why the newest release of a row never meets what it requires (D118, D119). */
export function requirementFindings(
  { row }: Subject,
  { release, unreachable }: Prospects,
  known: Requirements,
): LintFinding[] {
  const unmet = unreachable && firstUnmet(row, unreachable, known);
  if (!unmet) return [];
  const isOnly = release === undefined;
  const excluded = exclusionBy(unmet, known);
  const edit = editFor({ ...unmet, rows: known.rows }, known.machine, known.possible);
  if (!edit) return [];
  const { version, of, range } = unmet;
  const required = { row, version, of, range };
  if (excluded) {
    const unreached: LintFinding = { ...required, ...NO_OTHER, edit, isOnly };
    return isOnly ? [excluded, unreached] : [excluded];
  }
  const followed = edit.kind === 'each-other' ? follow([unmet], known) : undefined;
  const steps = followed?.cycle ?? [];
  const [first] = steps;
  if (steps.some((step) => step.row === row)) {
    return [{ kind: 'requires-cycle', row, steps, isOnly }];
  }
  // What the rows of a cycle get instead, their own findings say.
  const cycle: LintFinding[] = first
    ? [{ kind: 'requires-cycle', row: first.row, steps, isOnly: false }]
    : [];
  return [...cycle, { ...required, ...NO_OTHER, refused: followed?.refused, edit, isOnly }];
}

const NO_OTHER = { kind: 'requirement-unreachable', refused: undefined } as const;

/** The first requirement of a release that nothing will meet; undefined if each may be met. */
function firstUnmet(
  row: RequiredRow,
  { version, requires = {} }: Release,
  { machine, possible }: Requirements,
): Step | undefined {
  for (const [of, ranges] of Object.entries(requires)) {
    const range = ranges.find((one) =>
      of === TAGS ? !machine.hasTag(one) : !possible.mayFit(of, one),
    );
    if (range !== undefined) return { row, version, of, range };
  }
  return undefined;
}

/** Two entries of one module, of which only one can fit what all have to (D87, D119). */
function exclusionBy(
  { row: by, ...required }: Step,
  { rows, machine, possible }: Requirements,
): LintFinding | undefined {
  const own = rows.filter((row) => required.of !== TAGS && isOf(row, required.of));
  const never = own.find(
    (row) =>
      !possible.mayBeIn(row, [required.range]) && fitting(row, required, machine)?.length === 0,
  );
  const other = own.find((row) => {
    const subject = subjectOf(row);
    return fitting(row, required, machine)?.some(
      (one) => subject && !refusedForGood(subject.input, one),
    );
  });
  if (!never || !other) return undefined;
  return { kind: 'excluded-entry', row: never, by, other, ...required };
}

/** The releases in a range that the constraint of a row accepts, newest first; undefined without a list. */
function fitting(
  row: RequiredRow,
  { range }: Pick<Required, 'range'>,
  { satisfies }: MachineFacts,
): Release[] | undefined {
  const { list, requirement } = row.decision.input;
  const constraint = constraintIn(requirement);
  if (!constraint || 'error' in list) return undefined;
  return Array.from(list.index.candidates(constraint)).filter(
    ({ version, yanked }) =>
      (yanked === undefined || constraint.kind === 'patch') && satisfies(version.text, range),
  );
}

/** Where a chain of requirements ends: with a release that comes back to one before it, or that this machine refuses for good. */
interface Followed {
  readonly cycle?: readonly Step[];
  readonly refused?: Extract<LintFinding, { kind: 'requirement-unreachable' }>['refused'];
}

/** Follows the last of the steps to the release that would meet it, and on to what that one requires. */
function follow(steps: readonly Step[], known: Requirements): Followed | undefined {
  const last = steps.at(-1);
  const { rows, machine, possible } = known;
  const next =
    last && rows.find((row) => isOf(row, last.of) && !possible.mayBeIn(row, [last.range]));
  const subject = next && subjectOf(next);
  if (!last || !subject) return undefined;
  const all = fitting(subject.row, last, machine) ?? [];
  const release = all.find((one) => !refusedForGood(subject.input, one));
  if (!release) return steps.length === 1 ? refusedIn(subject, all) : undefined;
  const before = steps.findIndex(
    ({ row, version }) => row === next && version.text === release.version.text,
  );
  if (before >= 0) return { cycle: steps.slice(before) };
  const unmet = firstUnmet(subject.row, release, known);
  return unmet && follow([...steps, unmet], known);
}

function refusedIn({ input }: Subject, [newest]: readonly Release[]): Followed | undefined {
  const against = newest && refusedForGood(input, newest);
  return against && { refused: { version: newest.version, against } };
}

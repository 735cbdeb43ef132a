import { isOf, type RequiredRow } from '../plan/requirement-outlook.ts';
import type { Release } from '../releases/release.ts';
import { subsystemOf } from '../plan/required.ts';
import { TAGS } from '../releases/requires.ts';
import type { LintFinding, Step } from './lint-finding.ts';
import type { Requirements } from './requirement-rules.ts';

/** A row, and the release that it should run. */
export interface Wanted {
  readonly row: RequiredRow;
  readonly release: Release;
}

/** Rows whose releases require ranges of one thing that no version meets which the machine may get, each with the first such row (D119). */
export function excludingRows(wanted: readonly Wanted[], known: Requirements): LintFinding[] {
  const steps = wanted.flatMap(stepsOf);
  const groups = Map.groupBy(steps, ({ of }) => subsystemOf(of) ?? of);
  return [...groups.values()].flatMap((group) =>
    group.flatMap((second, at): LintFinding[] => {
      const first = group
        .slice(0, at)
        .find((one) => one.row !== second.row && excludes(one, second, known));
      return first ? [{ kind: 'excluding-rows', row: second.row, first, second }] : [];
    }),
  );
}

function stepsOf({ row, release: { version, requires = {} } }: Wanted): Step[] {
  return Object.entries(requires).flatMap(([of, ranges]) =>
    of === TAGS ? [] : ranges.map((range) => ({ row, version, of, range })),
  );
}

/** Each is met alone, or it is reported alone. */
function excludes(one: Step, other: Step, { rows, possible }: Requirements): boolean {
  return (
    one.range !== other.range &&
    rows.some((row) => isOf(row, one.of) && !possible.mayBeIn(row, [one.range, other.range]))
  );
}

import type { AfterActions } from '../decision/after-actions.ts';
import { deployedVersion } from '../decision/deployed.ts';
import { replacementOf } from '../decision/decision.ts';
import type { Edit, Warning } from '../decision/warning.ts';
import type { MachineFacts } from '../releases/machine-facts.ts';
import { unmetRequirement } from '../releases/requirement-unmet.ts';
import { TAGS } from '../releases/requires.ts';
import { mismatch } from '../version/constraint.ts';
import type { Version } from '../version/version.ts';
import { constraintIn, possibleVersions, type PossibleVersions } from './possible-versions.ts';
import {
  isOf,
  newVersionOf,
  unmetIn,
  withReplaced,
  type RequiredRow,
} from './requirement-outlook.ts';

/** The warnings of one row about what releases require (D88). */
export function requirementWarnings(
  row: RequiredRow,
  rows: readonly RequiredRow[],
  after: AfterActions | undefined,
): Warning[] {
  return [...(after ? [] : unreachable(row, rows)), ...broken(row, rows)];
}

/** The newest release of the row that is refused for what it requires, if nothing that the machine may get by itself can meet it. */
function unreachable(row: RequiredRow, rows: readonly RequiredRow[]): Warning[] {
  const [unmet] = unmetIn(row.decision);
  const { machine } = row.decision.input.eligibility;
  if (!unmet?.release.requires || !machine) return [];
  const { version, requires } = unmet.release;
  const possible = possibleVersions(rows, machine);
  if (possible.mayBeMet(requires)) return [];
  for (const [of, ranges] of Object.entries(requires)) {
    for (const range of ranges) {
      const edit = editFor({ of, range, rows }, machine, possible);
      if (edit) return [{ kind: 'requirement-unreachable', version, of, range, edit }];
    }
  }
  return [];
}

export interface Asked {
  readonly of: string;
  readonly range: string;
  readonly rows: readonly RequiredRow[];
}

/** What would have to change for a requirement that is never met by itself; undefined if it may be met. */
export function editFor(
  { of, range, rows }: Asked,
  machine: MachineFacts,
  possible: PossibleVersions,
): Edit | undefined {
  if (of === TAGS) return machine.hasTag(range) ? undefined : { kind: 'tag' };
  if (possible.mayFit(of, range)) return undefined;
  const own = rows.filter((row) => isOf(row, of));
  if (own.length === 0) {
    return { kind: machine.deployed(of).length === 0 ? 'missing' : 'provides' };
  }
  for (const row of own) {
    const fitting = newestFitting(row, range, machine);
    if (!fitting) return { kind: 'unpublished' };
    const constraint = constraintIn(row.decision.input.requirement);
    if (constraint && mismatch(constraint, fitting)) {
      return { kind: 'constraint', name: row.name, version: fitting };
    }
  }
  return { kind: 'each-other' };
}

/** The newest published version of a row that is in a range, preferably one that its constraint accepts. */
function newestFitting(
  { decision }: RequiredRow,
  range: string,
  { satisfies }: MachineFacts,
): Version | undefined {
  const { list, requirement } = decision.input;
  if ('error' in list) return undefined;
  const constraint = constraintIn(requirement);
  const kinds = [constraint, { kind: 'latest' }, { kind: 'latest-with-prerelease' }] as const;
  for (const accepting of kinds) {
    if (!accepting) continue;
    for (const { version, yanked } of list.index.candidates(accepting)) {
      if (yanked === undefined && satisfies(version.text, range)) return version;
    }
  }
  return undefined;
}

/** What a replacement of the row would break: requirements of what other rows have or get, which are met now. */
function broken(row: RequiredRow, rows: readonly RequiredRow[]): Warning[] {
  const to = newVersionOf(row);
  const { machine } = row.decision.input.eligibility;
  if (to === undefined || !machine) return [];
  const then = withReplaced(machine, [row]);
  return rows.flatMap((other): Warning[] => {
    const { list, deployed } = other.decision.input;
    const next = replacementOf(other.decision)?.to;
    const version = next && 'version' in next ? next.version : deployedVersion(deployed);
    if (other === row || !version || 'error' in list) return [];
    const required = list.index.find(version)?.requires;
    const own = Object.entries(required ?? {}).filter(([of]) => isOf(row, of));
    if (own.length === 0) return [];
    const about = Object.fromEntries(own);
    const unmet = unmetRequirement(about, machine) ? undefined : unmetRequirement(about, then);
    if (!unmet) return [];
    const { of, range } = unmet;
    return [{ kind: 'breaks-requirement', to, name: other.name, version, of, range }];
  });
}

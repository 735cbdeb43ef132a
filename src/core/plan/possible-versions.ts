import { deployedVersion } from '../decision/deployed.ts';
import type { Release } from '../releases/release.ts';
import type { MachineFacts } from '../releases/machine-facts.ts';
import { TAGS, type Requires } from '../releases/requires.ts';
import type { Constraint } from '../version/constraint.ts';
import { isOf, type RequiredRow } from './requirement-outlook.ts';

/** More candidates of one module are not looked at: then anything counts as possible. */
const MOST_CANDIDATES = 64;

/** What the rows of a plan may get by themselves, whatever holds or refuses it for now. */
export interface PossibleVersions {
  /** Whether each requirement may be met one day, as far as each is met alone. */
  readonly mayBeMet: (requires: Requires) => boolean;
  readonly mayFit: (of: string, range: string) => boolean;
  /** Whether a version that the row may get is in all these ranges. */
  readonly mayBeIn: (row: RequiredRow, ranges: readonly string[]) => boolean;
}

/**
 * Which versions the rows may get, in as many steps as it takes: what is deployed, and each release that a constraint
 * accepts and whose requirements what is possible meets. More is possible here than on the machine, so what is not
 * possible here never is (D88). Only releases that are `isConsidered` count (D118).
 */
export function possibleVersions(
  rows: readonly RequiredRow[],
  machine: MachineFacts,
  isConsidered: (row: RequiredRow, release: Release) => boolean = () => true,
): PossibleVersions {
  const open = new Map(rows.map((row) => [row, candidatesOf(row, isConsidered)]));
  const possible = new Map<RequiredRow, Set<string>>();
  for (const row of rows) {
    const deployed = deployedVersion(row.decision.input.deployed);
    possible.set(row, new Set(deployed ? [deployed.text] : []));
  }
  const mayBeIn = (row: RequiredRow, ranges: readonly string[]): boolean =>
    open.get(row) === undefined ||
    Array.from(possible.get(row) ?? []).some((one) =>
      ranges.every((range) => machine.satisfies(one, range)),
    );
  const mayFit = (of: string, range: string): boolean => {
    const own = rows.filter((row) => isOf(row, of));
    if (own.length === 0) return fitsNow(of, range, machine);
    return own.every((row) => mayBeIn(row, [range]));
  };
  const mayBeMet = (requires: Requires): boolean =>
    Object.entries(requires).every(([of, ranges]) =>
      ranges.every((range) => (of === TAGS ? machine.hasTag(range) : mayFit(of, range))),
    );
  const isNew = (row: RequiredRow, { version, requires }: Release): boolean =>
    !possible.get(row)?.has(version.text) && (!requires || mayBeMet(requires));
  for (;;) {
    const found = Array.from(open).flatMap(([row, candidates = []]) =>
      candidates.filter((one) => isNew(row, one)).map(({ version }) => ({ row, version })),
    );
    if (found.length === 0) break;
    for (const { row, version } of found) possible.get(row)?.add(version.text);
  }
  return { mayBeMet, mayFit, mayBeIn };
}

function fitsNow(of: string, range: string, { deployed, satisfies }: MachineFacts): boolean {
  const provided = deployed(of);
  return (
    provided.length > 0 &&
    provided.every(
      (one) => one.kind === 'unknown' || (one.kind === 'version' && satisfies(one.text, range)),
    )
  );
}

/** The releases that the constraint of a row accepts, newest first; undefined if they are not known, or too many. */
function candidatesOf(
  row: RequiredRow,
  isConsidered: (row: RequiredRow, release: Release) => boolean,
): readonly Release[] | undefined {
  const { requirement, list, deployed } = row.decision.input;
  const constraint = constraintIn(requirement);
  if (requirement.kind === 'local' || requirement.kind === 'disabled') {
    return deployed.kind === 'unknown' ? undefined : [];
  }
  if (!constraint || 'error' in list) return undefined;
  const found: Release[] = [];
  for (const release of list.index.candidates(constraint)) {
    if (release.yanked !== undefined && constraint.kind !== 'patch') continue;
    if (!isConsidered(row, release)) continue;
    if (found.length === MOST_CANDIDATES) return undefined;
    found.push(release);
  }
  return found;
}

/** The constraint of a requirement; undefined for an address, and for what is not resolved. */
export function constraintIn(
  requirement: RequiredRow['decision']['input']['requirement'],
): Constraint | undefined {
  const { kind } = requirement;
  return kind === 'local' || kind === 'disabled' || kind === 'pin-url' ? undefined : requirement;
}

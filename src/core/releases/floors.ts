import { mismatch, type Constraint } from '../version/constraint.ts';
import { comparePrecedence } from '../version/version-order.ts';
import type { Version } from '../version/version.ts';
import type { Eligibility } from './eligibility-policy.ts';
import { termInForce } from './quarantine.ts';
import type { Refusal } from './refusal.ts';
import type { Release } from './release.ts';
import type { ReleaseIndex } from './release-index.ts';

/** The input of a resolution. */
interface Query {
  readonly constraint: Constraint;
  readonly index: ReleaseIndex;
  readonly eligibility: Eligibility;
}

/** A release above the next floor of the machine is refused until the floor was run (D90). */
export function behindFloor(input: Query, { version }: Release): Refusal | undefined {
  const deployed = input.eligibility.floors?.deployed;
  // What is not above the deployed version is behind no floor; most machines run the newest release.
  if (!deployed || comparePrecedence(version, deployed) <= 0) return undefined;
  const floor = nextFloor(input);
  if (!floor || comparePrecedence(version, floor.version) <= 0) return undefined;
  return { reason: 'behind-floor', floor: floor.version };
}

/** The next floors of the inputs whose lists have floors: each release of a list asks for it. */
const NEXT = new WeakMap<Query, { readonly floor: Release | undefined }>();

/**
 * The lowest floor that the machine has to run before any higher release: the constraint accepts it, it is not yanked, and no
 * operator passes it. Undefined if there is none, and while no version is deployed. A pin accepts nothing above itself (D90, D91).
 */
export function nextFloor(input: Query): Release | undefined {
  const { index, eligibility } = input;
  const deployed = eligibility.floors?.deployed;
  if (!deployed) return undefined;
  const floors = index.floors();
  if (floors.length === 0) return undefined;
  const known = NEXT.get(input);
  if (known) return known.floor;
  const floor = floors.find(
    (one) => isFloor(one, input) && !isPassed(one.version, deployed, input),
  );
  NEXT.set(input, { floor });
  return floor;
}

/** Whether the machine has to run this release, or another build of it (D2), before any higher one. */
export function isNextFloor(input: Query, { version }: Release): boolean {
  const floor = nextFloor(input);
  return floor !== undefined && comparePrecedence(version, floor.version) === 0;
}

function isFloor(
  { version, yanked }: Release,
  { constraint, eligibility: { floors } }: Query,
): boolean {
  const isSkipped = floors?.skipped?.some((skip) => skip.version === version.text) === true;
  return yanked === undefined && !isSkipped && mismatch(constraint, version) === undefined;
}

/** A build of the floor counts as the floor (D2). One that failed here was not run. */
function isPassed(floor: Version, deployed: Version, { index, eligibility }: Query): boolean {
  const order = comparePrecedence(floor, deployed);
  if (order !== 0) return order < 0;
  return termInForce(deployed, index.find(deployed)?.artifacts, eligibility) === undefined;
}

/** The floors between the deployed version and `target`, which do not count for a pin or a first install (D91). */
export function bypassedFloors(
  { constraint, index, eligibility }: Query,
  {
    version: target,
    deployed,
  }: { readonly version: Version; readonly deployed: Version | undefined },
): readonly Version[] {
  const accepting = constraint.kind === 'patch' ? ({ kind: 'latest' } as const) : constraint;
  const input = { constraint: accepting, index, eligibility };
  const isBetween = ({ version }: Release): boolean =>
    comparePrecedence(version, target) < 0 &&
    (!deployed || comparePrecedence(deployed, version) < 0);
  const found = index.floors().filter((one) => isBetween(one) && isFloor(one, input));
  return found.map(({ version }) => version);
}

import semver from 'semver';
import { lacks } from '../support/judged-requirements.ts';
import { isAddress, isInBranch, isPin } from '../support/plan-judge.ts';
import { constraintOf } from './expectation.ts';
import { describe, listsFor, type JudgeContext } from './judge-context.ts';
import { knownOf, type SeenAction } from './ledger.ts';
import { machineParts } from './machine-parts.ts';
import type { WireRelease } from './published.ts';

/*
 * What releases require, floors and refusals of the site, each judged alone, whatever else decides. At the moment when a list arrives, the
 * one before it may count too.
 */

/** An action does not deploy what the machine does not have the requirements of, nor past a floor, nor what the site refuses. */
export function judgeRules(context: JudgeContext, action: SeenAction): void {
  const { desired } = context.ledger;
  if (!desired || action.direction === 'restart' || isAddress(action.to)) return;
  const { refuse } = desired.terms;
  const refused = refuse.find((versions) => isInBranch(versions, action.to));
  if (refused !== undefined) {
    context.complain('D94', `${describe(action)}, and the site refuses ${refused}`);
  }
  const lists = listsFor(context, action.target).flatMap((list) => (list ? [list.trusted] : []));
  if (lists.length === 0) return;
  if (lists.every((releases) => isUnmet(context, action, releases))) {
    context.complain('D86', `${describe(action)}, and the machine lacks what it requires`);
  }
  if (lists.every((releases) => passesFloor(context, action, releases))) {
    context.complain('D90', `${describe(action)}, and a floor comes first`);
  }
}

/** A rollback to the version before asks for nothing. (D13) */
function isUnmet(
  { ledger }: JudgeContext,
  { target, to, direction }: SeenAction,
  releases: readonly WireRelease[],
): boolean {
  const { previous, running } = knownOf(ledger, target);
  if (!ledger.desired || to === running || (direction === 'rollback' && to === previous))
    return false;
  const entries = releases
    .filter(({ version }) => version === to)
    .map(({ version, requires }) => ({ version, requires }));
  return lacks(entries, machineParts(ledger, ledger.desired));
}

/** Pins, first installs and rollbacks pass floors. (D91) */
function passesFloor(
  { ledger }: JudgeContext,
  { target, to, direction }: SeenAction,
  releases: readonly WireRelease[],
): boolean {
  const { running } = knownOf(ledger, target);
  const constraint = (ledger.desired && constraintOf(ledger.desired, target)) ?? '';
  const isVersion = typeof running === 'string' && semver.valid(running) === running;
  if (direction !== 'upgrade' || isPin(constraint) || !isVersion) return false;
  return releases.some(
    ({ version, floor, yanked }) =>
      floor &&
      yanked === undefined &&
      semver.prerelease(version) === null &&
      isInBranch(constraint, version) &&
      semver.lt(running, version) &&
      semver.lt(version, to),
  );
}

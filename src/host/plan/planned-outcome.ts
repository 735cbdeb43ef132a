import type { ActionTarget, Plan, Stop } from '../../core/index.ts';
import type { Said } from '../../core/text/time-words.ts';
import { replacementOf, wordFor, type Decision } from '../../core/decision/decision.ts';
import { deployedVersion } from '../../core/decision/deployed.ts';
import { labelOf } from '../../core/explanation/plan-cells.ts';
import { nextWords, targetText } from '../../core/explanation/plan-words.ts';
import { decisionWords, describeAddress } from '../../core/explanation/decision-words.ts';
import { rowHeadline } from '../../core/plan/open-action-words.ts';
import type { PlanRow } from '../../core/plan/plan.ts';
import { keyOf, type TargetName } from '../../core/plan/target.ts';

/** What is planned for a module. */
export interface PlannedOutcome {
  /** The word of the decision: `upgrade`, `hold`, `up-to-date`. */
  readonly decision: string;
  readonly direction: string | undefined;
  readonly target: string | undefined;
  /** What matters most (D352). */
  readonly headline: Said;
  /** Its times are those of RFC 3339. */
  readonly reason: Said;
  readonly nextChange: Said | undefined;
  readonly isNewMajor: boolean;
  /** In the order in which they stop. */
  readonly stops: readonly Stop[];
  /** What else happens in the same restart. */
  readonly shares: readonly string[];
}

/** The row of a module or a subsystem; undefined if the plan has none. */
export function rowIn(plan: Plan, { kind, name }: TargetName): PlanRow | undefined {
  return kind === 'module'
    ? plan.modules.find((row) => row.name === name)
    : plan.subsystems.find(({ target }) => target.name === name);
}

/** What is planned for a target, in words. */
export function outcomeOf(target: TargetName, row: PlanRow, plan: Plan): PlannedOutcome {
  const { decision, stops } = row;
  return {
    decision: wordFor(decision),
    direction: replacementOf(decision)?.direction,
    target: targetText(decision),
    headline: rowHeadline(row, undefined),
    reason: decisionWords(decision),
    nextChange: nextWords(row),
    isNewMajor: isNewMajor(decision),
    stops,
    shares: sharesOf(target, plan),
  };
}

function isNewMajor(decision: Decision): boolean {
  const to = replacementOf(decision)?.to;
  const from = deployedVersion(decision.input.deployed);
  return to !== undefined && 'version' in to && from !== undefined && to.version.major > from.major;
}

/** What else happens in the restart of a target: `upgrade of acme:base to 1.3.0`. */
export function sharesOf(target: TargetName, { restarts }: Plan): string[] {
  const isMeant = (one: ActionTarget): boolean => keyOf(one) === keyOf(target);
  const shared = restarts.find(({ actions }) => actions.some((one) => isMeant(one.target)));
  const others = shared?.actions.filter((one) => !isMeant(one.target)) ?? [];
  return [
    ...others.map((one) => {
      const label = one.target.kind === 'module' ? labelOf(one.target) : one.target.name;
      return one.direction === 'restart'
        ? `restart of ${label}`
        : `${one.direction} of ${label} to ${describeAddress(one.to)}`;
    }),
    ...(shared === undefined || shared.of === 'modules'
      ? []
      : [`one restart of ${shared.of}, which also restarts every module`]),
  ];
}

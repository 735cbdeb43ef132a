import type { DecideInput, Requirement } from '../decision/decision.ts';
import { longestHoldEnd } from '../decision/longest-hold.ts';
import { holdsInForce } from '../decision/operator-hold.ts';
import type { Timing } from '../decision/timing-policies.ts';
import { npmKeysIn, pinIn, releaseTerms, type UpdateTerms } from '../machine/update-policy.ts';
import type { ModuleList } from '../decision/module-list.ts';
import { NOTHING_CHECKED } from '../releases/eligibility-policy.ts';
import type { MachineFacts } from '../releases/machine-facts.ts';
import type { ModuleId } from '../releases/module-id.ts';
import type { ModuleState, PlanInput } from './plan-state.ts';

/** What the config, the policy and the machine's modules say about a target. */
export interface TargetTerms extends Pick<Timing, 'vetoes' | 'unknownFields'> {
  readonly machine: MachineFacts | undefined;
  readonly requirement: Requirement;
  readonly terms: UpdateTerms;
  /** Undefined for a subsystem that is disabled. */
  readonly moduleId: ModuleId | undefined;
}

/** What a decision depends on besides its target. */
type Surroundings = Pick<
  PlanInput,
  | 'now'
  | 'platform'
  | 'machineId'
  | 'group'
  | 'laterReleases'
  | 'policy'
  | 'clock'
  | 'answer'
  | 'isServerBusy'
>;

/** What is decided about a target: its state, and the terms for it in the circumstances of the plan. */
export function decideInputFor(
  state: ModuleState,
  target: TargetTerms,
  input: Surroundings,
): DecideInput {
  const { requirement, terms, moduleId, machine } = target;
  const { now, platform, machineId, laterReleases } = input;
  const { group = input.policy.group } = input;
  const { deployed, previous, failed, restartRequest } = state;
  // Most policies name no keys.
  const needsNone = terms.trust === undefined && terms.npmKeys === undefined;
  const list = needsNone ? state.list : withCheck(state.list, terms);
  const { quarantine = [], upgradeRequest, skippedFloors } = state;
  const { maxIndexAgeMs, allowDowngrade, onYank } = terms;
  const notAfter = laterReleases === 'refuse' ? now : undefined;
  return {
    requirement,
    list,
    deployed,
    previous,
    failed,
    quarantine,
    skippedFloors,
    maxIndexAgeMs,
    allowDowngrade,
    onYank,
    restartRequest,
    upgradeRequest,
    eligibility: releaseTerms(terms, moduleId, {
      now,
      platform,
      machineId,
      group,
      notAfter,
      machine,
    }),
    timing: timingOf(state, target, input),
  };
}

/** A list without the check that its terms need refuses all (D133, D200). */
function withCheck(list: ModuleList, terms: UpdateTerms): ModuleList {
  const needsNone = pinIn(terms) === undefined && npmKeysIn(terms) === undefined;
  if (needsNone || 'error' in list || list.trust) return list;
  return { ...list, trust: NOTHING_CHECKED };
}

function timingOf(
  { restarts = [], holds, held }: ModuleState,
  { terms, vetoes, unknownFields }: TargetTerms,
  { now, clock, answer, isServerBusy }: Surroundings,
): Timing {
  const { window, blackouts, restartCooldownMs, restartCeiling } = terms;
  return {
    window,
    blackouts,
    answer,
    vetoes,
    unknownFields,
    isServerBusy,
    restarts,
    restartCooldownMs,
    restartCeiling,
    longestHoldEnd: held && longestHoldEnd(terms.longestHoldMs, held, { now, clock }),
    operatorHolds: holds && holdsInForce(holds, { now, clock }),
  };
}

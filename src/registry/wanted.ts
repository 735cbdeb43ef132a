import { deployedVersion } from '../core/decision/deployed.ts';
import type { ModuleList } from '../core/decision/module-list.ts';
import { DEFAULT_POLICY, releaseTerms } from '../core/machine/update-policy.ts';
import type { NeededList } from '../core/plan/configuration.ts';
import { decideInputFor } from '../core/plan/decide-input.ts';
import { filesNeeded, queryOf } from '../core/plan/needed-files.ts';
import type { TargetFacts } from '../core/plan/plan-input.ts';
import { SUBSYSTEM_MODULES } from '../core/plan/subsystem.ts';
import type { ActionTarget, ModuleId } from '../core/index.ts';
import type { Wanted, WantedRelease } from './wanted-release.ts';

type Circumstances = Parameters<typeof releaseTerms>[2];

/** The queries of the decisions that need these lists, in their circumstances; `facts` are what the machine remembers. */
export function wantedBy(
  needed: readonly NeededList[],
  circumstances: Circumstances,
  facts: TargetFacts,
): Wanted {
  return (moduleId) =>
    needed
      .filter((one) => one.moduleId === moduleId)
      .flatMap((one) => queriesOf(one, circumstances, facts));
}

function queriesOf(
  { of, moduleId, terms, constraint }: NeededList,
  circumstances: Circumstances,
  facts: TargetFacts,
): WantedRelease[] {
  const state = facts(targetOf(of, moduleId));
  const { quarantine, previous } = state;
  const deployed = deployedVersion(state.deployed);
  const needs = { requirement: constraint, terms, moduleId, vetoes: undefined, machine: undefined };
  const surroundings = { ...circumstances, policy: DEFAULT_POLICY, isServerBusy: false };
  const needed = (list: ModuleList): readonly WantedRelease[] =>
    filesNeeded(decideInputFor({ ...state, list }, needs, surroundings));
  const eligibility = { ...releaseTerms(terms, moduleId, circumstances), deployed, quarantine };
  // The decision needs them as soon as what is selected fails, or is restarted (D140).
  const known = [deployed, previous].flatMap((version) => version ?? []);
  return [{ constraint, eligibility, needed }, ...known.map(queryOf)];
}

function targetOf({ kind, name }: NeededList['of'], moduleId: ModuleId): ActionTarget {
  if (kind === 'module') return { kind, name, moduleId };
  const isAgent = moduleId === SUBSYSTEM_MODULES['platform-agent'];
  return { kind, name: isAgent ? 'platform-agent' : 'platform-server' };
}

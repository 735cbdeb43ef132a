import type { SubsystemPlan } from './plan.ts';

/** Whether a subsystem is shown. One whose deployed version is unknown is not, unless it is disabled: a machine need not report it. */
export function isReportedSubsystem({ target, decision: { input } }: SubsystemPlan): boolean {
  return target.option === 'disable_subsystem' || input.deployed.kind !== 'unknown';
}

/** Whether the agent configuration differs from the default of a subsystem, the channel `stable`. */
export function isConfiguredSubsystem({ target }: SubsystemPlan): boolean {
  return target.option !== 'release_channel' || target.releaseChannel !== 'stable';
}

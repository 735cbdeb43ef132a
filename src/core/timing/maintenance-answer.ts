import type { MaintenanceAnswer, TimingPolicy } from './timing-policy.ts';

/** Reads what was answered: only `true` allows maintenance. (D29) */
export function readMaintenanceAnswer(answered: unknown): MaintenanceAnswer {
  if (answered === undefined || answered === null) return 'missing';
  if (typeof answered !== 'boolean') return 'not-a-boolean';
  return answered ? 'allowed' : 'not-allowed';
}

/** Who is asked must allow it. (D29) */
export const maintenanceNotAllowed: TimingPolicy = ({ answer }) => {
  if (answer === undefined || answer === 'allowed') return undefined;
  return { reason: 'maintenance-not-allowed', answer };
};

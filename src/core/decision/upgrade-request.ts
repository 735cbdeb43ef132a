import { deployedText } from './deployed.ts';
import type { DecideInput, Replacement } from './decision.ts';
import { replacementText } from './replacement-text.ts';
import type { Hold } from './timing-policies.ts';

/** The replacement at once that an operator requested (D76). */
export type UpgradeRequest = NonNullable<DecideInput['upgradeRequest']>;

/** How long a request lasts at most, in milliseconds (D76). */
export const UPGRADE_REQUEST_MS = 3_600_000;

/** The request for exactly this replacement; undefined if there is none. Nothing holds a rollback. */
export function requestFor(
  replacement: Replacement,
  { upgradeRequest, deployed }: Pick<DecideInput, 'upgradeRequest' | 'deployed'>,
): UpgradeRequest | undefined {
  const { direction } = replacement;
  if (!upgradeRequest || direction === 'rollback' || direction === 'restart') return undefined;
  const { from, to } = upgradeRequest;
  const isSame = from === deployedText(deployed) && to === replacementText(replacement);
  return isSame ? upgradeRequest : undefined;
}

/** Whether a request lasts at `at`. One that a wrong clock recorded in the future does not. */
export function isInForce({ requestedAt }: UpgradeRequest, at: number): boolean {
  return Math.abs(at - requestedAt) < UPGRADE_REQUEST_MS;
}

/**
 * Whether a replacement that an operator requested is begun despite `hold` (D76). What must not be stopped holds it, unless the
 * operator named its reason, and so does an agent that cannot be asked: nobody knows what must not be stopped.
 */
export function passes({ despite }: Pick<UpgradeRequest, 'despite'>, hold: Hold): boolean {
  if (hold.reason === 'veto') {
    return despite.some(({ by, said }) => by === hold.by && said === hold.said);
  }
  if (hold.reason === 'maintenance-not-allowed') {
    return hold.answer !== 'failed' && hold.answer !== 'timed-out';
  }
  return isTimeOfMachine(hold.reason);
}

/** Whether a reason of a hold is only that the time is not right yet, so that each request passes it. */
export function isTimeOfMachine(reason: string): boolean {
  return PASSED.has(reason);
}

const PASSED: ReadonlySet<string> = new Set([
  'window-closed',
  'blackout',
  'server-busy',
  'restart-cooldown',
  'restart-ceiling',
] as const satisfies readonly Hold['reason'][]);

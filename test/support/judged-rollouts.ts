import { createHash } from 'node:crypto';
import type { JudgedEntry } from './judged-entry.ts';

/** The machine that a rollout may include. */
export interface JudgedRollouts {
  readonly machineId?: string | undefined;
  readonly group?: string | undefined;
  readonly confirmedAt?: number | undefined;
  readonly deployed?: string | undefined;
}

const HOUR = 3_600_000;

/** What a rollout says against a release that is not deployed. A halt counts first, then the lowest share. */
export function rolloutReason(
  text: string,
  duplicates: readonly JudgedEntry[],
  { now, rollouts }: { readonly now: number; readonly rollouts?: JudgedRollouts | undefined },
): string | undefined {
  const all = duplicates.flatMap(({ rollout }) => rollout ?? []);
  if (!rollouts || all.length === 0 || text === rollouts.deployed) return undefined;
  if (all.some(({ halted }) => halted !== undefined)) return 'rollout-halted';
  const share = Math.min(...all.map((rollout) => rollout.share));
  const salts = all.filter((rollout) => rollout.share === share).map(({ salt }) => salt);
  const [salt = ''] = salts.toSorted();
  const { machineId, group, confirmedAt = now } = rollouts;
  const isIn = share === 1 || (machineId !== undefined && placeOf(machineId, salt) < share);
  if (!isIn && !all.every((rollout) => isOfGroup(group, rollout))) return 'not-in-rollout';
  const age = now - confirmedAt;
  return age > HOUR || age < -HOUR / 12 ? 'rollout-unconfirmed' : undefined;
}

/** Whether a rollout includes the machines of a group. (D107) */
export function isOfGroup(
  group: string | undefined,
  { share, groups = [] }: Pick<NonNullable<JudgedEntry['rollout']>, 'share' | 'groups'>,
): boolean {
  return share === 1 || (group !== undefined && groups.indexOf(group) >= 0);
}

/** The first 12 digits of the SHA-256, as a fraction. */
export function placeOf(machineId: string, salt: string): number {
  const digest = createHash('sha256').update(salt).update(Buffer.alloc(1)).update(machineId);
  return Number.parseInt(digest.digest('hex').slice(0, 12), 16) / 16 ** 12;
}

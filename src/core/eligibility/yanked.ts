import type { Policy } from './policy.ts';

/** A yanked release is chosen by a pin alone. (D7) */
export const yanked: Policy = ({ constraint }, release) => {
  if (release.yanked === undefined || constraint.kind === 'patch') return undefined;
  return { reason: 'yanked', because: release.yanked };
};

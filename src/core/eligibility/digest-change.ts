import type { Policy } from './policy.ts';

/** A version whose digest changed is not what was published: no constraint takes it, pins included. (D22) */
export const digestChanged: Policy = ({ eligibility: { changedDigests } }, { version }) => {
  const change = changedDigests?.get(version.text);
  return change && { reason: 'digest-changed', ...change };
};

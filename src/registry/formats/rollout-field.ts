import type { ReleaseRollout } from '../../core/releases/release.ts';
import { GROUP_FORM, isGroup, MOST_GROUPS } from '../../core/rollout/group.ts';
import type { Path } from '../../core/text/json-pointer.ts';
import type { Drop } from './decoded-list.ts';
import { isJsonObject } from './json-object.ts';
import { decodeReason } from './reason-field.ts';

/** More than any registry needs to tell its rollouts apart. */
const LONGEST_SALT = 256;
/** Includes no machine. */
const NOBODY: ReleaseRollout = { salt: '', percent: 0, share: 0 };

/** The rollout of a release; undefined if absent. One that cannot be read includes no machine, or is halted. */
export function decodeRollout(value: unknown, path: Path, drop: Drop): ReleaseRollout | undefined {
  if (value === undefined || value === null) return undefined;
  const at = [...path, 'rollout'];
  if (!isJsonObject(value)) {
    drop(at, value, 'an object with salt, percent and share');
    return NOBODY;
  }
  const { salt, percent, share } = value;
  const isSalt = typeof salt === 'string' && salt.length <= LONGEST_SALT;
  if (!isSalt) drop([...at, 'salt'], salt, `text of at most ${LONGEST_SALT} characters`);
  const known = isWithin(share, 1) ? share : 0;
  if (!isWithin(share, 1)) drop([...at, 'share'], share, 'a number from 0 to 1');
  if (!isWithin(percent, 100)) drop([...at, 'percent'], percent, 'a number from 0 to 100');
  return {
    salt: isSalt ? salt : '',
    percent: isWithin(percent, 100) ? percent : known * 100,
    share: isSalt ? known : 0,
    // Without a salt it includes nobody, not even a group.
    ...(isSalt && decodeGroups(value['groups'], at, drop)),
    halted: decodeReason(value['halted'], at, 'halted', drop),
  };
}

/** The groups that are included; none if they cannot be read. A name that no machine can have is left out. */
function decodeGroups(value: unknown, at: Path, drop: Drop): Pick<ReleaseRollout, 'groups'> {
  if (value === undefined || value === null) return {};
  if (!Array.isArray(value) || value.length > MOST_GROUPS) {
    drop([...at, 'groups'], value, `a list of at most ${MOST_GROUPS} groups`);
    return {};
  }
  value.forEach((group, index) => {
    if (!isGroup(group)) drop([...at, 'groups', index], group, GROUP_FORM);
  });
  return { groups: value.filter(isGroup) };
}

function isWithin(value: unknown, most: number): value is number {
  return typeof value === 'number' && value >= 0 && value <= most;
}

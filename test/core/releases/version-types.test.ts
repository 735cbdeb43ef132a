import { describe, expect, it } from 'vitest';
import { formatConstraint, indexReleases, type Eligibility } from '../../../src/core/index.ts';
import { compareVersionTypes, type TypeOutcome } from '../../../src/core/releases/version-types.ts';
import { constraintsFor } from '../../../src/core/version/constraint.ts';
import { chosen, records, version, type Published } from '../../support/ask.ts';
import { inRollout } from '../../support/decides.ts';
import { publishedText } from '../../../src/core/releases/refusal.ts';

const LIST = ['1.2.3', '1.2.4', '1.2.5-rc.1', '1.3.0', '2.0.0', '2.1.0-rc.1', 'junk'];

/** The version types, from patch to latest with prerelease. */
function typesFor(
  list: readonly Published[],
  deployed: string | undefined,
  eligibility: Eligibility,
): readonly TypeOutcome[] {
  const at = deployed === undefined ? undefined : version(deployed);
  return compareVersionTypes(indexReleases(records(list)), eligibility, at) ?? [];
}

function compare(
  list: readonly Published[],
  deployed?: string,
  eligibility: Eligibility = { now: 0 },
): unknown {
  const index = indexReleases(records(list));
  const types = compareVersionTypes(
    index,
    eligibility,
    deployed === undefined ? undefined : version(deployed),
  );
  return types?.map(({ constraint, resolution, restarts, ...type }) => [
    formatConstraint(constraint),
    chosen(resolution),
    restarts,
    Array.from(type.skipped(), publishedText).join(' '),
  ]);
}

describe('the five version types', () => {
  it('for a deployed version', () => {
    expect(compare(LIST, '1.2.3')).toEqual([
      ['1.2.3', '1.2.3', false, '2.1.0-rc.1 2.0.0 1.3.0 1.2.5-rc.1 1.2.4'],
      ['1.2.*', '1.2.4', true, '2.1.0-rc.1 2.0.0 1.3.0 1.2.5-rc.1'],
      ['1.*', '1.3.0', true, '2.1.0-rc.1 2.0.0'],
      ['latest', '2.0.0', true, '2.1.0-rc.1'],
      ['latest-with-prerelease', '2.1.0-rc.1', true, ''],
    ]);
  });

  it('for a module that is added now: patch is the newest release', () => {
    expect(compare(LIST)).toEqual([
      ['2.0.0', '2.0.0', undefined, '2.1.0-rc.1'],
      ['2.0.*', '2.0.0', undefined, '2.1.0-rc.1'],
      ['2.*', '2.0.0', undefined, '2.1.0-rc.1'],
      ['latest', '2.0.0', undefined, '2.1.0-rc.1'],
      ['latest-with-prerelease', '2.1.0-rc.1', undefined, ''],
    ]);
  });

  it('for a list of prereleases: patch is the newest prerelease', () => {
    expect(compare(['1.0.0-a', '1.0.0-b'])).toEqual([
      ['1.0.0-b', '1.0.0-b', undefined, ''],
      ['1.0.*', undefined, undefined, '1.0.0-b 1.0.0-a'],
      ['1.*', undefined, undefined, '1.0.0-b 1.0.0-a'],
      ['latest', undefined, undefined, '1.0.0-b 1.0.0-a'],
      ['latest-with-prerelease', '1.0.0-b', undefined, ''],
    ]);
  });

  it('for a list of prereleases: patch is the newest eligible prerelease', () => {
    const list = ['1.0.0-a', { version: '1.0.0-b', artifacts: [] }];
    expect(compare(list, undefined, { now: 0, platform: 'linux/amd64' })).toMatchObject([
      ['1.0.0-a', '1.0.0-a', undefined, '1.0.0-b'],
      {},
      {},
      {},
      {},
    ]);
  });

  it('[D2] do not restart for another build', () => {
    expect(compare(['1.0.0+1', '1.0.0+2'], '1.0.0+1')).toEqual([
      ['1.0.0+1', '1.0.0+1', false, '1.0.0+2'],
      ['1.0.*', '1.0.0+2', false, ''],
      ['1.*', '1.0.0+2', false, ''],
      ['latest', '1.0.0+2', false, ''],
      ['latest-with-prerelease', '1.0.0+2', false, ''],
    ]);
  });

  it('[D16] [D17] do not restart if the deployed version is ahead or not published', () => {
    expect(compare(['1.2.5', '2.0.0'], '2.0.1-rc.1')).toEqual([
      ['2.0.1-rc.1', undefined, false, '2.0.0 1.2.5'],
      ['2.0.*', '2.0.0', false, ''],
      ['2.*', '2.0.0', false, ''],
      ['latest', '2.0.0', false, ''],
      ['latest-with-prerelease', '2.0.0', false, ''],
    ]);
  });

  it.each([
    ['newer than the selected release', '2.0.1', [false, true, true, true, true]],
    ['the selected release', '2.0.0', [false, false, false, false, false]],
    ['another build of it', '2.0.0+7', [false, false, false, false, false]],
    ['older', '1.2.5', [false, false, false, false, false]],
    ['not known', undefined, [false, false, false, false, false]],
  ])('[D16] [D17] whether the deployed version is ahead if it is %s', (_, deployed, expected) => {
    const types = typesFor(['1.2.5', '2.0.0'], deployed, { now: 0 });
    expect(types.map(({ isAhead }) => isAhead)).toEqual(expected);
  });

  /** The cohort of rover-7 is not in it. */
  const IN_ROLLOUT = inRollout('1.2.4', 's2', 20);
  const ROVER = { now: 0, rollouts: { machineId: 'rover-7' } };
  it.each<[string, string | undefined, Eligibility, string]>([
    ['excludes the machine', '1.2.3', ROVER, '1.2.3'],
    ['excludes the machine, to which the module is added', undefined, ROVER, '1.2.3'],
    ['is deployed', '1.2.4', ROVER, '1.2.4'],
    ['is not considered, because no machine is named', '1.2.3', { now: 0 }, '1.2.4'],
  ])('[D50] a release whose rollout %s', (_, deployed, eligibility, expected) => {
    const [, minor] = typesFor(['1.2.3', IN_ROLLOUT], deployed, eligibility);
    expect(minor && chosen(minor.resolution)).toBe(expected);
  });

  it.each([[[]], [['junk']], [[{ version: '1.0.0', yanked: '' }]]])(
    'is undefined for the list %j',
    (list) => {
      expect(compare(list)).toBeUndefined();
    },
  );

  it('without a version, are those that need none', () => {
    expect(constraintsFor(undefined).map(formatConstraint)).toEqual([
      'latest',
      'latest-with-prerelease',
    ]);
  });
});

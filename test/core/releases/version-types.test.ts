import { describe, expect, it } from 'vitest';
import { formatConstraint, indexReleases, type Eligibility } from '../../../src/core/index.ts';
import { compareVersionTypes } from '../../../src/core/releases/version-types.ts';
import { chosen, records, version, type Published } from '../../support/ask.ts';
import { publishedText } from '../../../src/core/releases/refusal.ts';

const LIST = ['1.2.3', '1.2.4', '1.2.5-rc.1', '1.3.0', '2.0.0', '2.1.0-rc.1', 'junk'];

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

describe('the five version types (Versioning, Module version types)', () => {
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

  it.each([[[]], [['junk']], [[{ version: '1.0.0', yanked: '' }]]])(
    'is undefined for the list %j',
    (list) => {
      expect(compare(list)).toBeUndefined();
    },
  );
});

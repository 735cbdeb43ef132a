import { describe } from 'vitest';
import { aged, built, decides, on } from '../../support/decides.ts';

describe('[D1] precedence decides which version is newer, not the publish time', () => {
  decides([
    {
      case: 'a back-port published after 2.0.0 is older',
      constraint: 'latest',
      list: [aged('2.0.0', 300), aged('1.9.5', 1)],
      chosen: '2.0.0',
      refused: ['1.9.5: older'],
    },
    {
      case: '1.10.0 is newer than 1.9.0',
      constraint: '1.*',
      list: ['1.9.0', '1.10.0', '1.2.0'],
      chosen: '1.10.0',
      refused: ['1.9.0: older', '1.2.0: older'],
    },
  ]);
});

describe('[D2] builds of one precedence are ordered by their metadata', () => {
  decides([
    {
      case: 'numeric build identifiers compare as numbers',
      constraint: '1.2.*',
      list: ['1.2.3+build.9', '1.2.3+build.17', '1.2.3'],
      chosen: '1.2.3+build.17',
      refused: ['1.2.3+build.9: older', '1.2.3: older'],
    },
    {
      case: 'leading zeros break a tie independently of the list order',
      constraint: 'latest',
      list: ['1.0.0+01', '1.0.0+1'],
      chosen: '1.0.0+1',
      refused: ['1.0.0+01: older'],
    },
    {
      case: 'build numbers above 2^53 are compared exactly',
      constraint: 'latest',
      list: ['1.0.0+90071992547409930', '1.0.0+90071992547409931'],
      chosen: '1.0.0+90071992547409931',
      refused: ['1.0.0+90071992547409930: older'],
    },
  ]);
});

describe('[D35] a pin selects the release with exactly its text, and no other (replaces D3)', () => {
  decides([
    {
      case: 'the exact text is selected, although a build of it is higher',
      constraint: '1.2.3',
      list: ['1.2.3', '1.2.3+b.2', '1.2.4'],
      chosen: '1.2.3',
      refused: ['1.2.4: other-version', '1.2.3+b.2: other-version'],
    },
    {
      case: 'if the exact text is not listed, no build replaces it',
      constraint: '1.2.3',
      list: ['1.2.3+b.2', '1.2.3+b.10', '1.2.2'],
      chosen: undefined,
      refused: ['1.2.3+b.10: other-version', '1.2.3+b.2: other-version', '1.2.2: other-version'],
    },
    {
      case: 'a pin that names a build does not select another build',
      constraint: '1.2.3+b.2',
      list: ['1.2.3', '1.2.3+b.1', '1.2.3+b.3'],
      chosen: undefined,
      refused: ['1.2.3+b.3: other-version', '1.2.3+b.1: other-version', '1.2.3: other-version'],
    },
    {
      case: 'if the exact text is refused, no build replaces it',
      constraint: '1.2.3',
      list: [built('1.2.3', 'linux/arm64'), built('1.2.3+b.1', 'linux/amd64')],
      eligibility: on('linux/amd64'),
      chosen: undefined,
      refused: ['1.2.3+b.1: other-version', '1.2.3: no-artifact'],
    },
    {
      case: 'a past version may be pinned',
      constraint: '0.9.0',
      list: ['0.9.0', '2.0.0'],
      chosen: '0.9.0',
      refused: ['2.0.0: other-version'],
    },
  ]);
});

describe('[D4] [T33] only a pin or latest-with-prerelease selects a prerelease', () => {
  decides([
    ...['1.2.*', '1.*', 'latest'].map((constraint) => ({
      case: `${constraint} never selects 1.2.4-rc.1`,
      constraint,
      list: ['1.2.3', '1.2.4-rc.1'],
      chosen: '1.2.3',
      refused: ['1.2.4-rc.1: prerelease'],
    })),
    {
      case: 'latest-with-prerelease selects a prerelease',
      constraint: 'latest-with-prerelease',
      list: ['1.2.3', '1.2.4-rc.1'],
      chosen: '1.2.4-rc.1',
      refused: ['1.2.3: older'],
    },
    {
      case: 'latest-with-prerelease selects a newer release over its prerelease',
      constraint: 'latest-with-prerelease',
      list: ['1.2.4', '1.2.4-rc.1'],
      chosen: '1.2.4',
      refused: ['1.2.4-rc.1: older'],
    },
    {
      case: 'a pin selects the prerelease that it names',
      constraint: '1.2.4-rc.1',
      list: ['1.2.4-rc.1', '1.2.4'],
      chosen: '1.2.4-rc.1',
      refused: ['1.2.4: other-version'],
    },
    {
      case: 'the reason other-major or other-minor precedes prerelease',
      constraint: '1.2.*',
      list: ['1.2.3', '2.0.0-rc.1', '1.3.0-rc.1'],
      chosen: '1.2.3',
      refused: ['2.0.0-rc.1: other-major', '1.3.0-rc.1: other-minor'],
    },
  ]);
});

describe('[D5] latest, and only prereleases are listed', () => {
  decides([
    {
      case: 'is unsatisfied',
      constraint: 'latest',
      list: ['1.0.0-rc.1', '1.0.0-rc.2'],
      chosen: undefined,
      refused: ['1.0.0-rc.2: prerelease', '1.0.0-rc.1: prerelease'],
    },
  ]);
});

describe('[D6] 0.* accepts any 0.y.z', () => {
  decides([
    {
      case: 'every 0.y.z is in the branch, and the highest is selected',
      constraint: '0.*',
      list: ['0.0.9', '0.1.0', '0.12.1', '1.0.0'],
      chosen: '0.12.1',
      refused: ['1.0.0: other-major', '0.1.0: older', '0.0.9: older'],
    },
  ]);
});

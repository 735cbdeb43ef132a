import { describe } from 'vitest';
import { version } from '../../support/ask.ts';
import { decidesOn } from '../../support/decided.ts';
import { aged, DAY, decides, NOW } from '../../support/decides.ts';
import { refusing } from '../../support/refusing.ts';

const old = (text: string) => ({ version: text, deprecated: 'use 2.x' });

describe('[D96] a release that is not deprecated is preferred', () => {
  decides([
    {
      case: 'D96 to newer deprecated ones',
      constraint: '1.*',
      list: ['1.0.0', '1.1.0', old('1.2.0'), old('1.3.0')],
      chosen: '1.1.0',
      refused: ['1.3.0: deprecated', '1.2.0: deprecated', '1.0.0: older'],
    },
    {
      case: 'D96 unless it is below the deployed version',
      constraint: '1.*',
      list: ['1.1.0', old('1.2.0'), old('1.3.0')],
      eligibility: { now: NOW, deployed: version('1.2.0') },
      chosen: '1.3.0',
      refused: ['1.2.0: older', '1.1.0: older'],
    },
    {
      case: 'D96 the deployed version itself, and a build of it',
      constraint: '1.*',
      list: ['1.2.0+b1', old('1.3.0')],
      eligibility: { now: NOW, deployed: version('1.2.0+b2') },
      chosen: '1.2.0+b1',
      refused: ['1.3.0: deprecated'],
    },
    {
      case: 'D96 unless it is refused',
      constraint: '1.*',
      list: ['1.2.0', old('1.3.0')],
      eligibility: { now: NOW, refuse: refusing('1.2.0') },
      chosen: '1.3.0',
      refused: ['1.2.0: refused-by-site'],
    },
    {
      case: 'D96 not for a pin',
      constraint: '1.3.0',
      list: ['1.2.0', old('1.3.0')],
      chosen: '1.3.0',
      refused: ['1.2.0: other-version'],
    },
    {
      case: 'D96 what else is against a deprecated release comes first',
      constraint: '1.*',
      list: ['1.2.0', { ...old('1.3.0'), yanked: '' }],
      chosen: '1.2.0',
      refused: ['1.3.0: yanked'],
    },
  ]);
  decidesOn([
    {
      case: 'D96 the machine stays, and says why',
      wanted: '1.*',
      deployed: '1.2.0',
      list: ['1.2.0', old('1.3.0')],
      expected: 'up-to-date: stays at 1.2.0: 1.3.0 is deprecated: use 2.x; 1.2.0 is preferred',
    },
    {
      case: 'D96 [T396] all are deprecated: the newest is selected (D8)',
      wanted: '1.*',
      deployed: '1.2.0',
      list: [old('1.2.0'), old('1.3.0')],
      expected: 'upgrade to 1.3.0: newest release of 1; deprecated: use 2.x',
      warns: ['deprecated', 'deprecated'],
    },
    {
      case: 'D96 outside the branch, where all are lower, the newest is selected (D8, D18)',
      wanted: '1.*',
      deployed: '2.0.0',
      list: ['1.2.0', old('1.3.0')],
      expected:
        'downgrade to 1.3.0: 2.0.0 is outside 1.*; newest release of 1; a downgrade: module data is shared by all versions; deprecated: use 2.x',
      warns: ['downgrade', 'deprecated'],
    },
    {
      case: 'D96 a rollback goes to the version before, deprecated or not (D13)',
      wanted: '1.*',
      deployed: '1.4.0',
      previous: '1.3.0',
      list: ['1.2.0', old('1.3.0'), '1.4.0'],
      quarantine: [{ version: '1.4.0' }],
      expected: 'rollback to 1.3.0: 1.4.0 failed on this machine; 1.3.0 was deployed before it',
      warns: ['deprecated'],
    },
    {
      case: 'D96 a young release is no reason to stay away from a deprecated one',
      wanted: '1.*',
      deployed: '1.1.0',
      list: [aged('1.2.0', 1), { ...aged('1.3.0', 9), deprecated: '' }],
      eligibility: { minimumAge: { ms: 7 * DAY, unknown: 'refuse' } },
      expected: 'upgrade to 1.3.0: newest release of 1; deprecated',
      warns: ['deprecated'],
    },
  ]);
});

import { describe } from 'vitest';
import { version } from '../../support/ask.ts';
import { decidesOn, openFrom } from '../../support/decided.ts';
import { aged, DAY, decides, NOW } from '../../support/decides.ts';
import { floor } from '../../support/floor.ts';

const DEPLOYED = { now: NOW, floors: { deployed: version('1.0.0') } };
const LIST = ['1.0.0', floor('1.1.0'), '1.2.0'];
const BEHIND = 'is behind floor 1.1.0, which this machine has to run first';

describe('[D90] which releases a floor refuses', () => {
  decides([
    {
      case: 'everything above the lowest floor above the deployed version',
      constraint: '1.*',
      list: ['1.0.0', floor('1.1.0'), '1.2.0', floor('1.3.0'), '1.4.0', '2.0.0'],
      eligibility: DEPLOYED,
      chosen: '1.1.0',
      refused: [
        '2.0.0: other-major',
        '1.4.0: behind-floor',
        '1.3.0: behind-floor',
        '1.2.0: behind-floor',
        '1.0.0: older',
      ],
    },
    {
      case: '[D96] everything above a floor that is deprecated, which has to be run all the same',
      constraint: '1.*',
      list: ['1.0.0', { ...floor('1.1.0'), deprecated: 'old' }, '1.2.0'],
      eligibility: { ...DEPLOYED, deployed: version('1.0.0') },
      chosen: '1.1.0',
      refused: ['1.2.0: behind-floor', '1.0.0: older'],
    },
    {
      case: '[D96] [D2] everything above it if another build of it is deprecated as well, and a lower release is not',
      constraint: '1.*',
      list: [
        '1.0.0',
        '1.0.5',
        { ...floor('1.1.0'), deprecated: 'old' },
        { version: '1.1.0+b1', deprecated: 'old' },
        '1.2.0',
      ],
      eligibility: { ...DEPLOYED, deployed: version('1.0.0') },
      chosen: '1.1.0+b1',
      refused: ['1.2.0: behind-floor', '1.1.0: older', '1.0.5: older', '1.0.0: older'],
    },
    {
      case: '[D96] [D2] everything above it, if only another build of it is deprecated',
      constraint: '1.*',
      list: ['1.0.5', floor('1.1.0'), { version: '1.1.0+b1', deprecated: 'old' }, '1.2.0'],
      eligibility: { ...DEPLOYED, deployed: version('1.0.0') },
      chosen: '1.1.0',
      refused: ['1.2.0: behind-floor', '1.1.0+b1: deprecated', '1.0.5: older'],
    },
    {
      case: 'nothing without a deployed version',
      constraint: '1.*',
      list: [floor('1.1.0'), '1.2.0'],
      eligibility: { now: NOW, floors: {} },
      chosen: '1.2.0',
      refused: ['1.1.0: older'],
    },
    {
      case: 'nothing for a pin',
      constraint: '1.2.0',
      list: [floor('1.1.0'), '1.2.0'],
      eligibility: DEPLOYED,
      chosen: '1.2.0',
      refused: ['1.1.0: other-version'],
    },
    {
      case: 'nothing by a floor that the constraint does not accept: another branch, a prerelease',
      constraint: '1.2.*',
      list: ['1.0.0', floor('1.1.0'), floor('1.2.0-rc.1'), '1.2.1'],
      eligibility: DEPLOYED,
      chosen: '1.2.1',
      refused: ['1.2.0-rc.1: prerelease', '1.1.0: other-minor', '1.0.0: other-minor'],
    },
    {
      case: 'by a prerelease, if the constraint accepts it',
      constraint: 'latest-with-prerelease',
      list: ['1.0.0', floor('1.2.0-rc.1'), '1.2.0'],
      eligibility: DEPLOYED,
      chosen: '1.2.0-rc.1',
      refused: ['1.2.0: behind-floor', '1.0.0: older'],
    },
    {
      case: 'nothing by a yanked floor',
      constraint: '1.*',
      list: [floor('1.1.0', { yanked: 'broken' }), '1.2.0'],
      eligibility: DEPLOYED,
      chosen: '1.2.0',
      refused: ['1.1.0: yanked'],
    },
    {
      case: 'nothing by a floor that is yanked in another entry (D11)',
      constraint: '1.*',
      list: [floor('1.1.0'), { version: '1.1.0', yanked: '' }, '1.2.0'],
      eligibility: DEPLOYED,
      chosen: '1.2.0',
      refused: ['1.1.0: yanked'],
    },
    {
      case: 'a floor of which another entry says nothing (D11)',
      constraint: '1.*',
      list: ['1.1.0', floor('1.1.0'), '1.1.0', '1.2.0'],
      eligibility: DEPLOYED,
      chosen: '1.1.0',
      refused: ['1.2.0: behind-floor'],
    },
    {
      case: 'no build of the floor (D2)',
      constraint: '1.*',
      list: [floor('1.1.0+a'), '1.1.0+b', '1.2.0'],
      eligibility: DEPLOYED,
      chosen: '1.1.0+b',
      refused: ['1.2.0: behind-floor', '1.1.0+a: older'],
    },
    {
      case: 'nothing once a build of it is deployed (D2)',
      constraint: '1.*',
      list: [floor('1.1.0+a'), '1.2.0'],
      eligibility: { now: NOW, floors: { deployed: version('1.1.0+z') } },
      chosen: '1.2.0',
      refused: ['1.1.0+a: older'],
    },
    {
      case: 'what another reason is against keeps that reason',
      constraint: '1.*',
      list: [floor('1.1.0'), { version: '1.2.0', artifacts: [] }, aged('1.3.0', 0)],
      eligibility: {
        ...DEPLOYED,
        platform: 'linux/arm64',
        minimumAge: { ms: DAY, unknown: 'allow' },
      },
      chosen: '1.1.0',
      refused: ['1.3.0: too-young', '1.2.0: no-artifact'],
    },
    {
      case: '[D92] nothing by a skipped floor, and all by the next one',
      constraint: '1.*',
      list: [floor('1.1.0'), floor('1.2.0'), '1.3.0'],
      eligibility: {
        now: NOW,
        floors: {
          deployed: version('1.0.0'),
          skipped: [{ version: '1.1.0', by: 'sam', because: undefined, at: NOW }],
        },
      },
      chosen: '1.2.0',
      refused: ['1.3.0: behind-floor', '1.1.0: older'],
    },
  ]);
});

describe('[D90] a machine below a floor', () => {
  decidesOn([
    {
      case: 'goes to the floor first',
      wanted: '1.*',
      deployed: '1.0.0',
      list: LIST,
      expected: `upgrade to 1.1.0: newest release of 1 that may be selected; a floor; 1.2.0 ${BEHIND}`,
    },
    {
      case: 'then to what is above it',
      wanted: '1.*',
      deployed: '1.1.0',
      list: LIST,
      expected: 'upgrade to 1.2.0: newest release of 1',
    },
    {
      case: 'goes to a floor that is also the newest release',
      wanted: '1.*',
      deployed: '1.0.0',
      list: ['1.0.0', floor('1.2.0')],
      expected: 'upgrade to 1.2.0: newest release of 1; a floor',
    },
    {
      case: 'comes from outside the branch, and goes to the lowest floor of the branch (D18)',
      wanted: '2.*',
      deployed: '1.0.0',
      list: ['1.0.0', floor('1.1.0'), floor('2.0.0'), '2.1.0'],
      expected:
        'upgrade to 2.0.0: 1.0.0 is outside 2.*; newest release of 2 that may be selected; a floor; new major: read its release notes; 2.1.0 is behind floor 2.0.0, which this machine has to run first',
    },
    {
      case: 'goes to a floor of which another entry says nothing (D11)',
      wanted: '1.*',
      deployed: '1.0.0',
      list: ['1.1.0', floor('1.1.0'), '1.2.0'],
      expected: `upgrade to 1.1.0: newest release of 1 that may be selected; a floor; 1.2.0 ${BEHIND}`,
    },
    {
      case: 'has passed a floor that is published later',
      wanted: '1.*',
      deployed: '1.2.0',
      list: LIST,
      expected: 'up-to-date: already the newest release of 1',
    },
    {
      case: 'is downgraded below floors without them (D18)',
      wanted: '1.0.*',
      deployed: '1.2.0',
      list: LIST,
      expected:
        'downgrade to 1.0.0: 1.2.0 is outside 1.0.*; newest patch of 1.0; a downgrade: module data is shared by all versions',
      warns: ['downgrade'],
    },
    {
      case: 'waits for the window of the floor (D25)',
      wanted: '1.*',
      deployed: '1.0.0',
      list: LIST,
      timing: { window: openFrom([NOW + DAY, NOW + 2 * DAY]) },
      expected: `upgrade to 1.1.0 waits until 2026-11-22T00:00:00Z: the maintenance window is closed until 2026-11-22T00:00:00Z; 1.2.0 ${BEHIND}`,
    },
  ]);
});

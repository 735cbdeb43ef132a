import { describe } from 'vitest';
import { DAY, NOW } from '../../support/decides.ts';
import { requiring } from '../../support/required.ts';
import { check, FOR_OTHERS, type Released } from './support/found.ts';

const FOR_ALL = [{ platform: 'any' }];

describe('[D115] a constraint that nothing in its list matches', () => {
  check({
    'an empty branch': {
      entries: { lidar: ['1.3.*', ['1.2.9', '2.0.0']] },
      expected: ['nothing-matches lidar'],
    },
    'an empty list': { entries: { lidar: ['latest', []] }, expected: ['nothing-matches lidar'] },
    'only prereleases': {
      entries: { lidar: ['1.*', ['1.0.0-rc.1']] },
      expected: ['nothing-matches lidar'],
    },
    'only what is refused for good': {
      entries: {
        lidar: [
          '1.*',
          [
            { version: '1.0.0', yanked: '' },
            { version: '1.1.0', artifacts: FOR_OTHERS },
            { version: '1.2.0' },
          ],
        ],
      },
      policy: { refuse: { 'acme:lidar': ['1.2.*'] } },
      expected: ['nothing-matches lidar'],
    },
    'one that fits is enough': { entries: { lidar: ['1.*', ['1.0.0', '2.0.0']] }, expected: [] },
    'one that is too young now': {
      entries: { lidar: ['1.*', [{ version: '1.0.0', publishedAt: NOW }]] },
      policy: { minimum_release_age: '3d' },
      expected: [],
    },
    'one without a publish time never gets an age': {
      entries: { lidar: ['1.*', ['1.0.0']] },
      policy: { minimum_release_age: '3d' },
      expected: ['nothing-matches lidar'],
    },
    'one whose rollout does not include the machine yet': {
      entries: {
        lidar: ['1.*', [{ version: '1.0.0', rollout: { salt: 's', percent: 0, share: 0 } }]],
      },
      expected: [],
    },
    'the deployed version does not hide it': {
      entries: { lidar: ['1.3.*', ['1.2.9']] },
      deployed: { lidar: '1.3.0' },
      expected: ['nothing-matches lidar'],
    },
  });
});

describe('[D116] a pin that should no longer be used', () => {
  check({
    'not published': {
      entries: { lidar: ['1.2.3', ['1.2.4']] },
      expected: ['nothing-matches lidar'],
    },
    yanked: {
      entries: { lidar: ['1.2.3', [{ version: '1.2.3', yanked: 'stops' }]] },
      expected: ['yanked lidar 1.2.3'],
    },
    deprecated: {
      entries: { lidar: ['1.2.3', [{ version: '1.2.3', deprecated: '' }]] },
      expected: ['deprecated lidar 1.2.3'],
    },
    'yanked and deprecated': {
      entries: { lidar: ['1.2.3', [{ version: '1.2.3', deprecated: '', yanked: '' }]] },
      expected: ['yanked lidar 1.2.3', 'deprecated lidar 1.2.3'],
    },
    'a branch whose newest release is yanked or deprecated gets another one': {
      entries: {
        lidar: ['1.*', ['1.0.0', { version: '1.1.0', yanked: '' }]],
        cam: ['1.*', [{ version: '1.1.0', deprecated: '' }]],
      },
      expected: [],
    },
    'refused by the site': {
      entries: { lidar: ['1.2.3', ['1.2.3']] },
      policy: { refuse: { '*': ['1.2.*'] } },
      expected: ['nothing-matches lidar'],
    },
    quarantined: {
      entries: { lidar: ['1.2.3', ['1.2.3']] },
      more: { quarantine: [{ version: '1.2.3', until: NOW + DAY }] },
      expected: ['nothing-matches lidar'],
    },
    'no longer quarantined': {
      entries: { lidar: ['1.2.3', ['1.2.3']] },
      more: { quarantine: [{ version: '1.2.3', until: NOW }] },
      expected: [],
    },
  });
});

/** Releases of a branch, the newest for another platform and published so long before now. */
function lacking(ageMs: number | undefined): Released[] {
  const publishedAt = ageMs === undefined ? undefined : NOW - ageMs;
  return ['1.0.0', { version: '1.1.0', publishedAt, artifacts: FOR_OTHERS }];
}

describe('[D117] a branch whose newest release lacks the platform', () => {
  check({
    'for more than a day': {
      entries: { lidar: ['1.*', lacking(DAY + 1)] },
      expected: ['platform-missing lidar 1.1.0 else 1.0.0'],
    },
    'for a day': { entries: { lidar: ['1.*', lacking(DAY)] }, expected: [] },
    'for a time that is not known': {
      entries: { lidar: ['1.*', lacking(undefined)] },
      expected: [],
    },
    'below it is one for the platform': {
      entries: { lidar: ['1.*', [...lacking(2 * DAY), { version: '1.2.0', artifacts: FOR_ALL }]] },
      expected: [],
    },
    'above it is one that was yanked': {
      entries: { lidar: ['1.*', [...lacking(2 * DAY), { version: '1.2.0', yanked: '' }]] },
      expected: ['platform-missing lidar 1.1.0 else 1.0.0'],
    },
    'the site refuses it anyway': {
      entries: { lidar: ['1.*', lacking(2 * DAY)] },
      policy: { refuse: { 'acme:lidar': ['1.1.0'] } },
      expected: [],
    },
    'all lack it: nothing matches': {
      entries: { lidar: ['1.1.*', lacking(2 * DAY)] },
      expected: ['nothing-matches lidar'],
    },
    'by a clock that is two days ahead': {
      entries: { lidar: ['1.*', lacking(2 * DAY)] },
      list: { clock: { kind: 'wrong', aheadMs: DAY } },
      expected: [],
    },
  });
});

describe('[D117] 0.*', () => {
  check({
    'names the minor version': {
      entries: { lidar: ['0.*', ['0.4.0', '0.5.1', '1.0.0']] },
      expected: ['zero-major lidar 5'],
    },
    'with nothing to name': {
      entries: { lidar: ['0.*', []] },
      expected: ['zero-major lidar undefined', 'nothing-matches lidar'],
    },
    'no other branch': {
      entries: { a: ['0.4.*', ['0.4.0']], b: ['1.*', ['1.0.0']], c: ['latest', ['0.4.0']] },
      expected: [],
    },
  });
});

describe('[T435] a list that cannot be read', () => {
  const ERROR = { error: { kind: 'registry-unreachable', message: 'it is down' } };
  check({
    'says so, and nothing else is said of what it would show': {
      entries: { lidar: ['1.2.3', []], cam: ['0.*', []] },
      more: { list: ERROR },
      list: ERROR,
      expected: ['no-list lidar', 'no-list cam', 'zero-major cam undefined'],
    },
    'a saved list is used': {
      entries: { lidar: ['1.2.3', ['1.2.4']] },
      list: { stale: { confirmedAt: NOW - DAY, message: 'it is down' } },
      expected: ['stale-list lidar', 'nothing-matches lidar'],
    },
    'a saved list that is too old is not': {
      entries: {
        lidar: ['1.2.3', ['1.2.4']],
        arm: ['latest', [requiring('1.0.0', { 'acme:lidar': '9.*' })]],
      },
      list: { stale: { confirmedAt: NOW - 8 * DAY, message: 'it is down' } },
      expected: ['stale-list lidar', 'stale-list arm'],
    },
  });
});

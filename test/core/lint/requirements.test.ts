import { describe } from 'vitest';
import { requiring } from '../../support/required.ts';
import { check, FOR_OTHERS, type Row } from './support/found.ts';

const BASE = ['1.0.0', '2.3.0'] as const;

describe('[D118] a requirement that nothing on the machine will meet', () => {
  check({
    'the constraint of the other entry': {
      entries: {
        arm: ['1.*', ['1.0.0', requiring('1.1.0', { 'acme:base': '2.*' })]],
        base: ['1.*', BASE],
      },
      expected: ['requirement-unreachable arm 1.1.0 acme:base 2.* constraint'],
    },
    'nothing published': {
      entries: {
        arm: ['1.*', ['1.0.0', requiring('1.1.0', { 'acme:base': '9.*' })]],
        base: ['latest', BASE],
      },
      expected: ['requirement-unreachable arm 1.1.0 acme:base 9.* unpublished'],
    },
    'no entry': {
      entries: { arm: ['1.*', ['1.0.0', requiring('1.1.0', { 'acme:base': '2.*' })]] },
      expected: ['requirement-unreachable arm 1.1.0 acme:base 2.* missing'],
    },
    'no tag': {
      entries: {
        arm: ['1.*', ['1.0.0', requiring('1.1.0', { tags: ['distro:debian', 'rack:b4'] })]],
      },
      expected: ['requirement-unreachable arm 1.1.0 tags rack:b4 tag'],
    },
    'another version that the policy provides': {
      entries: { arm: ['1.*', ['1.0.0', requiring('1.1.0', { 'acme:base': '2.*' })]] },
      policy: { provides: { 'acme:base': '1.0.0' } },
      expected: ['requirement-unreachable arm 1.1.0 acme:base 2.* provides'],
    },
    'a release that this machine refuses for good': {
      entries: {
        arm: ['1.*', ['1.0.0', requiring('1.1.0', { 'acme:base': '2.*' })]],
        base: ['latest', ['1.0.0', { version: '2.3.0', artifacts: FOR_OTHERS }]],
      },
      expected: ['requirement-unreachable arm 1.1.0 acme:base 2.* each-other no-artifact'],
    },
    'the only release of a branch': {
      entries: {
        arm: ['1.1.*', ['1.0.0', requiring('1.1.0', { 'acme:base': '2.*' })]],
        base: ['1.*', BASE],
      },
      expected: ['requirement-unreachable alone arm 1.1.0 acme:base 2.* constraint'],
    },
    'a pin': {
      entries: {
        arm: ['1.1.0', ['1.0.0', requiring('1.1.0', { 'acme:base': '2.*' })]],
        base: ['1.*', BASE],
      },
      expected: ['requirement-unreachable alone arm 1.1.0 acme:base 2.* constraint'],
    },
    'what the other entry will get meets it': {
      entries: {
        arm: ['1.1.0', ['1.0.0', requiring('1.1.0', { 'acme:base': '2.*' })]],
        base: ['latest', BASE],
      },
      deployed: { base: '1.0.0' },
      expected: [],
    },
    'what is deployed meets it': {
      entries: {
        arm: ['1.*', ['1.0.0', requiring('1.1.0', { 'acme:base': '2.*' })]],
        base: ['1.*', BASE],
      },
      deployed: { base: '2.3.0' },
      expected: [],
    },
    'what is in quarantine may be lifted': {
      entries: {
        arm: ['1.*', ['1.0.0', requiring('1.1.0', { 'acme:base': '2.*' })]],
        base: ['latest', BASE],
      },
      more: { quarantine: [{ version: '2.3.0' }] },
      expected: [],
    },
    'the newest of several': {
      entries: {
        arm: [
          '1.*',
          [
            '1.0.0',
            requiring('1.1.0', { 'acme:base': '8.*' }),
            requiring('1.2.0', { 'acme:base': '9.*' }),
          ],
        ],
        base: ['latest', BASE],
      },
      expected: ['requirement-unreachable arm 1.2.0 acme:base 9.* unpublished'],
    },
    'an older release is not looked at': {
      entries: {
        arm: ['1.*', [requiring('1.0.0', { 'acme:base': '9.*' }), '1.1.0']],
        base: ['1.*', BASE],
      },
      expected: [],
    },
  });
});

const ARM_BASE: Row['entries'] = {
  arm: ['latest', ['1.0.0', requiring('2.0.0', { 'acme:base': '2.*' })]],
  base: ['latest', ['1.0.0', requiring('2.0.0', { 'acme:arm': '2.*' })]],
};

describe('[D118] a cycle of requirements', () => {
  check({
    'of two': { entries: ARM_BASE, expected: ['requires-cycle arm arm 2.0.0 base 2.0.0'] },
    'of two that get nothing else': {
      entries: {
        arm: ['latest', [requiring('2.0.0', { 'acme:base': '2.*' })]],
        base: ['latest', ['1.0.0', requiring('2.0.0', { 'acme:arm': '2.*' })]],
      },
      expected: ['requires-cycle alone arm arm 2.0.0 base 2.0.0'],
    },
    'of two, of which the second gets nothing else': {
      entries: {
        arm: ['latest', ['1.0.0', requiring('2.0.0', { 'acme:base': '2.*' })]],
        base: ['latest', [requiring('2.0.0', { 'acme:arm': '2.*' })]],
      },
      expected: ['requires-cycle alone base base 2.0.0 arm 2.0.0'],
    },
    'of three': {
      entries: {
        a: ['latest', ['1.0.0', requiring('2.0.0', { 'acme:b': '2.*' })]],
        b: ['latest', ['1.0.0', requiring('2.0.0', { 'acme:c': '2.*' })]],
        c: ['latest', ['1.0.0', requiring('2.0.0', { 'acme:a': '2.*' })]],
      },
      expected: ['requires-cycle a a 2.0.0 b 2.0.0 c 2.0.0'],
    },
    'that another entry leads to': {
      entries: {
        ...ARM_BASE,
        hand: ['latest', ['1.0.0', requiring('1.1.0', { 'acme:arm': '2.*' })]],
      },
      expected: [
        'requires-cycle arm arm 2.0.0 base 2.0.0',
        'requirement-unreachable hand 1.1.0 acme:arm 2.* each-other',
      ],
    },
    'that leads to an entry which gets nothing else': {
      entries: { ...ARM_BASE, hand: ['1.1.0', [requiring('1.1.0', { 'acme:arm': '2.*' })]] },
      expected: [
        'requires-cycle arm arm 2.0.0 base 2.0.0',
        'requirement-unreachable alone hand 1.1.0 acme:arm 2.* each-other',
      ],
    },
    'that what is deployed opens': { entries: ARM_BASE, deployed: { base: '2.0.0' }, expected: [] },
    'that an older release in the range opens': {
      entries: {
        arm: ['latest', ['1.0.0', requiring('2.0.0', { 'acme:base': '>=1' })]],
        base: ['latest', ['1.0.0', requiring('2.0.0', { 'acme:arm': '2.*' })]],
      },
      expected: [],
    },
    'a release that requires itself': {
      entries: { arm: ['latest', ['1.0.0', requiring('2.0.0', { 'acme:arm': '2.*' })]] },
      expected: ['requires-cycle arm arm 2.0.0'],
    },
    'a chain that ends is none': {
      entries: {
        a: ['latest', ['1.0.0', requiring('2.0.0', { 'acme:b': '2.*' })]],
        b: ['latest', ['1.0.0', requiring('2.0.0', { 'acme:none': '2.*' })]],
      },
      expected: [
        'requirement-unreachable a 2.0.0 acme:b 2.* each-other',
        'requirement-unreachable b 2.0.0 acme:none 2.* missing',
      ],
    },
  });
});

describe('[D119] entries that exclude each other', () => {
  check({
    'only one of two entries can fit what all must': {
      entries: {
        one: ['1.*', BASE, 'acme:base'],
        two: ['2.*', BASE, 'acme:base'],
        arm: ['latest', ['1.0.0', requiring('1.1.0', { 'acme:base': '2.*' })]],
      },
      expected: ['excluded-entry one 1.1.0 acme:base 2.* by arm, not two'],
    },
    'and the release is the only one': {
      entries: {
        one: ['1.*', BASE, 'acme:base'],
        two: ['2.*', BASE, 'acme:base'],
        arm: ['1.1.0', [requiring('1.1.0', { 'acme:base': '2.*' })]],
      },
      expected: [
        'excluded-entry one 1.1.0 acme:base 2.* by arm, not two',
        'requirement-unreachable alone arm 1.1.0 acme:base 2.* constraint',
      ],
    },
    'the other one never gets it either': {
      entries: {
        one: ['1.*', ['1.0.0', { version: '2.3.0', artifacts: FOR_OTHERS }], 'acme:base'],
        two: ['latest', ['1.0.0', { version: '2.3.0', artifacts: FOR_OTHERS }], 'acme:base'],
        arm: ['latest', ['1.0.0', requiring('1.1.0', { 'acme:base': '2.*' })]],
      },
      expected: ['requirement-unreachable arm 1.1.0 acme:base 2.* constraint'],
    },
    'what one of them requires itself keeps it from fitting, not its constraint': {
      entries: {
        one: ['2.3.0', [requiring('2.3.0', { 'acme:none': '1.*' }), '2.4.0'], 'acme:base'],
        two: ['2.*', [requiring('2.3.0', { 'acme:none': '1.*' }), '2.4.0'], 'acme:base'],
        arm: ['latest', ['1.0.0', requiring('1.1.0', { 'acme:base': '2.*' })]],
      },
      expected: [
        'requirement-unreachable alone one 2.3.0 acme:none 1.* missing',
        'requirement-unreachable arm 1.1.0 acme:base 2.* each-other',
      ],
    },
    'both can fit': {
      entries: {
        one: ['latest', BASE, 'acme:base'],
        two: ['2.*', BASE, 'acme:base'],
        arm: ['latest', ['1.0.0', requiring('1.1.0', { 'acme:base': '2.*' })]],
      },
      expected: [],
    },
    'different constraints alone exclude nothing': {
      entries: { one: ['1.*', BASE, 'acme:base'], two: ['2.*', BASE, 'acme:base'] },
      expected: [],
    },
    'two releases of a module require what no version is': {
      entries: {
        one: ['1.0.0', [requiring('1.0.0', { 'acme:base': '1.*' })], 'acme:arm'],
        two: ['2.0.0', [requiring('2.0.0', { 'acme:base': '2.*' })], 'acme:arm'],
        base: ['latest', BASE],
      },
      expected: ['excluding-rows two 2.* and 1.* of one'],
    },
    'so do those of two modules': {
      entries: {
        arm: ['latest', [requiring('1.0.0', { 'acme:base': '1.*' })]],
        hand: ['latest', [requiring('2.0.0', { 'acme:base': '2.*' })]],
        base: ['latest', BASE],
      },
      expected: ['excluding-rows hand 2.* and 1.* of arm'],
    },
    'a version is in both ranges': {
      entries: {
        arm: ['latest', [requiring('1.0.0', { 'acme:base': '>=1' })]],
        hand: ['latest', [requiring('2.0.0', { 'acme:base': '2.*' })]],
        base: ['latest', BASE],
      },
      expected: [],
    },
  });
});

import { describe, expect, it } from 'vitest';
import { decide, describeWarning, readDeployed } from '../../../src/core/index.ts';
import { decisionWarnings } from '../../../src/core/decision/warning.ts';
import { deployedCell } from '../../../src/core/explanation/plan-cells.ts';
import { codeOf } from '../../../src/core/explanation/reason.ts';
import {
  requirementText,
  summarizeDecision,
  targetText,
  untilOf,
} from '../../../src/core/explanation/plan-words.ts';
import { describeConstraint } from '../../../src/core/explanation/words.ts';
import { constraint, version } from '../../support/ask.ts';
import { moduleQuestion, type Situation } from '../../support/decided.ts';
import { NOW } from '../../support/decides.ts';

const DAY = 86_400_000;
const URL_PIN = { kind: 'pin-url', url: 'https://files.example/a', shadowed: undefined } as const;

it.each([
  ['1.2.3', 'patch: 1.2.3 and no other'],
  ['1.2.*', 'minor: 1.2.0 ≤ version < 1.3.0, releases only'],
  ['1.*', 'major: 1.0.0 ≤ version < 2.0.0, releases only'],
  ['latest', 'latest: the newest release'],
  ['latest-with-prerelease', 'latest-with-prerelease: the newest release or prerelease'],
])('the rule of %s: %s', (text, expected) => {
  expect(describeConstraint(constraint(text))).toBe(expected);
});

describe('the warnings of a decision', () => {
  it.each<[string, Situation, readonly string[]]>([
    [
      'a version above the branch is deployed',
      { wanted: '1.2.*', deployed: '1.2.9', list: ['1.2.8'] },
      [
        'stays at 1.2.9, which is not in the list; the newest patch of 1.2 that may be selected is 1.2.8',
      ],
    ],
    [
      'a lower version is selected',
      { wanted: '1.2.*', deployed: '1.3.0', list: ['1.2.8', '1.3.0'] },
      [
        '1.3.0 is outside 1.2.*; newest patch of 1.2; a downgrade: module data is shared by all versions',
      ],
    ],
    [
      'the deployed version was yanked',
      { wanted: '1.2.9', deployed: '1.2.9', list: [{ version: '1.2.9', yanked: 'burns' }] },
      ['the deployed version 1.2.9 is yanked: burns'],
    ],
    [
      'the pin was yanked without a reason',
      { wanted: '1.2.9', deployed: '1.2.8', list: [{ version: '1.2.9', yanked: '' }] },
      ['1.2.9 is yanked; a pin may still name it'],
    ],
    [
      'the release is deprecated',
      { wanted: '1.2.*', deployed: null, list: [{ version: '1.2.9', deprecated: 'use 2.0' }] },
      ['1.2.9 is deprecated: use 2.0'],
    ],
    [
      'the release is deprecated without a reason',
      { wanted: '1.2.*', deployed: null, list: [{ version: '1.2.9', deprecated: '' }] },
      ['1.2.9 is deprecated'],
    ],
    [
      'the deployed text is no version',
      { wanted: '1.2.9', deployed: 'reload-7', list: ['1.2.9'] },
      ['"reload-7" is deployed, but is not a version'],
    ],
    [
      'the pin is not published',
      { wanted: '1.2.9', deployed: '1.2.9', list: ['1.2.8'] },
      ['1.2.9 is deployed: pinned, but no longer published'],
    ],
    [
      'the list is a saved one',
      {
        wanted: '1.2.*',
        deployed: '1.2.9',
        list: ['1.2.9'],
        stale: { confirmedAt: NOW - DAY, message: 'the registry did not answer' },
      },
      [
        'the registry did not answer; using the saved list that was confirmed at 2026-11-20T00:00:00Z',
      ],
    ],
    [
      'a pinned file without a digest shadows a pin',
      { wanted: { ...URL_PIN, shadowed: version('1.2.9') }, deployed: null },
      [
        'pin_url takes precedence over pin_version 1.2.9',
        'its pin_url has no #sha256=… digest, so the file is not verified',
      ],
    ],
  ])('%s', (_title, situation, expected) => {
    const decision = decide(moduleQuestion(situation));
    const described = decisionWarnings(decision).map((one) => describeWarning(one, decision));
    expect(described).toEqual(expected);
  });
});

/** What a row of a plan shows of its decision. */
interface Shown {
  readonly summary: string;
  readonly requirement: string | undefined;
  readonly target: string | undefined;
  readonly until: number | undefined;
  readonly code: string | undefined;
}

describe('a decision in the cells of a plan', () => {
  const LATER = NOW + DAY;
  const QUARANTINE = [{ version: '1.2.9', until: LATER }];
  const WINDOW = { openSince: () => undefined, nextOpening: () => LATER, closing: () => undefined };

  it.each<[string, Situation, Partial<Shown> & Pick<Shown, 'summary'>]>([
    [
      'an upgrade',
      { wanted: '1.2.*', deployed: '1.2.3', list: ['1.2.9'] },
      { summary: 'upgrade to 1.2.9', requirement: '1.2.*', target: '1.2.9' },
    ],
    [
      'an install',
      { wanted: '1.2.*', deployed: null, list: ['1.2.9'] },
      { summary: 'install of 1.2.9', requirement: '1.2.*', target: '1.2.9' },
    ],
    [
      'a hold',
      { wanted: '1.2.*', deployed: '1.2.3', list: ['1.2.9'], timing: { window: WINDOW } },
      { summary: 'upgrade to 1.2.9 waits', requirement: '1.2.*', target: '1.2.9', until: LATER },
    ],
    [
      'a version that is kept',
      { wanted: '1.2.*', deployed: '1.2.9', list: ['1.2.9'] },
      { summary: 'up to date', requirement: '1.2.*', target: '1.2.9' },
    ],
    ['a local module', { wanted: { kind: 'local' }, deployed: '1.2.9' }, { summary: 'local' }],
    [
      'a disabled subsystem',
      { wanted: { kind: 'disabled' }, deployed: '1.2.9' },
      { summary: 'disabled' },
    ],
    [
      'a pinned file',
      { wanted: URL_PIN, deployed: null },
      {
        summary: 'install of https://files.example/a',
        requirement: 'https://files.example/a',
        target: 'https://files.example/a',
      },
    ],
    [
      'a pin in quarantine',
      { wanted: '1.2.9', deployed: '1.2.3', list: ['1.2.9'], quarantine: QUARANTINE },
      { summary: 'stuck', requirement: '1.2.9', until: LATER, code: 'quarantined' },
    ],
    [
      'nothing matches',
      { wanted: '1.2.*', deployed: null, list: ['2.0.0'] },
      { summary: 'stuck', requirement: '1.2.*', code: 'no-match' },
    ],
    [
      'there is no list',
      {
        wanted: '1.2.*',
        deployed: '1.2.3',
        list: { error: { kind: 'unreachable', message: 'no answer' } },
      },
      { summary: 'stuck', requirement: '1.2.*', code: 'unreachable' },
    ],
  ])('%s', (_title, situation, expected) => {
    const decision = decide(moduleQuestion(situation));
    const shown: Shown = {
      summary: summarizeDecision(decision),
      requirement: requirementText(decision.input.requirement),
      target: targetText(decision),
      until: untilOf(decision),
      code: codeOf(decision),
    };
    expect(shown).toEqual(expected);
  });
});

it.each([
  ['1.2.3', '1.2.3'],
  ['reload-7', '"reload-7"'],
  [' ', '" "'],
  ['https://files.example/a', 'https://files.example/a'],
  [null, 'none'],
  [undefined, 'unknown'],
])('the deployed version %o is shown as %s', (reported, expected) => {
  expect(deployedCell(readDeployed(reported))).toBe(expected);
});

import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/core/index.ts';
import { decisionWarnings } from '../../../src/core/decision/warning.ts';
import { headlineOf, headlineText } from '../../../src/core/explanation/headline.ts';
import { version } from '../../support/ask.ts';
import { moduleQuestion, openFrom, type Situation } from '../../support/decided.ts';
import { having, requiring } from '../../support/required.ts';
import { aged, DAY, NOW } from '../../support/decides.ts';

const HOUR = 3_600_000;
const WEEK = { ms: 7 * DAY, unknown: 'refuse' } as const;
const URL_PIN = { kind: 'pin-url', url: 'https://files.example/a', shadowed: undefined } as const;

/** The headline of a module with 1.2.3 that follows 1.2.*, and what differs. */
function headline(situation: Partial<Situation>): string {
  const decision = decide(
    moduleQuestion({ wanted: '1.2.*', deployed: '1.2.3', list: ['1.2.3'], ...situation }),
  );
  return headlineText(headlineOf(decision, decisionWarnings(decision)), NOW);
}

/** What refuses a release that is newer than the deployed one. */
const REFUSED: readonly [string, Partial<Situation>][] = [
  [
    '1.2.4 is yanked: stops the motor · 1.2.3 stays',
    { list: ['1.2.3', { version: '1.2.4', yanked: 'stops the motor' }] },
  ],
  [
    '1.2.4 is old enough in 4 d · 1.2.3 stays',
    { list: [aged('1.2.3', 30), aged('1.2.4', 3)], eligibility: { minimumAge: WEEK } },
  ],
  [
    '1.2.4 has no package for linux/arm64 · 1.2.3 stays',
    { list: ['1.2.3', { version: '1.2.4', artifacts: [] }] },
  ],
  [
    '1.2.4 failed here: no camera · 1.2.3 stays',
    { list: ['1.2.3', '1.2.4'], quarantine: [{ version: '1.2.4', reason: 'no camera' }] },
  ],
  [
    '1.2.4 failed here: exit code 7: no camera · 1.2.3 stays',
    {
      list: ['1.2.3', '1.2.4'],
      quarantine: [{ version: '1.2.4', reason: 'it ended with exit code 7: no camera' }],
    },
  ],
  [
    '1.2.4 failed here: it ended with exit code 7 · 1.2.3 stays',
    {
      list: ['1.2.3', '1.2.4'],
      quarantine: [{ version: '1.2.4', reason: 'it ended with exit code 7' }],
    },
  ],
  [
    '1.2.4 is undecided: no camera · 1.2.3 stays',
    {
      list: ['1.2.3', '1.2.4'],
      quarantine: [
        { version: '1.2.4', reason: 'no camera', undecided: { sameAs: '1.2.3', isWaiting: true } },
      ],
    },
  ],
  [
    '1.2.4 was refused by an operator: hot · 1.2.3 stays',
    {
      list: ['1.2.3', '1.2.4'],
      quarantine: [{ version: '1.2.4', reason: 'hot', byOperator: true }],
    },
  ],
  [
    'the rollout of 1.2.4 is at 0 %, not here yet · 1.2.3 stays',
    {
      list: ['1.2.3', { version: '1.2.4', rollout: { salt: 's', percent: 0, share: 0 } }],
      eligibility: { machineId: 'rover-7' },
    },
  ],
  [
    'the rollout of 1.2.4 is halted: hot · 1.2.3 stays',
    {
      list: [
        '1.2.3',
        { version: '1.2.4', rollout: { salt: 's', percent: 100, share: 1, halted: 'hot' } },
      ],
      eligibility: { machineId: 'rover-7' },
    },
  ],
  [
    '1.2.4 requires platform-server >=2 · 1.2.3 stays',
    {
      list: ['1.2.3', requiring('1.2.4', { 'platform-server': '>=2' })],
      eligibility: { machine: having({ 'platform-server': ['1.5.0'] }) },
    },
  ],
  [
    '1.2.4 has another digest than before · 1.2.3 stays',
    { list: ['1.2.3', '1.2.4'], changed: ['1.2.4'] },
  ],
  [
    '1.2.4 is not signed by enough keys · 1.2.3 stays',
    { list: ['1.2.3', '1.2.4'], signed: ['1.2.3'] },
  ],
];

/** What holds an upgrade to 1.2.4. */
const HELD: readonly [string, NonNullable<Situation['timing']>][] = [
  [
    'upgrade to 1.2.4 waits: the window opens in 7 h 5 min',
    { window: openFrom([NOW + 7 * HOUR + 300_000, NOW + 9 * HOUR]) },
  ],
  ['upgrade to 1.2.4 waits: the window does not open again', { window: openFrom() }],
  [
    'upgrade to 1.2.4 waits: the blackout ends in 1 d',
    { blackouts: [{ from: NOW - DAY, until: NOW + DAY, timeZone: 'UTC', reason: 'fair' }] },
  ],
  ['upgrade to 1.2.4 waits: maintenance is not allowed', { answer: 'not-allowed' }],
  [
    'upgrade to 1.2.4 waits: arm must not be stopped: it welds',
    { vetoes: [{ by: 'arm', said: 'it welds', isOverridable: false }] },
  ],
  ['upgrade to 1.2.4 waits: the server is busy', { isServerBusy: true }],
  ['upgrade to 1.2.4 waits: the cooldown ends in 4 min', { restarts: [NOW - 60_000] }],
  [
    'upgrade to 1.2.4 waits: restarts are allowed in 23 h',
    { restarts: [NOW - HOUR], restartCeiling: 1 },
  ],
  [
    'upgrade to 1.2.4 waits: the hold of ann ends in 2 h',
    {
      operatorHolds: [
        { of: 'target', by: 'ann', because: 'fair', since: NOW - HOUR, until: NOW + 2 * HOUR },
      ],
    },
  ],
  [
    'upgrade to 1.2.4 waits: a document has an unknown field',
    { unknownFields: [{ of: 'policy', path: '/windos', suggestion: 'windows', more: 0 }] },
  ],
  // Of two, the one that ends last: none knows when the server is no longer busy.
  [
    'upgrade to 1.2.4 waits: the server is busy',
    { isServerBusy: true, window: openFrom([NOW + HOUR, NOW + 2 * HOUR]) },
  ],
];

const OTHERS: readonly [string, Partial<Situation>][] = [
  ['1.2.3 is the newest patch of 1.2', {}],
  ['pinned to 1.2.3', { wanted: '1.2.3' }],
  ['local module', { wanted: { kind: 'local' } }],
  ['disabled', { wanted: { kind: 'disabled' } }],
  ['deployed from its pin_url', { wanted: URL_PIN, deployed: URL_PIN.url }],
  ['upgrade from its pin_url is due', { wanted: URL_PIN }],
  ['install of 1.2.3 is due', { deployed: null }],
  ['upgrade to 1.2.4 is due', { list: ['1.2.4'] }],
  ['upgrade to 2.0.0 is due · a new major', { wanted: 'latest', list: ['2.0.0'] }],
  ['downgrade to 1.2.2 is due · its data is not changed', { wanted: '1.2.2', list: ['1.2.2'] }],
  [
    '1.2.3 is yanked: hot · upgrade to 1.2.4',
    { onYank: 'replace', list: [{ version: '1.2.3', yanked: 'hot' }, '1.2.4'] },
  ],
  [
    '1.2.4 is yanked: hot · upgrade to 1.2.4 is due',
    { wanted: '1.2.4', list: [{ version: '1.2.4', yanked: 'hot' }] },
  ],
  [
    '1.2.3 failed here: no camera · rollback to 1.2.2',
    {
      list: ['1.2.2', '1.2.3'],
      previous: '1.2.2',
      quarantine: [{ version: '1.2.3', reason: 'no camera', until: NOW + DAY }],
    },
  ],
  [
    'restart of 1.2.3 is due · an operator requested it',
    { restartRequest: { requestedAt: NOW, isImmediate: false } },
  ],
  [
    // [D470]
    'restart of 1.2.3 is due · ann on rover-7 requested it',
    {
      restartRequest: {
        requestedAt: NOW,
        isImmediate: false,
        requester: { by: 'ann on rover-7', because: 'it burns' },
      },
    },
  ],
  [
    'restart is due · an operator requested it',
    { wanted: { kind: 'local' }, restartRequest: { requestedAt: NOW, isImmediate: false } },
  ],
  [
    'upgrade to 1.2.4 is due',
    { onYank: 'replace', signed: ['1.2.4'], list: [{ version: '1.2.3', yanked: 'hot' }, '1.2.4'] },
  ],
  [
    '1.2.3 is yanked: drains the battery · stays, nothing newer',
    { list: ['1.2.2', { version: '1.2.3', yanked: 'drains the battery' }] },
  ],
  [
    '1.2.3 is yanked: drains the battery · stays',
    { wanted: '1.2.3', list: [{ version: '1.2.3', yanked: 'drains the battery' }] },
  ],
  ['1.2.3 is not in the list · stays, nothing newer', { list: ['1.2.2'] }],
  ['1.2.3 is no longer published · stays, pinned', { wanted: '1.2.3', list: [] }],
  [
    'the pin 1.2.3 is not published · a build of it stays',
    { wanted: '1.2.3', deployed: '1.2.3+b1', list: [] },
  ],
  ['"main" is not a version · only a pin replaces it', { deployed: 'main' }],
  ['the deployed version is not known', { deployed: undefined }],
  [
    'no release list: registry unreachable · 1.2.3 stays',
    { list: { error: { kind: 'registry-unreachable', message: 'no route' } } },
  ],
  [
    'the saved list is too old · 1.2.3 stays',
    { stale: { confirmedAt: NOW - 30 * DAY, message: 'no route' } },
  ],
  ['no release for 3.* · 1.2.3 stays', { wanted: '3.*' }],
  ['1.2.9 is not published · 1.2.3 stays', { wanted: '1.2.9' }],
  [
    'the pin 1.2.4 failed here: no camera · 1.2.3 stays',
    { wanted: '1.2.4', list: ['1.2.4'], quarantine: [{ version: '1.2.4', reason: 'no camera' }] },
  ],
];

describe('[D352] the headline of a module', () => {
  it.each([
    ...REFUSED,
    ...OTHERS,
    ...HELD.map(([text, timing]) => [text, { list: ['1.2.4'], timing }] as const),
  ])('%s', (text, situation) => {
    expect(headline(situation)).toBe(text);
  });

  it.each([
    [
      'a reason is cut before the fact and what follows',
      '1.2.3 is yanked: it drains the batte… · stays, nothing newer',
      { yanked: 'it drains the battery of each rover in the field' },
    ],
    [
      'an end that moves the cursor is escaped',
      '1.2.3 is yanked: \\u{1b}[2J · stays, nothing newer',
      { yanked: '\u001B[2J' },
    ],
    [
      'no character is cut in two',
      '1.2.3 is yanked: it drains the cell… · stays, nothing newer',
      { yanked: 'it drains the cell\u{1F50B}\u{1F50B}' },
    ],
  ])('fits in 60 characters: %s', (_, text, release) => {
    expect(headline({ list: ['1.2.2', { version: '1.2.3', ...release }] })).toBe(text);
    expect(text.length).toBeLessThanOrEqual(60);
  });

  it('drops what follows, and cuts a version, if they do not fit', () => {
    const long = `1.2.4+${'b'.repeat(60)}`;
    expect(headline({ wanted: long, list: [version(long).text] })).toBe(
      `upgrade to ${`1.2.4+${'b'.repeat(60)}`.slice(0, 48)}…`,
    );
    expect(headline({ list: [long], timing: { isServerBusy: true } })).toBe(
      'waits: the server is busy',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { applyEvent, listedRollout, type RolloutEvent } from '../../../src/core/rollout/rollout.ts';
import { rolloutAfter } from '../../support/rollout-after.ts';

const NONE = { failed: 0, silent: 0 };
const FEW = { failed: 5, silent: 1 };

/** What happens in an event, without its times and places. */
type Happening = RolloutEvent extends infer Event
  ? Event extends RolloutEvent
    ? Omit<Event, 'sequence' | 'after' | 'at'>
    : never
  : never;

const STARTED: Happening = { kind: 'started', salt: 's1', percent: 1, share: 0.01 };
const RAISED: Happening = { kind: 'raised', percent: 5, share: 0.05 };
const ALL: Happening = { kind: 'raised', percent: 100, share: 1 };
const HALTED: Happening = { kind: 'halted', because: '5 of 41 failed', failures: FEW };
const RESUMED: Happening = { kind: 'resumed', acknowledged: FEW };
const COMPLETED: Happening = { kind: 'completed' };
const RETRACTED: Happening = { kind: 'retracted', because: 'yanked' };

/** Events in a log with other ones between them: each follows the one before it, and is a minute later. */
function log(...happenings: readonly Happening[]): RolloutEvent[] {
  return happenings.map((happening, place) => {
    const position = { sequence: 3 * (place + 1), after: 3 * place, at: 60_000 * (place + 1) };
    return Object.assign(position, happening);
  });
}

const FIRST: Happening = { kind: 'started', salt: 's1', percent: 0, share: 0, first: ['a', 'b'] };

describe('[D107] the groups of a rollout', () => {
  it.each<[string, readonly Happening[], readonly [string[], number]]>([
    ['the first one is included at once', [FIRST], [['a'], 0]],
    [
      'the next one is added',
      [FIRST, { kind: 'raised', percent: 0, share: 0, groups: 2 }],
      [['a', 'b'], 0],
    ],
    [
      'a percentage includes all, whatever its writer knew',
      [FIRST, { kind: 'raised', percent: 5, share: 0.05 }],
      [['a', 'b'], 5],
    ],
    [
      'a percentage keeps them',
      [FIRST, { kind: 'raised', percent: 5, share: 0.05, groups: 2 }, ALL],
      [['a', 'b'], 100],
    ],
    [
      'a rollout that begins with a percentage includes all',
      [{ ...FIRST, percent: 5, share: 0.05 }],
      [['a', 'b'], 5],
    ],
    [
      'none is left out again',
      [
        FIRST,
        { kind: 'raised', percent: 0, share: 0, groups: 2 },
        { kind: 'raised', percent: 0, share: 0, groups: 1 },
      ],
      [['a', 'b'], 0],
    ],
    [
      'there are no more than were named',
      [FIRST, { kind: 'raised', percent: 0, share: 0, groups: 3 }],
      [['a'], 0],
    ],
  ])('%s', (_title, happenings, [groups, percent]) => {
    const rollout = rolloutAfter(log(...happenings));
    expect([rollout?.groups, rollout?.percent]).toEqual([groups, percent]);
    expect(rollout && listedRollout(rollout)?.groups).toEqual(groups);
    expect(rollout?.steps.at(-1)?.groups).toEqual(groups);
  });

  it.each<[number, string]>([
    [1, 'share-falls'],
    [0, 'share-falls'],
    [3, 'not-a-group'],
  ])('after two, %d are refused: %s', (groups, error) => {
    const [first, second, third] = log(
      FIRST,
      { kind: 'raised', percent: 0, share: 0, groups: 2 },
      { kind: 'raised', percent: 0, share: 0, groups },
    );
    const rollout = rolloutAfter([first, second].filter((one) => one !== undefined));
    expect(third && applyEvent(rollout, third)).toEqual({ ok: false, error });
  });
});

describe('a rollout', () => {
  it('D54 is what its events made of it', () => {
    expect(rolloutAfter([])).toBeUndefined();
    expect(rolloutAfter(log(STARTED, RAISED, HALTED, RESUMED))).toEqual({
      status: 'running',
      sequence: 12,
      salt: 's1',
      percent: 5,
      share: 0.05,
      first: [],
      groups: [],
      steps: [
        { at: 60_000, share: 0.01, groups: [] },
        { at: 120_000, share: 0.05, groups: [] },
      ],
      startedAt: 60_000,
      soakingSince: 240_000,
      because: undefined,
      seen: FEW,
      acknowledged: FEW,
    });
  });

  it.each<[string, readonly Happening[], object | undefined]>([
    ['started', [STARTED], { salt: 's1', percent: 1, share: 0.01, halted: undefined }],
    [
      'started for no machine',
      [{ ...STARTED, share: 0 }],
      { salt: 's1', percent: 1, share: 0, halted: undefined },
    ],
    [
      'raised by a part of a percent',
      [STARTED, RAISED, { ...RAISED, share: 0.051 }],
      { salt: 's1', percent: 5, share: 0.051, halted: undefined },
    ],
    ['raised', [STARTED, RAISED], { salt: 's1', percent: 5, share: 0.05, halted: undefined }],
    [
      'halted',
      [STARTED, HALTED],
      { salt: 's1', percent: 1, share: 0.01, halted: '5 of 41 failed' },
    ],
    [
      'resumed',
      [STARTED, HALTED, RESUMED],
      { salt: 's1', percent: 1, share: 0.01, halted: undefined },
    ],
    ['retracted', [STARTED, RETRACTED], { salt: 's1', percent: 1, share: 0.01, halted: 'yanked' }],
    ['raised to all', [STARTED, ALL], { salt: 's1', percent: 100, share: 1, halted: undefined }],
    ['completed', [STARTED, ALL, COMPLETED], undefined],
  ])('D54 that was %s, in a release list', (_title, happenings, expected) => {
    const rollout = rolloutAfter(log(...happenings));
    if (!rollout) throw new Error('no rollout');
    expect(listedRollout(rollout)).toEqual(expected);
  });
});

describe('an event that must not be written', () => {
  it.each<[string, readonly Happening[], Partial<RolloutEvent> & Happening, string]>([
    ['raises no rollout', [], RAISED, 'not-started'],
    ['starts it again', [STARTED], STARTED, 'already-started'],
    ['starts it again as if it had none', [STARTED], { ...STARTED, after: 0 }, 'already-started'],
    ['starts a retracted one', [STARTED, RETRACTED], { ...STARTED, after: 0 }, 'already-started'],
    ['starts it with a share below 0', [], { ...STARTED, share: -0.1 }, 'not-a-share'],
    ['raises it to no number', [STARTED], { ...RAISED, share: Number.NaN }, 'not-a-share'],
    ['raises it above 1', [STARTED], { ...RAISED, share: 1.1 }, 'not-a-share'],
    ['lowers the share', [STARTED, RAISED], { ...RAISED, share: 0.049 }, 'share-falls'],
    ['lowers the percentage', [STARTED, RAISED], { ...RAISED, percent: 1 }, 'share-falls'],
    ['raises a halted one', [STARTED, HALTED], RAISED, 'not-running'],
    ['halts a halted one', [STARTED, HALTED], HALTED, 'not-running'],
    ['completes a halted one', [STARTED, ALL, HALTED], COMPLETED, 'not-running'],
    ['completes one that excludes machines', [STARTED], COMPLETED, 'share-below-1'],
    ['resumes a running one', [STARTED], RESUMED, 'not-halted'],
    [
      'resumes it with fewer failures than it was halted for',
      [STARTED, HALTED],
      { ...RESUMED, acknowledged: { ...FEW, failed: 4 } },
      'not-acknowledged',
    ],
    [
      'resumes it without the silent machines',
      [STARTED, HALTED],
      { ...RESUMED, acknowledged: { ...FEW, silent: 0 } },
      'not-acknowledged',
    ],
    ['raises a retracted one', [STARTED, RETRACTED], RAISED, 'ended'],
    ['resumes a retracted one', [STARTED, HALTED, RETRACTED], RESUMED, 'ended'],
    ['halts a completed one', [STARTED, ALL, COMPLETED], HALTED, 'ended'],
    [
      'is by a writer who does not know the last one',
      [STARTED, RAISED],
      { ...ALL, after: 3 },
      'stale',
    ],
    ['is by a writer who knows a later one', [STARTED], { ...RAISED, after: 6 }, 'stale'],
    ['is at the place of the last one', [STARTED], { ...RAISED, sequence: 3 }, 'stale'],
    ['starts one after another event', [], { ...STARTED, after: 3, sequence: 6 }, 'stale'],
  ])('D54 %s', (_title, happenings, wrong, expected) => {
    const events = log(...happenings, wrong);
    const event = { ...events.at(-1), ...wrong } as RolloutEvent;
    const rollout = rolloutAfter(events.slice(0, -1));
    expect(applyEvent(rollout, event)).toEqual({ ok: false, error: expected });
    expect(rolloutAfter([...events.slice(0, -1), event])).toEqual(rollout);
  });

  it('D54 of two that follow the same event, the second changes nothing', () => {
    const [started, raised] = log(STARTED, RAISED);
    const [, halted] = log(STARTED, HALTED);
    if (!started || !raised || !halted) throw new Error('no events');
    const later = { ...halted, sequence: 7 };
    expect(rolloutAfter([started, raised, later])).toEqual(rolloutAfter([started, raised]));
    expect(rolloutAfter([started, raised, raised])).toEqual(rolloutAfter([started, raised]));
  });
});

it('counts no failure before the first halt', () => {
  expect(rolloutAfter(log(STARTED))).toMatchObject({ seen: NONE, acknowledged: NONE });
});

import { describe } from 'vitest';
import type { FirstSeen } from '../../../src/core/releases/publish-time.ts';
import { DAY, NOW, aged, decides } from '../../support/decides.ts';

const week = { minimumAge: { ms: 7 * DAY, unknown: 'refuse' } } as const;
/** A first list, and releases that were added to it, as many days ago. */
const seen = (
  sinceDays: number,
  ...added: (readonly [version: string, afterDays: number, atDays: number])[]
): FirstSeen => ({
  since: NOW - sinceDays * DAY,
  added: new Map(
    added.map(([version, after, at]) => [
      version,
      { after: NOW - after * DAY, at: NOW - at * DAY },
    ]),
  ),
});

describe('[D34] a claimed publish time is limited by when the release was first seen', () => {
  decides([
    {
      case: 'a first list is trusted up to the moment when it was read',
      constraint: 'latest',
      list: [aged('1.2.0', -1500), aged('1.1.0', 8), aged('1.0.0', 700_000)],
      eligibility: { now: NOW, ...week, firstSeen: seen(0) },
      chosen: '1.1.0',
      refused: ['1.2.0: too-young', '1.0.0: older'],
    },
    {
      case: 'a time in the future is that of the first list, and ages with it',
      constraint: 'latest',
      list: [aged('1.2.0', -1500), aged('1.1.0', 8)],
      eligibility: { now: NOW, ...week, firstSeen: seen(7) },
      chosen: '1.2.0',
      refused: ['1.1.0: older'],
    },
    {
      case: 'a new release is not older than the last list without it',
      constraint: 'latest',
      list: [aged('1.2.0', 700_000), aged('1.1.0', 700_000), aged('1.0.0', 8)],
      eligibility: { now: NOW, ...week, firstSeen: seen(9, ['1.2.0', 6.99, 1], ['1.1.0', 7, 1]) },
      chosen: '1.1.0',
      refused: ['1.2.0: too-young', '1.0.0: older'],
    },
    {
      case: 'nor younger than the first list with it',
      constraint: 'latest',
      list: [aged('1.2.0', 0), aged('1.1.0', -9)],
      eligibility: { now: NOW, ...week, firstSeen: seen(9, ['1.2.0', 9, 6.99], ['1.1.0', 9, 7]) },
      chosen: '1.1.0',
      refused: ['1.2.0: too-young'],
    },
    {
      case: 'within the span, the claim counts',
      constraint: 'latest',
      list: [aged('1.2.0', 6.99), aged('1.1.0', 7)],
      eligibility: { now: NOW, ...week, firstSeen: seen(9, ['1.2.0', 9, 1], ['1.1.0', 9, 1]) },
      chosen: '1.1.0',
      refused: ['1.2.0: too-young'],
    },
    {
      case: 'of a span that a clock inverted, only the time of first sight counts',
      constraint: 'latest',
      list: [aged('1.2.0', 700_000), aged('1.1.0', -9)],
      eligibility: { now: NOW, ...week, firstSeen: seen(9, ['1.2.0', 1, 6.99], ['1.1.0', 1, 7]) },
      chosen: '1.1.0',
      refused: ['1.2.0: too-young'],
    },
    {
      case: 'an unknown publish time stays unknown',
      constraint: 'latest',
      list: ['1.2.0', aged('1.1.0', 8)],
      eligibility: { now: NOW, ...week, firstSeen: seen(9, ['1.2.0', 9, 8]) },
      chosen: '1.1.0',
      refused: ['1.2.0: unknown-age'],
    },
    {
      case: '`notAfter` uses the limited time, for pins too',
      constraint: '1.2.0',
      list: [aged('1.2.0', -1500), aged('1.1.0', 8)],
      eligibility: { now: NOW, notAfter: NOW, firstSeen: seen(0) },
      chosen: '1.2.0',
      refused: ['1.1.0: other-version'],
    },
    {
      case: 'a release that was first seen after `notAfter` is refused, whatever it claims',
      constraint: 'latest',
      list: [aged('1.2.0', 700_000), aged('1.1.0', 8)],
      eligibility: {
        now: NOW - 3 * DAY,
        notAfter: NOW - 3 * DAY,
        firstSeen: seen(9, ['1.2.0', 2, 1]),
      },
      chosen: '1.1.0',
      refused: ['1.2.0: not-yet-published'],
    },
  ]);
});

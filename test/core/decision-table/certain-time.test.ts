import { describe, expect, it } from 'vitest';
import {
  decide,
  describeChange,
  explain,
  indexReleases,
  resolve,
  type Eligibility,
} from '../../../src/core/index.ts';
import { nextChange } from '../../../src/core/decision/next-change.ts';
import { moduleQuestion } from '../../support/decided.ts';
import { constraint, records } from '../../support/ask.ts';
import { DAY, NOW, aged, decides } from '../../support/decides.ts';

const week = { now: NOW, minimumAge: { ms: 7 * DAY, unknown: 'refuse' } } as const;
const clock = (fault: NonNullable<Eligibility['clock']>): Eligibility => ({
  ...week,
  clock: fault,
});
const LIST = [aged('1.2.0', 6), aged('1.1.0', 8), aged('1.0.0', 20)];

describe('[D57] a minimum age counts to the latest time that is certain', () => {
  decides([
    {
      case: 'the clock is not known to be wrong',
      constraint: 'latest',
      list: LIST,
      eligibility: week,
      chosen: '1.1.0',
      refused: ['1.2.0: too-young', '1.0.0: older'],
    },
    {
      case: 'the clock is ahead by ten days',
      constraint: 'latest',
      list: LIST,
      eligibility: clock({ kind: 'wrong', aheadMs: 10 * DAY }),
      chosen: '1.0.0',
      refused: ['1.2.0: too-young', '1.1.0: too-young'],
    },
    {
      case: 'the clock is behind by a day',
      constraint: 'latest',
      list: LIST,
      eligibility: clock({ kind: 'wrong', aheadMs: -DAY }),
      chosen: '1.2.0',
      refused: ['1.1.0: older', '1.0.0: older'],
    },
    {
      case: 'no time was ever certain',
      constraint: 'latest',
      list: LIST,
      eligibility: clock({ kind: 'unsynchronized' }),
      chosen: undefined,
      refused: ['1.2.0: unknown-age', '1.1.0: unknown-age', '1.0.0: unknown-age'],
    },
    {
      case: 'only an earlier time is certain',
      constraint: 'latest',
      list: LIST,
      eligibility: clock({ kind: 'distrusted', certainAt: NOW - DAY }),
      chosen: '1.1.0',
      refused: ['1.2.0: unknown-age', '1.0.0: older'],
    },
    {
      case: 'the policy allows an unknown age',
      constraint: 'latest',
      list: LIST,
      eligibility: {
        ...clock({ kind: 'unsynchronized' }),
        minimumAge: { ms: 7 * DAY, unknown: 'allow' },
      },
      chosen: '1.2.0',
      refused: ['1.1.0: older', '1.0.0: older'],
    },
    {
      case: 'pins are exempt',
      constraint: '1.2.0',
      list: LIST,
      eligibility: clock({ kind: 'unsynchronized' }),
      chosen: '1.2.0',
      refused: ['1.1.0: other-version', '1.0.0: other-version'],
    },
    {
      case: 'without a minimum age, the clock does not matter',
      constraint: 'latest',
      list: LIST,
      eligibility: { now: NOW, clock: { kind: 'unsynchronized' } },
      chosen: '1.2.0',
      refused: ['1.1.0: older', '1.0.0: older'],
    },
  ]);

  it.each([
    [
      { kind: 'unsynchronized' },
      "unknown age: this machine's clock is not synchronized, and no registry said over https what time it is; synchronize it, or set trust_clock to true in the policy if it is right",
    ],
    [
      { kind: 'distrusted' },
      "unknown age: the policy does not trust this machine's clock (trust_clock), and no registry said over https what time it is",
    ],
    [{ kind: 'wrong', aheadMs: DAY }, 'too young until 2026-11-28T00:00:00Z'],
  ] as const)('%j is explained', (fault, expected) => {
    const index = indexReleases(records([aged('1.0.0', 1)]));
    const lines = explain(resolve(constraint('latest'), index, clock(fault)));
    expect(lines.join('\n')).toContain(expected);
  });
});

describe('[D57] the next change', () => {
  it.each<[string, NonNullable<Eligibility['clock']>, string | undefined]>([
    [
      'is by the clock of the machine, which is two days ahead',
      { kind: 'wrong', aheadMs: 2 * DAY },
      '2026-11-25T00:00:00Z: upgrade to 1.2.4, as a release reaches the minimum age',
    ],
    [
      'is not known while no time is certain',
      { kind: 'unsynchronized', certainAt: NOW },
      undefined,
    ],
  ])('%s', (_, fault, expected) => {
    const list = [aged('1.2.3', 9), aged('1.2.4', 5)];
    const { minimumAge } = week;
    const situation = { wanted: '1.2.*', deployed: '1.2.3', list, eligibility: { minimumAge } };
    const change = nextChange(decide(moduleQuestion({ ...situation, clock: fault })));
    expect(change && describeChange(change)).toBe(expected);
  });
});

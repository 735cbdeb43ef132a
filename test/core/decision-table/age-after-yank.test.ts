import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/core/index.ts';
import { decidesOn, moduleQuestion } from '../../support/decided.ts';
import { trusting } from '../../support/trusting.ts';
import { aged, DAY, NOW } from '../../support/decides.ts';

const yank = { after: NOW - DAY, at: NOW - DAY / 2 };

describe('[D204] the deployed release was yanked, and the policy names a trust document', () => {
  const minimumAge = { ms: 7 * DAY, unknown: 'refuse', afterYank: DAY } as const;
  const young = {
    wanted: '1.*',
    deployed: '1.2.3',
    firstSeen: { since: NOW - 1.5 * DAY, added: new Map([['yanked 1.2.3', yank]]) },
    eligibility: { minimumAge },
  };
  const replacement = aged('1.2.4', 2);
  const list = [{ ...aged('1.2.3', 9), yanked: 'leaks' }, replacement];
  const waits =
    'ahead: stays at 1.2.3, which is yanked: leaks; 1.2.4 is too young until 2026-11-26T00:00:00Z; no release may be selected: 1 too young, 1 yanked';
  decidesOn([
    {
      case: 'D204 by its author: the shorter age',
      ...young,
      list,
      signed: ['1.2.3', '1.2.4', 'yank 1.2.3'],
      expected: 'upgrade to 1.2.4: newest release of 1',
      warns: ['deployed-yanked'],
    },
    {
      case: 'D204 by nobody who may: as long as any other',
      ...young,
      list,
      signed: ['1.2.3', '1.2.4'],
      expected: waits,
      warns: ['ahead', 'deployed-yanked'],
    },
    {
      case: 'D204 by the author of another yank: as long as any other',
      ...young,
      list,
      signed: ['1.2.3', '1.2.4', 'yank 1.2.4'],
      expected: waits,
      warns: ['ahead', 'deployed-yanked'],
    },
    {
      case: 'D204 and is yanked no more: as long as any other',
      ...young,
      list: [aged('1.2.3', 9), replacement],
      signed: ['1.2.3', '1.2.4', 'yank 1.2.3'],
      expected: 'up-to-date: stays at 1.2.3: 1.2.4 is too young until 2026-11-26T00:00:00Z',
    },
    {
      case: 'D204 and is listed no more: as long as any other',
      ...young,
      list: [replacement],
      signed: ['1.2.4', 'yank 1.2.3'],
      expected:
        'ahead: stays at 1.2.3, which is not in the list; 1.2.4 is too young until 2026-11-26T00:00:00Z; no release may be selected: 1 too young',
      warns: ['ahead'],
    },
    {
      case: 'D204 and no release needs a signature: the shorter age',
      ...young,
      list,
      expected: 'upgrade to 1.2.4: newest release of 1',
      warns: ['deployed-yanked'],
    },
  ]);

  it('asks for no signature of a yank that shortens nothing', () => {
    const trust = trusting('1.2.3', '1.2.4');
    const situation = {
      ...young,
      list,
      eligibility: { minimumAge: { ...minimumAge, afterYank: undefined } },
    };
    const input = moduleQuestion(situation);
    if ('error' in input.list) throw new Error('no list');
    decide({ ...input, list: { ...input.list, trust } });
    expect(trust.asked).toEqual([]);
  });
});

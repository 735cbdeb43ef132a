import { describe, expect, it } from 'vitest';
import { retryUnder } from '../../../src/core/releases/retry.ts';
import { decidesOn } from '../../support/decided.ts';
import { version } from '../../support/ask.ts';

const LIST = ['1.2.3', '1.2.4', '1.2.5'];
const RETRIED = [{ version: '1.2.5', reason: 'no port', retry: 1 }];
const WHY = 'the entry was edited since 1.2.5 failed; one more try, 1 of 3';

describe('D82: the entry was edited since a release failed', () => {
  decidesOn([
    {
      case: 'D82 nothing is deployed: it is installed again',
      wanted: '1.2.*',
      deployed: null,
      list: LIST,
      quarantine: RETRIED,
      expected: `install of 1.2.5: not deployed yet; newest patch of 1.2; ${WHY}`,
    },
    {
      case: 'D82 the version before it was started again: it is upgraded once more',
      wanted: '1.2.*',
      deployed: '1.2.4',
      list: LIST,
      quarantine: [{ version: '1.2.5', retry: 3 }],
      expected:
        'upgrade to 1.2.5: newest patch of 1.2; the entry was edited since 1.2.5 failed; one more try, 3 of 3',
    },
    {
      case: 'D82 the server is busy: it is held, and says why it comes again',
      wanted: '1.2.*',
      deployed: '1.2.4',
      list: LIST,
      quarantine: RETRIED,
      timing: { isServerBusy: true },
      expected: `upgrade to 1.2.5 waits: the server is processing config changes; ${WHY}`,
    },
    {
      case: 'D82 it works: it stays, and nothing is said',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: LIST,
      quarantine: RETRIED,
      expected: 'up-to-date: already the newest patch of 1.2',
    },
    {
      case: 'D82 it is pinned: it is installed again',
      wanted: '1.2.5',
      deployed: null,
      list: LIST,
      quarantine: RETRIED,
      expected: `install of 1.2.5: not deployed yet; pinned; ${WHY}`,
    },
    {
      case: 'D82 a newer release is there: the edit says nothing about it',
      wanted: '1.2.*',
      deployed: null,
      list: [...LIST, '1.2.6'],
      quarantine: RETRIED,
      expected: 'install of 1.2.6: not deployed yet; newest patch of 1.2',
    },
    {
      case: 'D82 an operator rolled back past it: it stays refused',
      wanted: '1.2.*',
      deployed: '1.2.3',
      list: LIST,
      quarantine: [
        ...RETRIED,
        {
          version: '1.2.4',
          rolledBack: {
            from: version('1.2.4'),
            to: version('1.2.3'),
            refused: new Set(['1.2.4', '1.2.5']),
          },
        },
      ],
      expected:
        'up-to-date: stays at 1.2.3: 1.2.5 and 1.2.4 are refused by a rollback on this machine',
    },
  ]);

  it.each<[string, readonly string[], string | undefined, number | undefined]>([
    ['it failed under no entry that is known', [], 'b', undefined],
    ['what the entry is now is not known', ['a'], undefined, undefined],
    ['under the same entry', ['a'], 'a', undefined],
    ['the first edit', ['a'], 'b', 1],
    ['the second edit', ['a', 'b'], 'c', 2],
    ['the third edit', ['a', 'b', 'c'], 'd', 3],
    ['the fourth edit', ['a', 'b', 'c', 'd'], 'e', undefined],
    ['back to an entry under which it failed', ['a', 'b'], 'a', undefined],
  ])('gives another try: %s', (_, failed, now, expected) => {
    expect(retryUnder(failed, now)).toBe(expected);
  });
});

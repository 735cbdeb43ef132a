import fc from 'fast-check';
import { describe, it } from 'vitest';
import {
  clockedBoard,
  DAY,
  HOUR,
  memoryFile,
  START,
  type Board,
} from '../support/clocked-board.ts';
import { cases } from '../support/runs.ts';

const AGE = 3 * DAY;
const YEAR = 365 * DAY;

type Step =
  | { readonly does: 'pass'; readonly ms: number }
  /** The clock jumps, and its system notices. `aheadMs` of 0: it is synchronized again. */
  | { readonly does: 'set the clock'; readonly aheadMs: number }
  | { readonly does: 'publish'; readonly claim: 'honest' | 'later' | 'earlier' }
  | { readonly does: 'read' | 'restart' | 'evict' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('read' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('pass' as const),
      ms: fc.constantFrom(1000, HOUR, DAY, AGE - HOUR, AGE, 40 * DAY),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('set the clock' as const),
      aheadMs: fc.constantFrom(0, 0, -HOUR, -5 * DAY, -60 * DAY, -START, DAY, 73 * YEAR),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('publish' as const),
      claim: fc.constantFrom(
        'honest' as const,
        'honest' as const,
        'later' as const,
        'earlier' as const,
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constantFrom('restart' as const, 'evict' as const) }),
  },
);

/** What a release may do at the earliest, and must at the latest, as the rules say in words. */
interface Told {
  /** It is selected no earlier than one minimum age after this. */
  notBefore: number;
  /** Whether it claims to be from before its list was read first with it, and no list was. */
  isDoubtful: boolean;
  /** When the list was first read with it at a time that was certain. */
  certainAt: number | undefined;
}

const CLAIMS = { honest: 0, later: 20 * YEAR, earlier: -YEAR } as const;

/** Plays the steps, and throws at the first selection that is too early or too late. */
async function play(board: Board, isCertainAlways: boolean, steps: readonly Step[]): Promise<void> {
  const told: Told[] = [];
  let isRight = true;
  /** The last certain read: an earlier claim cannot say that a release was there before. */
  let lastRead: number | undefined;
  const judge = (selected: string, isCertain: boolean): void => {
    const number = /^1\.(\d+)\.0$/.exec(selected)?.[1];
    const release = number === undefined ? undefined : told[Number(number)];
    const now = board.time();
    if (release && now < release.notBefore + AGE) {
      throw new Error(`${selected} is selected ${release.notBefore + AGE - now} ms early`);
    }
    if (!isCertain) return;
    const due = told.findLastIndex(({ certainAt = Infinity }) => certainAt + AGE <= now);
    if (due > Number(number ?? -1)) throw new Error(`1.${due}.0 is not selected: ${selected}`);
  };
  for (const one of steps) {
    switch (one.does) {
      case 'pass':
        board.pass(one.ms);
        break;
      case 'set the clock':
        isRight = one.aheadMs === 0;
        board.setClock(one.aheadMs);
        board.know({ state: isRight ? 'synchronized' : 'unsynchronized' });
        break;
      case 'publish': {
        const now = board.time();
        // The times of a first list are trusted, and so are earlier ones of a list whose predecessor was lost.
        const notBefore = one.claim === 'earlier' ? (lastRead ?? -Infinity) : now;
        told.push({ notBefore, isDoubtful: one.claim === 'earlier', certainAt: undefined });
        board.publish(`1.${told.length - 1}.0`, now + CLAIMS[one.claim]);
        break;
      }
      case 'read': {
        const isCertain = isRight || isCertainAlways;
        const selected = await board.read();
        for (const release of told) release.isDoubtful = false;
        if (isCertain) {
          lastRead = board.time();
          for (const release of told) release.certainAt ??= board.time();
        }
        judge(selected, isCertain);
        break;
      }
      case 'restart':
        board.restart();
        break;
      case 'evict':
        board.evict();
        lastRead = undefined;
        // A list without its predecessor is believed what it says of earlier times (D34).
        for (const release of told) if (release.isDoubtful) release.notBefore = -Infinity;
        break;
    }
  }
}

describe('[D57] [D58] [D59] [T297] a release is selected neither before its true age, nor later than one minimum age after a certain time', () => {
  it.each([
    ['the machine says whether its clock is right', 'loopback'],
    ['a registry says over https what time it is', 'https'],
  ] as const)('%s', async (_, source) => {
    const file = memoryFile();
    let board = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        const path = `${++board}`;
        const one = clockedBoard({ source, file, path, state: 'synchronized' });
        await play(one, source === 'https', steps);
      }),
      cases(500),
    );
  });
});

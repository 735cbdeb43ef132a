import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clockedBoard,
  DAY,
  HOUR,
  memoryFile,
  START,
  type Board,
  type Source,
} from '../support/clocked-board.ts';
import { cases } from '../support/runs.ts';

const AGE = 3 * DAY;
const YEAR = 365 * DAY;

type Step =
  | { readonly does: 'pass'; readonly ms: number }
  /** The clock jumps, and its system notices. `aheadMs` of 0: it is synchronized again. */
  | { readonly does: 'set the clock'; readonly aheadMs: number }
  | { readonly does: 'publish'; readonly claim: 'honest' | 'later' | 'earlier' }
  | { readonly does: 'read' }
  | { readonly does: 'restart' }
  | { readonly does: 'evict' };

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

/** The releases that were published, and what was certain about them. */
interface Story {
  readonly told: Told[];
  /** The last certain read: an earlier claim cannot say that a release was there before. */
  lastRead: number | undefined;
}

/** Why a selection is too early or too late; undefined if it is neither. */
function complaint(
  { told }: Story,
  now: number,
  { selected, isCertain }: { readonly selected: string; readonly isCertain: boolean },
): string | undefined {
  const number = /^1\.(\d+)\.0$/.exec(selected)?.[1];
  const release = number === undefined ? undefined : told[Number(number)];
  const earliest = (release?.notBefore ?? -Infinity) + AGE;
  if (now < earliest) return `${selected} is selected ${earliest - now} ms early`;
  const due = told.findLastIndex(({ certainAt = Infinity }) => certainAt + AGE <= now);
  if (!isCertain || due <= Number(number ?? -1)) return undefined;
  return `1.${due}.0 is not selected: ${selected}`;
}

function publish(board: Board, { told, lastRead }: Story, claim: keyof typeof CLAIMS): void {
  const now = board.time();
  // The times of a first list are trusted.
  const notBefore = claim === 'earlier' ? (lastRead ?? -Infinity) : now;
  told.push({ notBefore, isDoubtful: claim === 'earlier', certainAt: undefined });
  board.publish(`1.${told.length - 1}.0`, now + CLAIMS[claim]);
}

async function read(board: Board, story: Story, isCertain: boolean): Promise<string | undefined> {
  const selected = await board.read();
  for (const release of story.told) {
    release.isDoubtful = false;
    if (isCertain) release.certainAt ??= board.time();
  }
  if (isCertain) story.lastRead = board.time();
  return complaint(story, board.time(), { selected, isCertain });
}

function evict(board: Board, story: Story): void {
  board.evict();
  // The process would still have the list, and would not save it again.
  board.restart();
  story.lastRead = undefined;
  // A list without its predecessor is believed what it says of earlier times (D34).
  const doubtful = story.told.filter(({ isDoubtful }) => isDoubtful);
  for (const release of doubtful) release.notBefore = -Infinity;
}

/** Plays the steps up to the first selection that is too early or too late, and returns why it is. */
async function play(
  board: Board,
  source: Source,
  steps: readonly Step[],
): Promise<string | undefined> {
  const story: Story = { told: [], lastRead: undefined };
  let isRight = true;
  let found: string | undefined;
  for (const one of steps) {
    if (one.does === 'pass') board.pass(one.ms);
    else if (one.does === 'publish') publish(board, story, one.claim);
    else if (one.does === 'restart') board.restart();
    else if (one.does === 'evict') evict(board, story);
    else if (one.does === 'read') found ??= await read(board, story, isRight || source === 'https');
    else {
      isRight = one.aheadMs === 0;
      board.setClock(one.aheadMs);
      board.know({ state: isRight ? 'synchronized' : 'unsynchronized' });
    }
  }
  return found;
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
        expect(await play(one, source, steps)).toBeUndefined();
      }),
      cases(500),
    );
  });
});

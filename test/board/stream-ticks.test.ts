import { describe, expect, it } from 'vitest';
import type { FakeBoard } from '../../src/board/index.ts';
import type { VirtualClock } from '../../src/testing/index.ts';
import { opened } from './support/fake-board.ts';

const TWO = {
  digitalInterrupts: [
    { name: 'bumper', pin: '11' },
    { name: 'encoder', pin: '12' },
  ],
};

type TickStream = ReturnType<FakeBoard['streamTicks']>;
type Tick = TickStream extends AsyncIterable<infer T> ? T : never;

function words({ name, count, high, at }: Tick): string {
  return `${new Date(at).toISOString().slice(17, 23)} ${name} ${count} ${high ? 'high' : 'low'}`;
}

/** Reads `stream` until it ends. */
function reading(stream: TickStream): { readonly ticks: string[]; readonly ended: Promise<void> } {
  const ticks: string[] = [];
  const read = async (): Promise<void> => {
    for await (const tick of stream) ticks.push(words(tick));
    ticks.push('ended');
  };
  return { ticks, ended: read() };
}

/** The next `count` ticks, which have come already. */
async function nextOf(stream: TickStream, count: number): Promise<string[]> {
  const ticks: string[] = [];
  for (let left = count; left > 0; left--) {
    const { value } = await stream.next();
    if (value) ticks.push(words(value));
  }
  return ticks;
}

/** A board that was opened half an interval ago. */
async function halfway(): Promise<{ readonly board: FakeBoard; readonly clock: VirtualClock }> {
  const { board, clock } = opened(TWO);
  await clock.pass(500);
  return { board, clock };
}

describe('[D46] streamTicks()', () => {
  it('has each tick of all interrupts at its time', async () => {
    const { board, clock } = await halfway();
    const { ticks } = reading(board.streamTicks());
    await clock.pass(499);
    expect(ticks).toEqual([]);
    await clock.pass(1501);
    expect(ticks).toEqual([
      '01.000 bumper 1 high',
      '01.000 encoder 1 high',
      '02.000 bumper 2 low',
      '02.000 encoder 2 low',
    ]);
  });

  it('has only the named interrupts, each once, and only ticks from now on', async () => {
    const { board, clock } = await halfway();
    await clock.pass(2000);
    const { ticks } = reading(board.streamTicks(['encoder', 'encoder']));
    await clock.pass(2000);
    expect(ticks).toEqual(['03.000 encoder 3 high', '04.000 encoder 4 low']);
  });

  it('has the time of a tick that is read later', async () => {
    const { board, clock } = await halfway();
    const stream = board.streamTicks(['bumper']);
    await clock.pass(2400);
    expect(await nextOf(stream, 2)).toEqual(['01.000 bumper 1 high', '02.000 bumper 2 low']);
  });

  it('ends when its signal aborts, at once and later', async () => {
    const { board, clock } = await halfway();
    const stopping = new AbortController();
    const { ticks, ended } = reading(board.streamTicks(['bumper'], { signal: stopping.signal }));
    await clock.pass(1000);
    stopping.abort();
    await ended;
    expect(ticks).toEqual(['01.000 bumper 1 high', 'ended']);
    const late = reading(board.streamTicks(['bumper'], { signal: stopping.signal }));
    await late.ended;
    expect(late.ticks).toEqual(['ended']);
  });

  it('ends when its loop ends', async () => {
    const { board, clock } = await halfway();
    const stream = board.streamTicks(['bumper']);
    const first = (async () => {
      for await (const tick of stream) return words(tick);
      return 'none';
    })();
    await clock.pass(1000);
    expect([await first, await stream.next()]).toEqual([
      '01.000 bumper 1 high',
      { done: true, value: undefined },
    ]);
  });

  it('ends what waits for its next tick', async () => {
    const { board } = await halfway();
    const stream = board.streamTicks();
    const waiting = stream.next();
    expect([await stream.return(), await waiting]).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
  });

  it('gives several that wait a tick each', async () => {
    const { board, clock } = await halfway();
    const stream = board.streamTicks();
    const waiting = Promise.all([stream.next(), stream.next(), stream.next()]);
    await clock.pass(2000);
    expect((await waiting).map(({ value }) => value && words(value))).toEqual([
      '01.000 bumper 1 high',
      '01.000 encoder 1 high',
      '02.000 bumper 2 low',
    ]);
  });

  it.each([
    ['names no interrupt', []],
    ['a board without interrupts', undefined],
  ])('ends at once: %s', async (_, names) => {
    const { board } = names ? await halfway() : opened({});
    expect(await board.streamTicks(names).next()).toEqual({ done: true, value: undefined });
  });

  it('drops the oldest ticks that wait, and counts them', async () => {
    const { board, clock } = await halfway();
    const stream = board.streamTicks(undefined, { capacity: 3 });
    await clock.pass(5000);
    expect(stream.dropped).toBe(7);
    expect(await nextOf(stream, 3)).toEqual([
      '04.000 encoder 4 low',
      '05.000 bumper 5 high',
      '05.000 encoder 5 high',
    ]);
    await clock.pass(2000);
    expect(await nextOf(stream, 1)).toEqual(['06.000 encoder 6 low']);
    expect(stream.dropped).toBe(8);
    await stream.return();
    await clock.pass(60_000);
    expect(stream.dropped).toBe(8);
  });

  it('keeps a thousand ticks that wait by default, and needs no time for a million others', async () => {
    const { board, clock } = opened(TWO, { tickIntervalMs: 1 });
    const stream = board.streamTicks(['bumper']);
    await clock.pass(1_000_000);
    expect(await nextOf(stream, 1)).toEqual(['39.001 bumper 999001 high']);
    expect(stream.dropped).toBe(999_000);
  });

  it('sleeps again if the clock wakes it too early', async () => {
    const { board, clock } = opened(TWO, {});
    const early = opened(TWO, {
      clock: {
        ...clock,
        sleep: async (ms, signal) => await clock.sleep(Math.max(1, ms / 2), signal),
      },
    });
    const { ticks } = reading(early.board.streamTicks(['bumper']));
    await clock.pass(999);
    expect([ticks, board.value('bumper')]).toEqual([[], 0]);
    await clock.pass(3);
    expect(ticks).toEqual(['01.000 bumper 1 high']);
  });
});

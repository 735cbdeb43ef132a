import { expect, it } from 'vitest';
import { followStream } from '../../src/cluster/follow-stream.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';

/** What is applied of a stream with messages up to `newest` while the node that answers has those up to `there`. */
async function applied(there: number, newest: number): Promise<string[]> {
  const clock = virtualClock();
  const ending = new AbortController();
  const seen: string[] = [];
  let next = 1;
  const stream = {
    read: async (sequence: number) =>
      await Promise.resolve(sequence <= there ? `${sequence}` : undefined),
    readAtLeader: async (sequence: number) =>
      await Promise.resolve(sequence <= newest ? `${sequence} of the leader` : undefined),
    onNews: () => () => undefined,
  };
  const applying = {
    atOnce: 8,
    newest: async () => await Promise.resolve(newest),
    next: () => next,
    apply: (message: string) => {
      seen.push(message);
      next++;
    },
    onRound: () => undefined,
  };
  const { ended, wake } = followStream(stream, applying, { clock, signal: ending.signal });
  await clock.pass(2000);
  ending.abort();
  wake();
  await ended;
  return seen;
}

it.each([
  [2, 2, ['1', '2']],
  [0, 1, ['1 of the leader']],
  [1, 3, ['1', '2 of the leader', '3 of the leader']],
])(
  'of a node that has %i of %i messages, the leader has the rest',
  async (there, newest, expected) => {
    expect(await applied(there, newest)).toEqual(expected);
  },
);

async function numbered(sequence: number): Promise<string> {
  return await Promise.resolve(`${sequence}`);
}

it('a front that ends while it takes messages takes no further one of those that it has read', async () => {
  const clock = virtualClock();
  const ending = new AbortController();
  const seen: string[] = [];
  const { ended } = followStream(
    { read: numbered, readAtLeader: numbered, onNews: () => () => undefined },
    {
      atOnce: 8,
      newest: async () => await Promise.resolve(8),
      next: () => 1,
      apply: (message) => {
        seen.push(message);
        if (message === '3') ending.abort();
      },
      onRound: () => undefined,
    },
    { clock, signal: ending.signal },
  );
  await ended;
  expect(seen).toEqual(['1', '2', '3']);
});

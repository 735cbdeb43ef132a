import { expect, it } from 'vitest';
import { collectorOn, textOf, type Behaviour } from '../../mocks/log-collector.ts';
import { network } from '../../mocks/network.ts';
import { deliveryOf, logWith, record, sent } from '../support/log-sending.ts';
import type { Answer } from '../../src/logs/collector.ts';
import type { Batch } from '../../src/logs/log-batch.ts';
import {
  describeRefused,
  isTooMany,
  refusedAlone,
  type RefusedLines,
} from '../../src/logs/refused-lines.ts';

const REFUSED: Answer = { kind: 'refused', why: 'c.example answered 400' };

function alone(number: number): Batch {
  return { records: ['{}'], last: number, droppedReported: 0, first: `line ${number}` };
}

function afterRefusals(count: number): RefusedLines | undefined {
  let refused: RefusedLines | undefined;
  for (let number = 1; number <= count; number++) {
    refused = refusedAlone(REFUSED, alone(number), refused);
  }
  return refused;
}

it('[T358] a pause follows 2,048 lines in a row that were refused one by one', () => {
  const found = [1, 2047, 2048].map((count) => {
    const refused = afterRefusals(count);
    return refused && [refused.last, isTooMany(refused), describeRefused(refused)];
  });
  expect(found).toEqual([
    [1, false, 'a line of the log is not sent, line 1: c.example answered 400'],
    [
      2047,
      false,
      '2047 lines of the log are not sent, the first is line 1: c.example answered 400',
    ],
    [2048, true, '2048 lines of the log are not sent, the first is line 1: c.example answered 400'],
  ]);
});

it.each<[string, Answer, Batch]>([
  ['in a batch of two', REFUSED, { ...alone(1), records: ['{}', '{}'] }],
  ['by a collector that is busy', { ...REFUSED, kind: 'unavailable', retryMs: 1 }, alone(1)],
  ['by a collector that is closed', { ...REFUSED, kind: 'closed' }, alone(1)],
])('[T358] a line is not refused for itself %s', (_what, answer, batch) => {
  expect(refusedAlone(answer, batch, undefined)).toBeUndefined();
});

it('[T358] the marker of dropped lines that is refused keeps the number of the line before it', () => {
  const marker = { ...alone(1), last: undefined, droppedReported: 7 };
  const refused = refusedAlone(REFUSED, marker, afterRefusals(3));
  expect([refused?.count, refused?.last, refused?.droppedReported]).toEqual([4, 3, 7]);
});

const net = network();
const WHICH = 'the one of 2026-11-24T10:00:00Z about lidar: http://127.0.0.1:4318/v1/logs answered';
const COUNTED = 'modreg agent status counts all of them; they stay in this log';
const HELD =
  'warn the log is not sent: http://127.0.0.1:4318/v1/logs answered 400; its lines wait, the next attempt is in 30 s';

function refusing(status: number, ...texts: readonly string[]): Behaviour {
  return ({ records }) => {
    const isRefused = records.some((one) => texts.includes(textOf(one)));
    return new Response(null, { status: isRefused ? status : 200 });
  };
}

interface Row {
  readonly behave: (place: number) => Behaviour;
  /** The records of each request; `abcd` for a log of four lines. */
  readonly requests: readonly string[];
  /** In seconds. */
  readonly sleeps: readonly number[];
  readonly notices: readonly string[];
  readonly setAside: number;
}

it.each<[string, Row]>([
  [
    '400 to the three oldest of four records',
    {
      behave: () => refusing(400, 'a', 'b', 'c'),
      requests: ['abcd', 'ab', 'a', 'b', 'c', 'd'],
      sleeps: [],
      notices: [`warn 3 lines of the log are not sent, the first is ${WHICH} 400; ${COUNTED}`],
      setAside: 3,
    },
  ],
  [
    '413 to one record, however small its batch is',
    {
      behave: () => refusing(413, 'b'),
      requests: ['abcd', 'ab', 'a', 'b', 'c', 'd'],
      sleeps: [],
      notices: [`warn a line of the log is not sent, ${WHICH} 413; ${COUNTED}`],
      setAside: 1,
    },
  ],
  [
    '400 to the last record, after which nothing shows that it takes others',
    {
      behave: () => refusing(400, 'd'),
      requests: ['abcd', 'ab', 'cd', 'c', 'd', 'd', 'd'],
      sleeps: [30, 60],
      notices: [HELD, `warn a line of the log is not sent, ${WHICH} 400 three times; ${COUNTED}`],
      setAside: 1,
    },
  ],
  [
    '400 to everything for a while',
    {
      behave: (place) => (place < 6 ? 400 : 200),
      requests: ['abcd', 'ab', 'a', 'b', 'c', 'd', 'a', 'bc', 'd'],
      sleeps: [30],
      notices: [HELD, 'info the log is sent again'],
      setAside: 0,
    },
  ],
])('[T358] a collector that answers %s', async (_what, row) => {
  const { behave, requests, sleeps, notices, setAside } = row;
  const collector = collectorOn(net, behave);
  const path = logWith(['a', 'b', 'c', 'd'].map((text) => record(text)));
  const done = await sent(path, collector);
  expect(collector.texts().map((texts) => texts.join(''))).toEqual(requests);
  expect(done.clock.sleeps.map((ms) => ms / 1000)).toEqual(sleeps);
  expect(done.notices).toEqual(notices);
  expect(deliveryOf(path).setAside).toBe(setAside);
});

import { describe, expect, it } from 'vitest';
import { MOST_RECORDS } from '../../src/logs/log-limits.ts';
import type { Delivery } from '../../src/logs/log-queue.ts';
import { testClock } from '../support/clock.ts';
import {
  answering,
  collectorOn,
  servedCollector,
  textOf,
  uidOf,
  type Behaviour,
} from '../../mocks/log-collector.ts';
import { network, silence } from '../../mocks/network.ts';
import {
  append,
  AT,
  deliveryOf,
  HOUR,
  KEY,
  logWith,
  record,
  sending,
  sent,
  to,
  TOKEN,
  withoutPort,
} from '../support/log-sending.ts';

const HELD = 'warn the log is not sent: http://HOST/v1/logs';
const AGAIN = 'info the log is sent again';
const COUNTED = 'modreg agent status counts all of them; they stay in this log';

interface Row {
  readonly answers: readonly Behaviour[];
  /** The records of each request; `abcd` for a log of four lines. */
  readonly requests: readonly string[];
  /** In seconds. */
  readonly sleeps: readonly number[];
  readonly notices: readonly string[];
  readonly lost?: Partial<Delivery>;
  /** A real socket can break before the answer, and the client then knows why. */
  readonly onSocket?: boolean;
}

const net = network();

const refusing: Behaviour = ({ records }) => {
  const isRefused = records.map(textOf).includes('c');
  return new Response(null, { status: isRefused ? 400 : 200 });
};
const elsewhere = answering(302, {}, { location: '/elsewhere' });
const signInPage: Behaviour = () =>
  new Response('<html>', { headers: { 'content-type': 'text/html; charset=utf-8' } });
const tooLarge: Behaviour = ({ records }) =>
  new Response(null, { status: records.length > 1 ? 413 : 200 });
/** It stops after 1 MB, and does not end: the memory of a client that reads on must not grow until the machine stops. */
const endless: Behaviour = () => {
  const body = new ReadableStream({ start: (one) => one.enqueue(new Uint8Array(1e6)) });
  return new Response(body);
};
function unavailable(status: number): Row {
  return {
    answers: [status, status],
    requests: ['abcd', 'abcd', 'abcd'],
    sleeps: [30, 60],
    notices: [`${HELD} answered ${status}; its lines wait, the next attempt is in 30 s`, AGAIN],
  };
}

const once = JSON.stringify(TOKEN).slice(1, -1);
const twice = JSON.stringify(once).slice(1, -1);
const long = 'x'.repeat(190);

/** An answer that accepts a request of four records. */
function accepting(rejectedLogRecords: unknown, rejected: number): Row {
  const said = `warn the collector rejected ${rejected} of 4 lines of the log (too old); ${COUNTED}`;
  return {
    answers: [answering(200, { partialSuccess: { rejectedLogRecords, errorMessage: 'too old' } })],
    requests: ['abcd'],
    sleeps: [],
    notices: rejected > 0 ? [said] : [],
    lost: { rejected },
  };
}

/** An answer with `message`, or with another member of that text, which is shown as `why`. */
function saying(message: string, why: string, member = 'message'): Row {
  const answer = answering(401, { [member]: message });
  return { ...closed(401, ` (${why})`), answers: [answer, answer] };
}

/** So long a refusal lasts that only a repair or a change of the policy ends. */
function closed(status: number, why = ''): Row {
  return {
    answers: [status, status],
    requests: ['abcd', 'abcd', 'abcd'],
    sleeps: [300, 300],
    notices: [
      `${HELD} answered ${status}${why}; its lines wait, the next attempt is in 5 min`,
      AGAIN,
    ],
  };
}

describe('[A19] a collector that answers', () => {
  it.for<[string, Row]>([
    ['204', { answers: [204], requests: ['abcd'], sleeps: [], notices: [] }],
    ['408', unavailable(408)],
    ['429', unavailable(429)],
    ['500', unavailable(500)],
    ['502', unavailable(502)],
    ['503', unavailable(503)],
    ['504', unavailable(504)],
    ['401', closed(401)],
    ['403', closed(403)],
    ['404', closed(404)],
    ['405', closed(405)],
    ['415', closed(415)],
    [
      '302',
      { ...closed(302, ', a redirect, which is not followed'), answers: [elsewhere, elsewhere] },
    ],
    [
      '503 with Retry-After',
      {
        ...unavailable(503),
        answers: [answering(503, {}, { 'retry-after': '7' }), 503],
        sleeps: [7, 60],
        notices: [`${HELD} answered 503; its lines wait, the next attempt is in 7 s`, AGAIN],
      },
    ],
    [
      '429 with a Retry-After of a month',
      {
        ...unavailable(429),
        answers: [answering(429, {}, { 'retry-after': '2592000' }), 429],
        sleeps: [3600, 60],
        notices: [`${HELD} answered 429; its lines wait, the next attempt is in 1 h`, AGAIN],
      },
    ],
    [
      'nothing, and closes the connection',
      {
        onSocket: true,
        answers: [() => Response.error()],
        requests: ['abcd', 'abcd'],
        sleeps: [30],
        notices: [
          `${HELD} cannot be reached (UND_ERR_SOCKET); its lines wait, the next attempt is in 30 s`,
          AGAIN,
        ],
      },
    ],
    ['401 with a problem document', saying(`not ${KEY}`, 'not [token]', 'detail')],
    ['401 that repeats a header', saying(`unknown: Bearer ${TOKEN}`, 'unknown: [token]')],
    ['401 that repeats the token', saying(`not ${TOKEN}, sorry`, 'not [token], sorry')],
    ['401 that repeats the token, escaped', saying(`not ${once}`, 'not [token]')],
    [
      '401 that repeats the token, escaped for HTML and twice for JSON',
      saying(`not ${twice.replace('<', '\\\\u003c').replace('/', '\\\\\\/')}`, 'not [token]'),
    ],
    ['401 that repeats the value of a cookie', saying(`not ${KEY}`, 'not [token]')],
    ['401 that is cut at the token', saying(`${long} ${TOKEN}`, `${long} [token]`)],
    ['401 with a backslash before the token', saying(`\\n${KEY}`, '\\n[token]')],
    [
      '503, then 401: both are said once',
      {
        answers: [503, 503, 401, 401],
        requests: Array.from({ length: 5 }, () => 'abcd'),
        sleeps: [30, 60, 300, 300],
        notices: [
          `${HELD} answered 503; its lines wait, the next attempt is in 30 s`,
          `${HELD} answered 401; its lines wait, the next attempt is in 5 min`,
          AGAIN,
        ],
      },
    ],
    [
      '413 to more than one record',
      {
        answers: Array.from({ length: 9 }, () => tooLarge),
        requests: ['abcd', 'ab', 'a', 'b', 'c', 'd'],
        sleeps: [],
        notices: [],
      },
    ],
    [
      '400 to one of four records',
      {
        answers: Array.from({ length: 20 }, () => refusing),
        requests: ['abcd', 'ab', 'cd', 'c', 'd'],
        sleeps: [],
        notices: [
          `warn a line of the log is not sent, the one of 2026-11-24T10:00:00Z about lidar: http://HOST/v1/logs answered 400; ${COUNTED}`,
        ],
        lost: { setAside: 1 },
      },
    ],
    ['422 once', { answers: [422], requests: ['abcd', 'ab', 'cd'], sleeps: [], notices: [] }],
    ['that it took one record less', accepting('1', 1)],
    ['that it took 1e300 less', accepting('1e300', 4)],
    ['that it took five records of four less', accepting(5, 4)],
    ['that it took one and a half less', accepting(1.5, 1)],
    ['that it took more than it got', accepting('-1', 0)],
    ['a count that is a word', accepting('some', 0)],
    ['a count that is a list', accepting([1], 0)],
    [
      '200 with the sign-in page of a network',
      {
        ...unavailable(200),
        answers: [signInPage, signInPage],
        notices: [
          `${HELD} answered 200 with a web page, as a network that requires a sign-in does; its lines wait, the next attempt is in 30 s`,
          AGAIN,
        ],
      },
    ],
    [
      '200 with a body that is not JSON',
      {
        answers: [() => new Response(Buffer.from('accepted'))],
        requests: ['abcd'],
        sleeps: [],
        notices: [],
      },
    ],
    [
      '200 with an endless body',
      { answers: [endless], requests: ['abcd'], sleeps: [], notices: [] },
    ],
  ])('%s', async ([, { answers, requests, sleeps, notices, lost = {}, onSocket = false }]) => {
    const behave = (place: number): Behaviour => answers[place] ?? 200;
    const collector = await (onSocket ? servedCollector(behave, net) : collectorOn(net, behave));
    const path = logWith(['a', 'b', 'c', 'd'].map((text) => record(text)));
    const done = await sent(path, collector);
    expect(collector.texts().map((texts) => texts.join(''))).toEqual(requests);
    expect(done.clock.sleeps.map((ms) => ms / 1000)).toEqual(sleeps);
    expect(done.notices.map(withoutPort)).toEqual(notices);
    expect(deliveryOf(path)).toMatchObject({
      setAside: 0,
      rejected: 0,
      trouble: undefined,
      endpoint: collector.endpoint,
      ...lost,
    });
    const ids = collector.requests.flatMap(({ records }) => records.map(uidOf));
    expect(new Set(ids).size).toBe(4);
  });

  it('400 to everything sets few records aside, ever more slowly', async () => {
    const clock = testClock(AT);
    // After three hours it does not answer, so that time stands still.
    const collector = collectorOn(net, () => (clock.now() - AT <= 3 * HOUR ? 400 : silence));
    const path = logWith(Array.from({ length: 20 }, (_, place) => record(`${place}`)));
    const { upload, notices } = sending(path, clock);
    upload.follow(to(collector));
    await expect.poll(() => clock.now() - AT).toBeGreaterThan(3 * HOUR);
    await upload.close();
    expect(deliveryOf(path).setAside).toBe(19);
    expect(notices).toHaveLength(2);
  });

  it('nothing for 30 days: the log is bounded, has a marker, and every error arrives', async () => {
    const clock = testClock(AT);
    const days = 30 * 24 * HOUR;
    const busy = answering(503, {}, { 'retry-after': '3600' });
    const collector = collectorOn(net, (place) => {
      if (place === 10) append(path, lines.slice(6000));
      if (clock.now() - AT >= days) return 200;
      clock.advance(23 * HOUR);
      return busy;
    });
    const lines = Array.from({ length: 12_000 }, (_, place) =>
      record(`${place}`, { severity: place % 100 === 0 ? 'error' : 'info', at: AT + place }),
    );
    const path = logWith(lines.slice(0, 6000));
    const { upload, notices } = sending(path, clock);
    upload.follow(to(collector));
    await expect.poll(() => deliveryOf(path).waiting).toBe(0);
    expect(clock.now() - AT).toBeGreaterThanOrEqual(days);
    const got = new Map(
      collector.requests
        .slice(-25)
        .flatMap(({ records }) => records.map((one) => [uidOf(one), one])),
    );
    const arrived = Array.from(got.values());
    expect(arrived.filter(({ severityText }) => severityText === 'ERROR')).toHaveLength(120);
    expect(arrived).toHaveLength(MOST_RECORDS + 1);
    const marker = arrived.find(({ eventName }) => eventName === 'modreg.log.dropped');
    expect(marker && textOf(marker)).toMatch(
      /^2000 lines until .* were dropped before they were sent/,
    );
    expect(deliveryOf(path).droppedReported).toBe(2000);
    expect(notices.map(withoutPort)).toEqual([
      `${HELD} answered 503; its lines wait, the next attempt is in 1 h`,
      AGAIN,
    ]);
  });
});

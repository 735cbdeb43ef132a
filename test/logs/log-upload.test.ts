import { describe, expect, it, onTestFinished } from 'vitest';
import { secret } from '../../src/core/text/secret.ts';
import { openLog } from '../../src/logs/log-file.ts';
import { LogUpload } from '../../src/logs/log-upload.ts';
import type { LogRecord } from '../../src/logs/log-record.ts';
import type { Delivery } from '../../src/logs/log-queue.ts';
import { MOST_RECORDS } from '../../src/logs/log-limits.ts';
import { systemClock, type Clock } from '../../src/registry/index.ts';
import { testClock, type TestClock } from '../support/clock.ts';
import {
  answering,
  fakeCollector,
  textOf,
  uidOf,
  type Behaviour,
  type FakeCollector,
} from '../support/collector.ts';
import { temporaryFolder } from '../support/folder.ts';

const AT = Date.parse('2026-11-24T10:00:00Z');
const SOURCE = { machineId: 'rover-7', host: 'rover', version: '0.1.0' };
const TOKEN = 'hunter2-hunter2';
const HOUR = 3_600_000;

function record(text: string, rest: Partial<LogRecord> = {}): LogRecord {
  return { at: AT, severity: 'info', module: 'lidar', text, ...rest };
}

/** A log with these records. */
function logWith(records: readonly LogRecord[]): string {
  const path = `${temporaryFolder()}/logs.db`;
  append(path, records);
  return path;
}

function append(path: string, records: readonly LogRecord[]): void {
  const log = openLog(path, 'create');
  for (let next = 0; next < records.length; next += 500)
    log.append(records.slice(next, next + 500));
  log.close();
}

function deliveryOf(path: string): Delivery {
  const log = openLog(path, 'read');
  try {
    return log.delivery();
  } finally {
    log.close();
  }
}

interface Sending {
  readonly upload: LogUpload;
  readonly notices: string[];
}

function sending(path: string, clock: Clock): Sending {
  const notices: string[] = [];
  const upload = new LogUpload(path, {
    source: SOURCE,
    clock,
    random: () => 0,
    onNotice: (level, text) => notices.push(`${level} ${text}`),
  });
  onTestFinished(async () => await upload.close());
  return { upload, notices };
}

function to({ endpoint }: FakeCollector): Parameters<LogUpload['follow']>[0] {
  return { ok: true, value: { endpoint, headers: { authorization: secret(`Bearer ${TOKEN}`) } } };
}

/** Sends the log at `path` until nothing waits. */
async function sent(
  path: string,
  collector: FakeCollector,
  clock: TestClock = testClock(AT),
): Promise<Sending & { readonly clock: TestClock }> {
  const { upload, notices } = sending(path, clock);
  upload.follow(to(collector));
  await expect.poll(() => deliveryOf(path).waiting, { timeout: 20_000 }).toBe(0);
  return { upload, notices, clock };
}

/** The same text wherever the port of the collector is. */
function withoutPort(text: string): string {
  return text.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST');
}

describe('a log that is sent', () => {
  it('is the JSON of OTLP, compressed', async () => {
    const collector = await fakeCollector();
    const started = { module: 'lidar', version: '1.2.3', event: 'modreg.module.started' };
    const path = logWith([
      record('1.2.3 is started', started),
      record('too hot: "90 °C"\u0000\u{1f525}', {
        severity: 'error',
        at: AT + 1,
        module: undefined,
      }),
    ]);
    await sent(path, collector);
    const [request] = collector.requests;
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    });
    const [first = '', second = ''] = request?.records.map(uidOf) ?? [];
    expect(first).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(JSON.parse(request?.body ?? '')).toEqual({
      resourceLogs: [
        {
          resource: {
            attributes: [
              { key: 'service.name', value: { stringValue: 'modreg-agent' } },
              { key: 'service.version', value: { stringValue: '0.1.0' } },
              { key: 'service.instance.id', value: { stringValue: 'rover-7' } },
              { key: 'host.name', value: { stringValue: 'rover' } },
            ],
          },
          scopeLogs: [
            {
              scope: { name: 'modreg', version: '0.1.0' },
              logRecords: [
                {
                  timeUnixNano: '1795514400000000000',
                  observedTimeUnixNano: '1795514400000000000',
                  severityNumber: 9,
                  severityText: 'INFO',
                  eventName: 'modreg.module.started',
                  body: { stringValue: '1.2.3 is started' },
                  attributes: [
                    { key: 'log.record.uid', value: { stringValue: first } },
                    { key: 'modreg.module', value: { stringValue: 'lidar' } },
                    { key: 'modreg.version', value: { stringValue: '1.2.3' } },
                  ],
                },
                {
                  timeUnixNano: '1795514400001000000',
                  observedTimeUnixNano: '1795514400001000000',
                  severityNumber: 17,
                  severityText: 'ERROR',
                  body: { stringValue: 'too hot: "90 °C"\u0000\u{1f525}' },
                  attributes: [{ key: 'log.record.uid', value: { stringValue: second } }],
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it('has an id for each record, and other ids than another log', async () => {
    const collector = await fakeCollector();
    const lines = ['same', 'same'].map((text) => record(text));
    await sent(logWith(lines), collector);
    await sent(logWith(lines), collector);
    const ids = collector.requests.flatMap(({ records }) => records.map(uidOf));
    expect(new Set(ids).size).toBe(4);
  });

  it('is sent in batches of 512 records', async () => {
    const collector = await fakeCollector();
    const path = logWith(Array.from({ length: 1200 }, (_, place) => record(`${place}`)));
    await sent(path, collector);
    expect(collector.texts().map(({ length }) => length)).toEqual([512, 512, 176]);
    expect(collector.texts().flat()).toEqual(
      Array.from({ length: 1200 }, (_, place) => `${place}`),
    );
  });

  it('is sent in batches of 256 KiB', async () => {
    const collector = await fakeCollector();
    const long = 'x'.repeat(100_000);
    await sent(logWith(['a', 'b', 'c'].map((text) => record(text + long))), collector);
    expect(collector.texts().map(({ length }) => length)).toEqual([2, 1]);
  });

  it('is sent in a batch of its own if a line is longer', async () => {
    const collector = await fakeCollector();
    await sent(logWith([record('x'.repeat(300_000)), record('b')]), collector);
    expect(collector.texts().map(({ length }) => length)).toEqual([1, 1]);
  });

  it('is sent again only after what was sent', async () => {
    const collector = await fakeCollector();
    const path = logWith([record('a')]);
    const first = await sent(path, collector);
    await first.upload.close();
    append(path, [record('b')]);
    await sent(path, collector);
    expect(collector.texts()).toEqual([['a'], ['b']]);
  });
});

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
}

const refusing: Behaviour = (response, { records }) => {
  const isRefused = records.map(textOf).includes('c');
  response.writeHead(isRefused ? 400 : 200).end();
};
const tooLarge: Behaviour = (response, { records }) => {
  response.writeHead(records.length > 1 ? 413 : 200).end();
};
function unavailable(status: number): Row {
  return {
    answers: [status, status],
    requests: ['abcd', 'abcd', 'abcd'],
    sleeps: [30, 60],
    notices: [`${HELD} answered ${status}; its lines wait, the next attempt is in 30 s`, AGAIN],
  };
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
    ['302', closed(302, ', a redirect, which is not followed')],
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
        answers: [(response) => response.destroy()],
        requests: ['abcd', 'abcd'],
        sleeps: [30],
        notices: [
          `${HELD} cannot be reached (UND_ERR_SOCKET); its lines wait, the next attempt is in 30 s`,
          AGAIN,
        ],
      },
    ],
    [
      '401 that repeats the token',
      {
        answers: [answering(401, { message: `unknown: Bearer ${TOKEN}` })],
        requests: ['abcd', 'abcd'],
        sleeps: [300],
        notices: [
          `${HELD} answered 401 (unknown: [token]); its lines wait, the next attempt is in 5 min`,
          AGAIN,
        ],
      },
    ],
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
        requests: ['abcd', 'ab', 'cd', 'c', 'c', 'c', 'd'],
        sleeps: [30, 60],
        notices: [
          `${HELD} answered 400; its lines wait, the next attempt is in 30 s`,
          `warn a line of the log is not sent, the one of 2026-11-24T10:00:00Z about lidar: http://HOST/v1/logs answered 400 three times; ${COUNTED}`,
          AGAIN,
        ],
        lost: { setAside: 1 },
      },
    ],
    ['422 once', { answers: [422], requests: ['abcd', 'ab', 'cd'], sleeps: [], notices: [] }],
    [
      'that it took one record less',
      {
        answers: [
          answering(200, { partialSuccess: { rejectedLogRecords: '1', errorMessage: 'too old' } }),
        ],
        requests: ['abcd'],
        sleeps: [],
        notices: [`warn the collector rejected 1 of 4 lines of the log (too old); ${COUNTED}`],
        lost: { rejected: 1 },
      },
    ],
    [
      '200 with a body that is not JSON',
      {
        answers: [(response) => response.end('<html>')],
        requests: ['abcd'],
        sleeps: [],
        notices: [],
      },
    ],
    [
      '200 with an endless body',
      {
        answers: [
          (response) => {
            const write = (): void => {
              if (!response.destroyed) response.write('x'.repeat(10_000), write);
            };
            write();
          },
        ],
        requests: ['abcd'],
        sleeps: [],
        notices: [],
      },
    ],
  ])('%s', async ([, { answers, requests, sleeps, notices, lost = {} }]) => {
    const collector = await fakeCollector((place) => answers[place] ?? 200);
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
    const collector = await fakeCollector(() => 400);
    const path = logWith(Array.from({ length: 40 }, (_, place) => record(`${place}`)));
    const { upload, notices } = sending(path, clock);
    upload.follow(to(collector));
    await expect.poll(() => clock.now() - AT, { timeout: 20_000 }).toBeGreaterThan(3 * HOUR);
    await upload.close();
    expect(deliveryOf(path).setAside).toBeLessThanOrEqual(25);
    expect(notices).toHaveLength(2);
  });

  it('nothing for 30 days: the log is bounded, has a marker, and every error arrives', async () => {
    const clock = testClock(AT);
    const days = 30 * 24 * HOUR;
    const busy = answering(503, {}, { 'retry-after': '3600' });
    const collector = await fakeCollector(() => {
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
    await expect.poll(() => collector.requests.length).toBeGreaterThan(10);
    append(path, lines.slice(6000));
    await expect.poll(() => deliveryOf(path).waiting, { timeout: 60_000 }).toBe(0);
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

describe('a log with new lines', () => {
  it('is sent five seconds after the first of them', async () => {
    const collector = await fakeCollector();
    const clock = testClock(AT);
    const path = logWith([record('a')]);
    const { upload } = await sent(path, collector, clock);
    append(path, [record('b')]);
    upload.wake();
    upload.wake();
    await expect.poll(() => collector.texts()).toEqual([['a'], ['b']]);
    expect(clock.sleeps).toEqual([5000]);
  });

  it('is not created to be sent', async () => {
    const path = `${temporaryFolder()}/logs.db`;
    const collector = await fakeCollector();
    const { upload, notices } = sending(path, testClock(AT));
    upload.follow(to(collector));
    append(path, [record('a')]);
    upload.wake();
    await expect.poll(() => collector.texts()).toEqual([['a']]);
    expect(notices).toEqual([]);
  });
});

describe('another destination', () => {
  it('ends the wait for the one before it', async () => {
    const failing = await fakeCollector(() => 401);
    const working = await fakeCollector();
    const path = logWith([record('a')]);
    const { upload, notices } = sending(path, systemClock);
    upload.follow(to(failing));
    await expect.poll(() => notices).toHaveLength(1);
    upload.follow(to(working));
    await expect.poll(() => working.texts()).toEqual([['a']]);
    expect(failing.texts()).toEqual([['a']]);
  });

  it('that cannot be used is said once, and shown', async () => {
    const path = logWith([record('a')]);
    const { upload, notices } = sending(path, testClock(AT));
    const error = 'the agent has no variable TOKEN';
    upload.follow({ ok: false, error });
    upload.follow({ ok: false, error });
    await expect.poll(() => deliveryOf(path).trouble).toBe(error);
    upload.wake();
    await expect
      .poll(() => notices)
      .toEqual([`warn the log is not sent: ${error}; its lines wait`]);
  });

  it('that is none leaves the log as it is', async () => {
    const collector = await fakeCollector();
    const path = logWith([record('a')]);
    const { upload } = await sent(path, collector);
    upload.follow({ ok: true, value: undefined });
    append(path, [record('b')]);
    upload.wake();
    await expect.poll(() => deliveryOf(path).endpoint).toBe(undefined);
    expect(deliveryOf(path).waiting).toBe(1);
  });
});

describe('the end of an agent', () => {
  it('sends the last lines', async () => {
    const collector = await fakeCollector();
    const path = logWith([record('a')]);
    const { upload } = sending(path, systemClock);
    upload.follow(to(collector));
    await expect.poll(() => deliveryOf(path).waiting).toBe(0);
    append(path, [record('b')]);
    await upload.close();
    expect(collector.texts()).toEqual([['a'], ['b']]);
    expect(deliveryOf(path).waiting).toBe(0);
  });

  it('does not wait for a collector that does not answer', async () => {
    const collector = await fakeCollector(() => () => undefined);
    const path = logWith([record('a')]);
    const { upload, notices } = sending(path, testClock(AT));
    upload.follow(to(collector));
    await expect.poll(() => collector.requests).toHaveLength(1);
    await upload.close();
    expect(deliveryOf(path).waiting).toBe(1);
    expect(notices).toEqual([]);
  });

  it('sends nothing to a collector that refused everything', async () => {
    const collector = await fakeCollector(() => 401);
    const path = logWith([record('a')]);
    const { upload, notices } = sending(path, systemClock);
    upload.follow(to(collector));
    await expect.poll(() => notices).toHaveLength(1);
    await upload.close();
    expect(collector.requests).toHaveLength(1);
  });
});

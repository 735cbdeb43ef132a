import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/registries/index.ts';
import { testClock } from '../support/clock.ts';
import { collectorOn, uidOf } from '../../mocks/log-collector.ts';
import { network, silence } from '../../mocks/network.ts';
import { temporaryFolder } from '../support/folder.ts';
import {
  append,
  AT,
  deliveryOf,
  logWith,
  record,
  sending,
  sent,
  to,
  TOKEN,
} from '../support/log-sending.ts';

const net = network();

describe('a log that is sent', () => {
  it('is the JSON of OTLP, compressed', async () => {
    const collector = collectorOn(net);
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
    expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
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
    const collector = collectorOn(net);
    const lines = ['same', 'same'].map((text) => record(text));
    await sent(logWith(lines), collector);
    await sent(logWith(lines), collector);
    const ids = collector.requests.flatMap(({ records }) => records.map(uidOf));
    expect(new Set(ids).size).toBe(4);
  });

  it('is sent in batches of 512 records', async () => {
    const collector = collectorOn(net);
    const path = logWith(Array.from({ length: 1200 }, (_, place) => record(`${place}`)));
    await sent(path, collector);
    expect(collector.texts().map(({ length }) => length)).toEqual([512, 512, 176]);
    expect(collector.texts().flat()).toEqual(
      Array.from({ length: 1200 }, (_, place) => `${place}`),
    );
  });

  it('is sent in batches of 256 KiB', async () => {
    const collector = collectorOn(net);
    const long = 'x'.repeat(100_000);
    await sent(logWith(['a', 'b', 'c'].map((text) => record(text + long))), collector);
    expect(collector.texts().map(({ length }) => length)).toEqual([2, 1]);
  });

  it('is sent in a batch of its own if a line is longer', async () => {
    const collector = collectorOn(net);
    await sent(logWith([record('x'.repeat(300_000)), record('b')]), collector);
    expect(collector.texts().map(({ length }) => length)).toEqual([1, 1]);
  });

  it('is sent again only after what was sent', async () => {
    const collector = collectorOn(net);
    const path = logWith([record('a')]);
    const first = await sent(path, collector);
    await first.upload.close();
    append(path, [record('b')]);
    await sent(path, collector);
    expect(collector.texts()).toEqual([['a'], ['b']]);
  });
});

describe('a log with new lines', () => {
  it('is sent five seconds after the first of them', async () => {
    const collector = collectorOn(net);
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
    const collector = collectorOn(net);
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
    const failing = collectorOn(net, () => 401);
    const working = collectorOn(net, undefined, 'http://127.0.0.1:4319');
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
    const collector = collectorOn(net);
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
    const collector = collectorOn(net);
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
    const collector = collectorOn(net, () => silence);
    const path = logWith([record('a')]);
    const { upload, notices } = sending(path, testClock(AT));
    upload.follow(to(collector));
    await expect.poll(() => collector.requests).toHaveLength(1);
    await upload.close();
    expect(deliveryOf(path).waiting).toBe(1);
    expect(notices).toEqual([]);
  });

  it('sends nothing to a collector that refused everything', async () => {
    const collector = collectorOn(net, () => 401);
    const path = logWith([record('a')]);
    const { upload, notices } = sending(path, systemClock);
    upload.follow(to(collector));
    await expect.poll(() => notices).toHaveLength(1);
    await upload.close();
    expect(collector.requests).toHaveLength(1);
  });
});

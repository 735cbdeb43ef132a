import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import type { LogRecord } from '../../src/logs/log-record.ts';
import { servedCollector, textOf, uidOf, type SentRecord } from '../../mocks/log-collector.ts';
import { HOUR, MINUTE, SECOND } from '../support/day.ts';
import { fieldRover, type FieldRover } from './support/field-rover.ts';
import { deliveryOf } from '../support/log-sending.ts';
import { entry } from '../support/planned.ts';

const DAY = 24 * HOUR;
/** From 01:00 to 03:00, when the rover is in its depot. */
const POLICY = { maintenance: [{ start: '0 1 * * *', duration: '2h', time_zone: 'UTC' }] };
/** The simulation begins at 01:02. */
const FIRST_HOUR = 1;
const NETWORKS = {
  yard: { connectivity: 'limited', isNear: between(10, 18) },
  cafe: { connectivity: 'portal', isNear: between(18, 22) },
  depot: { connectivity: 'full', isNear: between(22, 34) },
} as const;

/** Between these hours of a day, which may end on the next one; never during the two weeks from the sixth day on. */
function between(from: number, until: number): (hour: number) => boolean {
  return (hour) => {
    const isAway = hour >= 6 * 24 && hour < 20 * 24;
    return !isAway && (hour + FIRST_HOUR - from + 24) % 24 < until - from;
  };
}

async function month(rover: FieldRover): Promise<void> {
  const untilDay = async (days: number): Promise<void> =>
    await rover.pass(days * DAY + SECOND - rover.clock.monotonic());
  rover.every(2 * HOUR, (count) => rover.say('acme_lidar', 'info', `scan ${count}`));
  rover.every(7 * HOUR, (count) => {
    for (const joint of [3, 3]) rover.say('acme_arm', 'warn', `joint ${joint} is hot`);
    rover.say('acme_arm', 'error', `stalled ${count}`);
  });
  await untilDay(1.5);
  rover.publish('acme:lidar', '1.1.0');
  await untilDay(2.5);
  rover.publish('acme:arm', '2.1.0');
  await untilDay(3.5);
  rover.publish('acme:lidar', '1.2.0');
  await untilDay(3.9);
  rover.disk.fill();
  await untilDay(4.3);
  rover.disk.free();
  await untilDay(10);
  rover.publish('acme:arm', '2.2.0');
  await untilDay(19.9);
  for (let count = 0; count < 12_000; count++) {
    rover.say('acme_lidar', 'info', `no echo ${count}`);
    if (count % 500 === 499) await rover.pass(MINUTE);
  }
  // Lines wait in the log.
  await untilDay(22.7);
  rover.clock.set(rover.clock.now() - DAY);
  await untilDay(24.5);
  rover.publish('acme:lidar', '1.3.0');
  await untilDay(25.5);
  rover.clock.set(rover.clock.now() + 7 * DAY);
  await untilDay(26.5);
  rover.publish('acme:arm', '2.3.0');
  await untilDay(29.9);
  rover.stop();
  await untilDay(30);
}

const DROPPED = /^(\d+) lines until \S+ were dropped before they were sent, in all$/;
const UNWRITTEN = /^(\d+) lines are missing: they could not be written$/;

/** The numbers that markers of one kind say. */
function counts(records: readonly SentRecord[], marker: RegExp): number[] {
  return records.flatMap((one) => {
    const [, count] = marker.exec(textOf(one)) ?? [];
    return count === undefined ? [] : [Number(count)];
  });
}

function isMarker(record: SentRecord): boolean {
  return DROPPED.test(textOf(record)) || UNWRITTEN.test(textOf(record));
}

function lineSent({ timeUnixNano, severityText, eventName, body, attributes }: SentRecord): string {
  const at = Number(timeUnixNano.slice(0, -6));
  const module = attributes.find(({ key }) => key === 'modreg.module')?.value.stringValue;
  return [at, severityText.toLowerCase(), module, eventName, body.stringValue].join(' ');
}

function lineWritten({ at, severity, module, event, text }: LogRecord): string {
  return [at, severity, module, event, text].join(' ');
}

const DECISIONS = /^modreg\.(?:module\.failed|poller\.(?:acknowledged|quarantined|state_\w+))$/;

/** What a reader of the collector learns about decisions. */
function story(records: readonly SentRecord[]): string[] {
  return records
    .filter(({ eventName = '' }) => DECISIONS.test(eventName))
    .map((one) => {
      const time = new Date(Number(one.timeUnixNano.slice(0, -6))).toISOString();
      return `${time.slice(5, 16).replace('T', ' ')} ${one.severityText} ${textOf(one)}`;
    });
}

it('[A19] [T52] [T56] a month: each warning is at the collector, and markers count every line that is not', async () => {
  const lostPlaces = new Set<number>();
  const collector = await servedCollector((place) => {
    if (place % 5 !== 2) return 200;
    lostPlaces.add(place);
    // It has the records, and the agent does not know.
    return () => Response.error();
  });
  const rover = await fieldRover({
    networks: NETWORKS,
    collector,
    fault: (version) => (version === '2.1.0' ? 'no joint answers' : undefined),
    machine: { modules: [entry('acme:lidar', '1.*'), entry('acme:arm', '2.*')] },
    policy: POLICY,
    intervalMs: 2 * HOUR,
    deployed: { acme_lidar: '1.0.0', acme_arm: '2.0.0' },
    releases: { 'acme:lidar': [{ version: '1.0.0' }], 'acme:arm': [{ version: '2.0.0' }] },
  });
  await month(rover);

  const { waiting, setAside, rejected } = deliveryOf(rover.logPath);
  expect({ waiting, setAside, rejected }).toEqual({ waiting: 0, setAside: 0, rejected: 0 });

  const sent = collector.requests.flatMap(({ records }) => records);
  // In the order in which they arrived first.
  const byId = new Map(sent.map((one) => [uidOf(one), one]));
  const arrived = Array.from(byId.values());
  expect(sent.length).toBeGreaterThan(arrived.length);
  expect(sent.filter((one) => !isDeepStrictEqual(one, byId.get(uidOf(one))))).toEqual([]);

  // What arrived is what was written, in that order, except for what is missing.
  const lines = arrived.filter((one) => !isMarker(one)).map(lineSent);
  let next = 0;
  const missing = rover.written.filter((line) => {
    const isNext = lineWritten(line) === lines[next];
    if (isNext) next++;
    return !isNext;
  });
  expect(lines.slice(next, next + 1)).toEqual([]);

  const unwritten = missing.filter(({ onFullDisk }) => onFullDisk);
  expect(unwritten.map(({ severity }) => severity)).toContain('error');
  expect(unwritten.length).toBe(counts(arrived, UNWRITTEN).reduce((sum, count) => sum + count, 0));

  // A line that arrived, but was dropped before the agent knew, counts as dropped.
  const confirmed = new Set(
    collector.requests.flatMap(({ records }, place) =>
      lostPlaces.has(place) ? [] : records.map(uidOf),
    ),
  );
  const unconfirmed = arrived.filter((one) => !confirmed.has(uidOf(one)));
  const dropped = missing.filter(({ onFullDisk }) => !onFullDisk);
  expect(dropped.filter(({ severity }) => severity !== 'info')).toEqual([]);
  expect(dropped.length).toBeGreaterThan(2000);
  expect(dropped.length + unconfirmed.length).toBe(counts(arrived, DROPPED).at(-1));

  // The disk did not take what became of lidar 1.2.0 on the 25th.
  expect(story(arrived)).toEqual([
    '11-23 01:01 INFO acme_lidar: upgrade 1.0.0 → 1.1.0: done',
    '11-24 01:01 WARN acme_arm: 2.1.0 failed: no joint answers',
    '11-24 01:01 ERROR acme_arm: upgrade 2.0.0 → 2.1.0: the release failed: no joint answers',
    '11-24 01:01 WARN acme:arm 2.1.0 is in quarantine until an operator lifts it (modreg quarantine lift acme:arm 2.1.0): no joint answers',
    '11-24 01:02 INFO acme_arm: rollback to 2.0.0: done',
    '11-25 10:02 INFO the state of this machine can be used again',
    '12-11 02:03 INFO acme_arm: upgrade 2.0.0 → 2.2.0: done',
    '12-15 01:01 INFO acme_lidar: upgrade 1.2.0 → 1.3.0: done',
    '12-24 01:01 INFO acme_arm: upgrade 2.2.0 → 2.3.0: done',
  ]);
});

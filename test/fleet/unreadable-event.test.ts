import { expect, it, onTestFinished } from 'vitest';
import { encodeEvent, subjectOf, type FleetEvent } from '../../src/fleet/event.ts';
import type { EventStream } from '../../src/fleet/event-stream.ts';
import { follower, type Follower, type FollowerEvent } from '../../src/fleet/follower.ts';
import { logWriter } from '../../src/fleet/log-writer.ts';
import { systemClock } from '../../src/registry/clock.ts';
import { registryApp } from '../../src/server/app.ts';
import type { LoggedEvent } from '../../src/server/catalogue/change-log.ts';
import { changeFeed } from '../../src/server/catalogue/change-feed.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import type { Replica } from '../../src/server/registry-options.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { tokenFor } from '../support/token.ts';

const NOW = Date.parse('2026-11-21T01:02:03Z');
const LIDAR = 'modreg.release.acme.lidar';
const FLEET = 'modreg.fleet';
const LATER = '{"schema":2,"kind":"yank-all"}';

/** A stream in memory, which never fails. */
function memoryStream(): EventStream & { readonly put: (subject: string, body: string) => void } {
  const events: LoggedEvent[] = [];
  const wakes = new Set<() => void>();
  const last = (subject?: string): number =>
    events.findLast((one) => subject === undefined || one.subject === subject)?.sequence ?? 0;
  const add = (event: Omit<LoggedEvent, 'sequence'>): number => {
    events.push({ ...event, sequence: events.length + 1 });
    for (const wake of wakes) wake();
    return events.length;
  };
  const read = async (sequence: number): Promise<LoggedEvent | undefined> =>
    await Promise.resolve(events[sequence - 1]);
  return {
    read,
    readAtLeader: read,
    last: async () => await Promise.resolve(last()),
    created: () => 'once',
    isFilling: () => false,
    isOfAnother: () => false,
    lastOf: async (subject) => await Promise.resolve(last(subject)),
    append: async (event, expected) => {
      const isExpected =
        'last' in expected
          ? expected.last === last()
          : expected.lastOfSubject === last(event.subject);
      return await Promise.resolve(isExpected ? add(event) : undefined);
    },
    onNews(wake) {
      wakes.add(wake);
      return () => wakes.delete(wake);
    },
    put: (subject, body) => void add({ subject, body, id: `${events.length}` }),
  };
}

function publication(id: string, version: string): FleetEvent {
  const release = readRelease({ version });
  if (!release.ok) throw new Error(release.error.join());
  const named = { moduleId: moduleId(id), release: release.value };
  return { kind: 'publish', ...named, start: undefined, now: NOW };
}

interface TestFront {
  readonly catalogue: Catalogue;
  readonly events: readonly FollowerEvent[];
  readonly following: Follower;
  readonly ask: (path: string, init?: RequestInit) => Promise<{ status: number; json: any }>;
}

/** A front that follows `stream` with the file at `path`. */
function frontOf(stream: EventStream, path: string): TestFront {
  const catalogue = new Catalogue(path, { mode: 'create' });
  const feed = changeFeed(catalogue);
  const events: FollowerEvent[] = [];
  const clock = systemClock;
  const onEvent = (event: FollowerEvent): void => void events.push(event);
  const following = follower(catalogue.log, stream, { clock, onEvent });
  const replica: Replica = {
    write: logWriter({ log: catalogue.log, stream, follower: following, clock }),
    isController: () => false,
    shareReports: () => async () => await Promise.resolve(),
    trouble: following.trouble,
    withheld: following.withheld,
  };
  const app = registryApp(catalogue, feed, { clock, spreadMs: 0, replica });
  onTestFinished(async () => {
    await following.stop();
    feed.close();
    catalogue.close();
  });
  return {
    catalogue,
    events,
    following,
    async ask(address, init) {
      const response = await app.fetch(new Request(`http://front.test${address}`, init));
      return { status: response.status, json: await response.json() };
    },
  };
}

interface Filled {
  readonly stream: ReturnType<typeof memoryStream>;
  readonly add: (event: FleetEvent) => void;
}

/** A stream that begins with a release of two modules. */
function filledStream(): Filled {
  const stream = memoryStream();
  const add = (event: FleetEvent): void => stream.put(subjectOf(event), encodeEvent(event));
  add({ kind: 'begin', history: '0123456789abcdef' });
  add(publication('acme:lidar', '1.0.0'));
  add(publication('acme:camera', '1.0.0'));
  return { stream, add };
}

const WAY_OUT =
  'no change is taken, and lists that it or a later event may concern are not answered. upgrade modreg on all fronts, and start them again; docs/fleet-cluster.md says what to do if the newest modreg cannot read it either';

/** What a client learns of the lists of three modules, the feed for all and for the camera, and health. */
async function learned({ ask }: TestFront): Promise<unknown> {
  const lists = ['lidar', 'camera', 'arm'].map(async (name) => {
    const { status, json } = await ask(`/v1/modules/acme/${name}`);
    return status === 200 ? json.count : `${status} ${json.type}`;
  });
  const changes = ['after=2', 'after=2&modules=acme:camera'].map(
    async (query) => (await ask(`/v1/changes?${query}`)).json.modules,
  );
  const health = (await ask('/healthz')).status;
  return { lists: await Promise.all(lists), changes: await Promise.all(changes), health };
}

const WITHHELD = '503 urn:modreg:unhealthy';
const UNKNOWN = '404 urn:modreg:unknown-module';

it.each<[string, readonly (readonly [string, string | FleetEvent])[], unknown]>([
  [
    'of one module: only its list is not answered',
    [[LIDAR, LATER]],
    { lists: [WITHHELD, 1, UNKNOWN], changes: [['acme:lidar'], []], health: 503 },
  ],
  [
    'of a module that is new: its list is not said to be unknown',
    [['modreg.release.acme.arm', '{}']],
    { lists: [1, 1, WITHHELD], changes: [['acme:arm'], []], health: 503 },
  ],
  [
    'before one of another module, which is not applied either: both lists are not answered',
    [
      [LIDAR, 'not JSON'],
      ['modreg.release.acme.camera', publication('acme:camera', '1.1.0')],
    ],
    {
      lists: [WITHHELD, WITHHELD, UNKNOWN],
      changes: [['acme:lidar', 'acme:camera'], ['acme:camera']],
      health: 503,
    },
  ],
  [
    'of all modules: no list is answered',
    [[FLEET, LATER]],
    {
      lists: [WITHHELD, WITHHELD, WITHHELD],
      changes: [['acme:camera', 'acme:lidar'], ['acme:camera']],
      health: 503,
    },
  ],
  [
    'with rows of no table: as one that cannot be read',
    [[FLEET, { kind: 'rows', rows: [['machines', 1]] }]],
    {
      lists: [WITHHELD, WITHHELD, WITHHELD],
      changes: [['acme:camera', 'acme:lidar'], ['acme:camera']],
      health: 503,
    },
  ],
])('[T259] an unreadable event %s', async (_what, bad, expected) => {
  const { stream } = filledStream();
  const front = frontOf(stream, `${temporaryFolder()}/front.db`);
  expect(await front.following.reaches(3, 5000)).toBe(true);
  expect(await learned(front)).toEqual({ lists: [1, 1, UNKNOWN], changes: [[], []], health: 200 });

  for (const [subject, event] of bad) {
    stream.put(subject, typeof event === 'string' ? event : encodeEvent(event));
  }
  await expect.poll(async () => await learned(front)).toEqual(expected);
  // Nothing of it or after it is applied, and it is reported once.
  expect([front.catalogue.log.last(), front.catalogue.sequence()]).toEqual([3, 2]);
  expect(front.events).toMatchObject([{ kind: 'held', sequence: 4 }]);
});

it('[T259] an unreadable event is named with its number, its subject, why, and the way out; no change is taken', async () => {
  const { stream } = filledStream();
  stream.put(LIDAR, LATER);
  const front = frontOf(stream, `${temporaryFolder()}/front.db`);
  const token = tokenFor(front.catalogue);
  const detail = `event 4 of the stream (${LIDAR}) cannot be applied: it has schema 2, and this modreg understands 1; ${WAY_OUT}`;
  await expect.poll(front.following.trouble).toBe(detail);
  expect(front.events).toEqual([{ kind: 'held', sequence: 4, message: detail }]);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ version: '1.1.0' });
  const publish = { method: 'POST', headers, body };
  for (const [path, init, status] of [
    ['/v1/modules/acme/lidar', { headers: { 'if-none-match': '*' } }, 503],
    ['/healthz', {}, 503],
  ] as const) {
    expect(await front.ask(path, init)).toMatchObject({ status, json: { detail } });
  }
  // Also of a module that the event does not concern.
  expect((await front.ask('/v1/modules/acme/camera/releases', publish)).status).toBe(503);
  expect(await stream.last()).toBe(4);
});

it('[T259] a client that waits for a change is not woken again and again by an unreadable event', async () => {
  const { stream } = filledStream();
  stream.put(LIDAR, LATER);
  const front = frontOf(stream, `${temporaryFolder()}/front.db`);
  await expect.poll(front.following.trouble).toBeTypeOf('string');
  const waited = front.ask('/v1/changes?after=2&wait=0.3');
  const first = await Promise.race([waited, front.ask('/v1/changes?after=2&wait=0.01')]);
  expect(first).toMatchObject({ json: { sequence: 2, modules: ['acme:lidar'] } });
  expect((await waited).json.modules).toEqual(['acme:lidar']);
});

it('[T259] an unreadable event is read again by the next program, which goes on from there', async () => {
  const { stream, add } = filledStream();
  const path = `${temporaryFolder()}/front.db`;
  stream.put(LIDAR, LATER);
  add(publication('acme:camera', '1.1.0'));
  const earlier = frontOf(stream, path);
  await expect.poll(earlier.following.trouble).toBeTypeOf('string');
  await earlier.following.stop();

  // What a later modreg understands.
  const yank = { kind: 'yank', version: '1.0.0', reason: 'burns', now: NOW } as const;
  const body = encodeEvent({ ...yank, moduleId: moduleId('acme:lidar') });
  const later: EventStream = {
    ...stream,
    async read(sequence) {
      const event = await stream.read(sequence);
      return event?.body === LATER ? { ...event, body } : event;
    },
  };
  const upgraded = frontOf(later, path);
  expect(await upgraded.following.reaches(5, 5000)).toBe(true);
  expect(await learned(upgraded)).toMatchObject({ lists: [1, 2, UNKNOWN], health: 200 });
  expect(upgraded.catalogue.isYanked(moduleId('acme:lidar'), '1.0.0')).toBe(true);
});

it.each([
  ['-000001-12-31T00:01:00Z', '0000-01-01T00:00:00Z'],
  ['+010000-01-01T23:58:59Z', '9999-12-31T23:59:59.999Z'],
])(
  '[T258] a publication of an earlier modreg at %s is applied with the time %s',
  async (time, becomes) => {
    const { stream } = filledStream();
    const event = JSON.parse(encodeEvent(publication('acme:lidar', '1.1.0')));
    event.release.published_at = time;
    stream.put(LIDAR, JSON.stringify(event));
    const front = frontOf(stream, `${temporaryFolder()}/front.db`);
    expect(await front.following.reaches(4, 5000)).toBe(true);
    const { json } = await front.ask('/v1/modules/acme/lidar');
    expect(json.releases[1]).toMatchObject({ version: '1.1.0', published_at: becomes });
    const message = `event 4 of the stream (${LIDAR}): its publish time became ${becomes}`;
    expect(front.events).toEqual([{ kind: 'mended', sequence: 4, message }]);
  },
);

it('[T258] rows that an earlier modreg imported get the nearest times', async () => {
  const { stream, add } = filledStream();
  const content = '{"deprecated":null}';
  add({
    kind: 'rows',
    rows: [
      ['modules', 7, 'acme', 'arm', 0, 0],
      ['releases', 7, 7, '1.0.0', -62_167_305_540_000, content, null],
      ['releases', 8, 7, '1.1.0', 253_402_387_139_000, content, null],
      ['modules', 7, 'acme', 'arm', 2, 4],
    ],
  });
  const front = frontOf(stream, `${temporaryFolder()}/front.db`);
  expect(await front.following.reaches(4, 5000)).toBe(true);
  const { json } = await front.ask('/v1/modules/acme/arm');
  const times = json.releases.map(({ published_at }: any) => published_at);
  expect(times).toEqual(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z']);
});

it('[T257] an event that could not be read again is not written', () => {
  const late = publication('acme:lidar', '1.1.0');
  if (late.kind !== 'publish') throw new Error('no publication');
  const release = { ...late.release, publishedAt: 253_402_387_139_000 };
  const found = '/release: /published_at: "+010000-01-01T23:58:59Z" is not a time';
  expect(() => encodeEvent({ ...late, release })).toThrow(found);
});

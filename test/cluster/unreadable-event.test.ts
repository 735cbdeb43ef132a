import { expect, it } from 'vitest';
import { encodeEvent, type FleetEvent } from '../../src/cluster/event.ts';
import type { EventStream } from '../../src/cluster/event-stream.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { remembered, told } from '../registry/support/remembered.ts';
import { tokenFor } from '../support/token.ts';
import {
  filledStream,
  frontOf,
  NOW,
  publication,
  type TestFront,
} from './support/following-front.ts';

const LIDAR = 'modreg.release.acme.lidar';
const FLEET = 'modreg.fleet';
const LATER = '{"schema":4,"kind":"yank-all"}';

const WAY_OUT =
  'no change is taken, and lists that it or a later event may concern are not answered. upgrade modreg on all fronts, and start them again; docs/fleet-cluster.md says what to do if the newest modreg cannot read it either';

/** What a client learns of the lists of three modules, the feed for all and for the camera, and health. */
async function learned({ ask }: TestFront): Promise<unknown> {
  const lists = ['lidar', 'camera', 'arm'].map(async (name) => {
    const { status, json } = await ask(`/v1/modules/acme/${name}`);
    return status === 200 ? json['count'] : `${status} ${String(json['type'])}`;
  });
  const changes = ['after=2', 'after=2&modules=acme:camera'].map(
    async (query) => (await ask(`/v1/changes?${query}`)).json['modules'],
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
  [
    'that the file does not take: as one that cannot be read',
    [[FLEET, { kind: 'rows', rows: [['releases', 9, 99, '1.0.0', 0, '{}', null]] }]],
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
  const detail = `event 4 of the stream (${LIDAR}) cannot be applied: it has schema 4, and this modreg understands 3; ${WAY_OUT}`;
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
  expect((await waited).json['modules']).toEqual(['acme:lidar']);
});

it('[T259] a machine keeps its list that an unreadable event may concern, as one that is not confirmed, and reads the others', async () => {
  const { stream } = filledStream();
  const front = frontOf(stream, `${temporaryFolder()}/front.db`);
  expect(await front.following.reaches(3, 5000)).toBe(true);
  const machine = remembered('https://front.test', { fetch: front.fetch });
  const modules = [moduleId('acme:lidar'), moduleId('acme:camera')];
  const read = async (): Promise<string[]> =>
    told(await machine.restarted().readAll(modules)).toSorted();
  expect(await read()).toEqual(['acme:camera 1.0.0', 'acme:lidar 1.0.0']);
  stream.put(LIDAR, LATER);
  await expect.poll(front.following.trouble).toBeTypeOf('string');
  expect(await read()).toEqual(['acme:camera 1.0.0', 'acme:lidar 1.0.0 stale registry-busy']);
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
    expect(json['releases']).toMatchObject([{}, { version: '1.1.0', published_at: becomes }]);
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
  expect(json['releases']).toMatchObject([
    { published_at: '0000-01-01T00:00:00Z' },
    { published_at: '9999-12-31T23:59:59.999Z' },
  ]);
});

it('[T257] an event that could not be read again is not written', () => {
  const late = publication('acme:lidar', '1.1.0');
  if (late.kind !== 'publish') throw new Error('no publication');
  const release = { ...late.release, publishedAt: 253_402_387_139_000 };
  const found = '/release: /published_at: "+010000-01-01T23:58:59Z" is not a time';
  expect(() => encodeEvent({ ...late, release })).toThrow(found);
});

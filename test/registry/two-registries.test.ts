import { describe, expect, it, onTestFinished } from 'vitest';
import { secret } from '../../src/core/index.ts';
import { openRegistries, type CachedRegistry } from '../../src/registries/index.ts';
import { openMachineFile, savedListsIn } from '../../src/store/index.ts';
import { testClock, type TestClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { listOf } from '../../mocks/module-document.ts';
import { network } from '../../mocks/network.ts';
import { LIDAR, told } from './support/remembered.ts';

const HOUR = 3_600_000;

/** What a registry on a port serves now. */
interface Served {
  readonly versions: readonly (string | object)[];
  readonly generation: number;
  /** The entity tag of the list; the generation by default. */
  readonly etag?: string;
  /** The number and the history of its feed; no feed by default. */
  readonly feed?: { readonly sequence: number; readonly history: string };
  /** Answers instead. */
  readonly fault?: () => Response;
}

interface Site {
  readonly address: string;
  /** The path of each request, with its entity tag and its authorization. */
  readonly requests: string[];
  serve(served: Served): void;
}

const net = network();

function site(address: string, first: Served): Site {
  let served = first;
  const requests = net.at(address, (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const { versions, generation, etag = `"${generation}"`, feed, fault } = served;
    if (fault) return fault();
    if (pathname === '/v1/changes') {
      const isNew = feed && Number(searchParams.get('after')) < feed.sequence;
      return feed
        ? Response.json({ ...feed, modules: isNew ? [LIDAR] : [] })
        : new Response(null, { status: 404 });
    }
    return request.headers.get('if-none-match') === etag
      ? new Response(null, { status: 304 })
      : Response.json(listOf(versions, generation), { headers: { etag } });
  });
  return {
    address,
    requests,
    serve: (next) => {
      served = next;
    },
  };
}

/** Two registries, that serve these. */
function serving(one: Served, other: Served): [Site, Site] {
  return [site('https://one.example', one), site('https://other.example', other)];
}

interface Machine {
  readonly clock: TestClock;
  readonly at: (site: Site) => CachedRegistry;
  /** The same machine in a new process. */
  readonly restart: () => void;
}

/** A machine whose policies name both registries, with a token for each. */
function machineOf(one: Site, other: Site): Machine {
  const clock = testClock();
  const file = openMachineFile(`${temporaryFolder()}/machine.db`);
  onTestFinished(() => file.close());
  const tokens = new Map([
    [one.address, 'token-of-one'],
    [other.address, 'token-of-other'],
  ]);
  const opened = (): ReturnType<typeof openRegistries> =>
    openRegistries({
      clock,
      random: () => 0,
      saved: savedListsIn(file),
      token: ({ origin }) => secret(tokens.get(origin) ?? 'token-of-nobody'),
    });
  let registries = opened();
  return {
    clock,
    at: ({ address }) => registries.registryFor({ registry: address }),
    restart: () => {
      registries = opened();
    },
  };
}

/** The requests to both registries since the last call. */
function asked(...sites: readonly Site[]): string[][] {
  return sites.map(({ requests }) => requests.splice(0));
}

/** A release with a file that has this digest. */
function digest(text: string): object {
  return { version: '1.0.0', artifacts: [{ platform: 'any', digest: `sha256:${text}` }] };
}

function pathsOf(requests: readonly string[]): string[] {
  return requests.map((request) => request.replace(/ .*/, ''));
}

const LIST = '/v1/modules/acme/lidar';
const dead = (): Response => Response.error();

describe('[T118] two registries that serve a module with the same id', () => {
  it('each get their own token and entity tag, also after a restart', async () => {
    const [one, other] = serving(
      { versions: ['1.0.0'], generation: 7, etag: '"of-one"' },
      { versions: ['2.0.0'], generation: 7, etag: '"of-other"' },
    );
    const machine = machineOf(one, other);
    for (const restart of [() => undefined, machine.restart]) {
      restart();
      expect(told(await machine.at(one).readAll([LIDAR]))).toEqual(['acme:lidar 1.0.0']);
      expect(told(await machine.at(other).readAll([LIDAR]))).toEqual(['acme:lidar 2.0.0']);
    }
    expect(asked(one, other)).toEqual([
      [
        '/v1/changes?after=0 Bearer token-of-one',
        `${LIST} Bearer token-of-one`,
        '/v1/changes?after=0 Bearer token-of-one',
        `${LIST} known "of-one" Bearer token-of-one`,
      ],
      [
        '/v1/changes?after=0 Bearer token-of-other',
        `${LIST} Bearer token-of-other`,
        '/v1/changes?after=0 Bearer token-of-other',
        `${LIST} known "of-other" Bearer token-of-other`,
      ],
    ]);
  });

  it('each have their own generation: neither list goes backwards', async () => {
    const [one, other] = serving(
      { versions: [digest('aa')], generation: 90 },
      { versions: [digest('bb')], generation: 3 },
    );
    const machine = machineOf(one, other);
    for (const place of [one, other, one]) {
      const list = await machine.at(place).read(LIDAR);
      expect([list.source, list.changedDigests?.size]).toEqual(['network', 0]);
    }
    one.serve({ versions: [digest('bb')], generation: 91 });
    expect((await machine.at(one).read(LIDAR)).changedDigests?.size).toBe(1);
    expect((await machine.at(other).read(LIDAR)).changedDigests?.size).toBe(0);
    one.serve({ versions: [digest('aa')], generation: 3 });
    await expect(machine.at(one).read(LIDAR)).rejects.toMatchObject({ kind: 'registry-regressed' });
    expect((await machine.at(other).read(LIDAR)).source).toBe('network');
  });

  it('each have their own position: a feed confirms no list of the other', async () => {
    const feed = { sequence: 7, history: 'h' };
    const [one, other] = serving(
      { versions: ['1.0.0'], generation: 7, feed },
      { versions: ['2.0.0'], generation: 7, feed },
    );
    const machine = machineOf(one, other);
    await machine.at(one).readAll([LIDAR]);
    machine.restart();
    expect(told(await machine.at(other).readAll([LIDAR]))).toEqual(['acme:lidar 2.0.0']);
    machine.restart();
    for (const place of [one, other]) await machine.at(place).readAll([LIDAR]);
    const alike = ['/v1/changes?after=0', LIST, '/v1/changes?after=7'];
    expect(asked(one, other).map(pathsOf)).toEqual([alike, alike]);
  });

  it.each<[string, Served]>([
    ['a 304', { versions: ['2.0.0'], generation: 7 }],
    ['its feed', { versions: ['2.0.0'], generation: 7, feed: { sequence: 7, history: 'h' } }],
  ])(
    'each age on their own: %s of one does not confirm the list of the other',
    async (_, alive) => {
      const [one, other] = serving({ ...alive, versions: ['1.0.0'] }, alive);
      const machine = machineOf(one, other);
      const start = machine.clock.now();
      for (const place of [one, other]) await machine.at(place).readAll([LIDAR]);
      one.serve({ versions: [], generation: 0, fault: dead });
      machine.clock.advance(6 * 24 * HOUR);
      await machine.at(other).readAll([LIDAR]);
      machine.restart();
      const saved = (await machine.at(one).readAll([LIDAR])).get(LIDAR);
      expect(saved).toMatchObject({
        ok: true,
        value: { source: 'saved', fetchedAt: start, stale: { kind: 'registry-unreachable' } },
      });
      const current = (await machine.at(other).readAll([LIDAR])).get(LIDAR);
      expect(current).toMatchObject({
        value: { source: 'network', fetchedAt: machine.clock.now() },
      });
      machine.clock.advance(2 * 24 * HOUR);
      expect(told(await machine.at(one).readAll([LIDAR]))).toEqual(['acme:lidar list-stale']);
      expect(told(await machine.at(other).readAll([LIDAR]))).toEqual(['acme:lidar 2.0.0']);
    },
  );

  it('neither stands in for the other while that has no list', async () => {
    const [one, other] = serving(
      { versions: [], generation: 0, fault: dead },
      { versions: ['2.0.0'], generation: 7 },
    );
    const machine = machineOf(one, other);
    await machine.at(other).readAll([LIDAR]);
    expect(told(await machine.at(one).readAll([LIDAR]))).toEqual([
      'acme:lidar registry-unreachable',
    ]);
    expect(await machine.at(one).awaitChange([LIDAR], HOUR)).toBeUndefined();
  });

  it('a redirect from one to the other is refused, and carries no token', async () => {
    const [one, other] = serving(
      { versions: [], generation: 0 },
      { versions: ['2.0.0'], generation: 7 },
    );
    const headers = { location: `${other.address}${LIST}` };
    const fault = (): Response => new Response(null, { status: 307, headers });
    one.serve({ versions: [], generation: 0, fault });
    const machine = machineOf(one, other);
    await expect(machine.at(one).read(LIDAR)).rejects.toMatchObject({
      kind: 'bad-redirect',
      message: `the registry ${one.address} redirects to ${other.address}, which is another origin`,
    });
    expect(asked(one, other)).toEqual([[`${LIST} Bearer token-of-one`], []]);
  });

  it('a 304 for an entity tag of the other is not believed', async () => {
    const [one, other] = serving(
      { versions: ['1.0.0'], generation: 7, etag: '"same"' },
      { versions: ['2.0.0'], generation: 7, etag: '"same"' },
    );
    const machine = machineOf(one, other);
    expect([...(await machine.at(one).read(LIDAR)).records][0]?.version).toBe('1.0.0');
    other.serve({ versions: [], generation: 0, fault: () => new Response(null, { status: 304 }) });
    await expect(machine.at(other).read(LIDAR)).rejects.toMatchObject({ kind: 'not-a-registry' });
    expect(asked(other)).toEqual([
      [`${LIST} Bearer token-of-other`, `${LIST} Bearer token-of-other`],
    ]);
  });
});

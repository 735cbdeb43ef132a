import { describe, expect, it } from 'vitest';
import type { ModuleId } from '../../src/core/index.ts';
import type { Answer } from '../../mocks/network.ts';
import { answers, HOST, status } from '../../mocks/scripted-registry.ts';
import { moduleId } from '../support/ask.ts';
import { remembered, told, type Remembered } from './support/remembered.ts';

const asked = answers();
const [LIDAR, ARM] = ['acme:lidar', 'acme:arm'].map(moduleId) as [ModuleId, ModuleId];

/** What the feed answers: its history, its number, and what changed after `after`. */
interface Feed {
  readonly history?: string | undefined;
  readonly sequence: number;
  /** The number of the last change of each module that the feed names. */
  readonly changes: Readonly<Record<string, number>>;
}

/** The requests of one round, in short: `after 7`, `lidar`. */
async function round(
  machine: Pick<Remembered, 'registry'>,
  feed: Feed | Answer,
  moduleIds: readonly ModuleId[] = [LIDAR],
): Promise<string> {
  asked.requests.length = 0;
  asked.next((request) => {
    const { pathname, searchParams } = new URL(request.url);
    const [, , , namespace, name] = pathname.split('/');
    if (pathname !== '/v1/changes') {
      const list = { module_id: `${namespace}:${name}`, generation: 1, count: 0, releases: [] };
      return Response.json(list);
    }
    if (typeof feed === 'function') return feed(request);
    const { history, sequence, changes } = feed;
    const after = Number(searchParams.get('after'));
    const modules = Object.entries(changes).flatMap(([id, at]) => (at > after ? [id] : []));
    return Response.json({ history, sequence, modules });
  });
  await machine.registry.readAll(moduleIds);
  return asked.requests
    .map((path) => path.replace('/v1/changes?after=', 'after ').replace('/v1/modules/acme/', ''))
    .join(', ');
}

const large: Answer = () => Response.json({ sequence: 7, modules: [LIDAR.repeat(200)] });
const H1 = { history: 'h1', sequence: 7, changes: { [LIDAR]: 5, [ARM]: 7 } };
const H2 = { ...H1, history: 'h2', sequence: 9 };

describe('[D40] a feed confirms only lists that it has named', () => {
  it.each<[string, readonly (readonly [Feed, string])[]]>([
    [
      'a feed that names the module',
      [
        [H1, 'after 0, lidar'],
        [H1, 'after 7'],
        [{ ...H1, sequence: 8 }, 'after 7'],
        [{ ...H1, sequence: 9, changes: { [LIDAR]: 9 } }, 'after 8, lidar'],
        [{ ...H1, sequence: 9, changes: { [LIDAR]: 9 } }, 'after 9'],
      ],
    ],
    [
      'a feed that does not, until it does',
      [
        [{ ...H1, changes: {} }, 'after 0, lidar'],
        [{ ...H1, changes: {} }, 'after 7, lidar'],
        [{ ...H1, sequence: 8, changes: { [LIDAR]: 8 } }, 'after 7, lidar'],
        [{ ...H1, sequence: 8, changes: { [LIDAR]: 8 } }, 'after 8'],
      ],
    ],
    [
      'another history with a higher number',
      [
        [H1, 'after 0, lidar'],
        [H2, 'after 7, after 0, lidar'],
        [H2, 'after 9'],
        [H1, 'after 9, after 0, lidar'],
      ],
    ],
    [
      'another history that does not name the module',
      [
        [H1, 'after 0, lidar'],
        [{ ...H2, changes: {} }, 'after 7, after 0, lidar'],
        [{ ...H2, changes: {} }, 'after 9, lidar'],
      ],
    ],
    [
      'a lower number in the same history',
      [
        [H1, 'after 0, lidar'],
        [{ ...H1, sequence: 6 }, 'after 7, after 0, lidar'],
        [{ ...H1, sequence: 6 }, 'after 6'],
      ],
    ],
    [
      'a feed without a history',
      [
        [{ ...H1, history: undefined }, 'after 0, lidar'],
        [{ ...H1, history: undefined }, 'after 7'],
        [H1, 'after 7, after 0, lidar'],
      ],
    ],
    [
      'the highest number',
      [
        [{ ...H1, sequence: 2 ** 52 }, 'after 0, lidar'],
        [{ ...H1, sequence: 2 ** 52 }, 'after 4503599627370496'],
      ],
    ],
    [
      'a number beyond it: the feed is not used',
      [
        [{ ...H1, sequence: 2 ** 52 + 1 }, 'after 0, lidar'],
        [{ ...H1, sequence: Number.MAX_SAFE_INTEGER }, 'after 0, lidar'],
        [H1, 'after 0, lidar'],
        [{ ...H1, sequence: Number.MAX_SAFE_INTEGER }, 'after 7, lidar'],
        [H1, 'after 7'],
      ],
    ],
  ])('%s', async (_, rounds) => {
    const machine = remembered(HOST);
    for (const [feed, requests] of rounds) expect(await round(machine, feed)).toBe(requests);
  });

  it('the position of a list survives a restart', async () => {
    const machine = remembered(HOST);
    await round(machine, H1);
    expect(await round({ registry: machine.restarted() }, H1)).toBe('after 7');
    expect(await round({ registry: machine.restarted() }, H2)).toBe('after 7, after 0, lidar');
  });

  it('a number without its history, as an earlier program writes it, is not compared', async () => {
    const machine = remembered(HOST);
    await round(machine, H1);
    machine.file.sql.run('UPDATE saved_lists SET sequence = 8');
    const later = { ...H1, sequence: 8 };
    expect(await round({ registry: machine.restarted() }, later)).toBe('after 8, after 0, lidar');
  });

  it('a module that was added is looked up once', async () => {
    const machine = remembered(HOST);
    await round(machine, H1);
    expect(await round(machine, H1, [LIDAR, ARM])).toBe('after 7, after 0, arm');
    expect(await round(machine, H1, [LIDAR, ARM])).toBe('after 7');
    const camera = moduleId('acme:camera');
    expect(await round(machine, H1, [LIDAR, camera])).toBe('after 7, after 0, camera');
    expect(await round(machine, H1, [LIDAR, camera])).toBe('after 7, camera');
  });

  it('a module that the history before this one has named is looked up again', async () => {
    const machine = remembered(HOST);
    await round(machine, H1, [LIDAR, ARM]);
    const other = { ...H2, changes: { [LIDAR]: 5 } };
    expect(await round(machine, other, [LIDAR])).toBe('after 7, after 0, lidar');
    expect(await round(machine, other, [LIDAR, ARM])).toBe('after 9, after 0, arm');
    expect(await round(machine, other, [LIDAR, ARM])).toBe('after 9, arm');
  });

  it.each([
    ['the highest position in one history', 'h1', 9],
    ['the position that was confirmed last of two histories', 'h0', 2],
  ])('after a restart, %s is the first', async (_, history, sequence) => {
    const machine = remembered(HOST);
    await round(machine, H1, [ARM, LIDAR]);
    machine.clock.advance(1000);
    machine.file.sql.run(
      `UPDATE saved_lists SET sequence = ${sequence}, history = '${sequence} ${history}', confirmed_at = confirmed_at + 1
      WHERE module_id = 'acme:lidar'`,
    );
    const feed = { history, sequence, changes: { [LIDAR]: 1, [ARM]: 1 } };
    const requests = await round({ registry: machine.restarted() }, feed, [ARM, LIDAR]);
    expect(requests).toMatch(new RegExp(`^after ${sequence}, `));
  });

  it('a feed with too many changes is not used again', async () => {
    const machine = remembered(HOST, { limits: { largestList: 1000 } });
    expect(await round(machine, large)).toBe('after 0, lidar');
    expect(await round(machine, large)).toBe('lidar');
  });

  it('[T591] a feed whose answer is too large is asked for nothing more, and is not waited for', async () => {
    const machine = remembered(HOST, { limits: { largestList: 1000 } });
    await round(machine, H1);
    expect(await round(machine, large)).toBe('after 7, lidar');
    asked.requests.length = 0;
    expect(await machine.registry.awaitChange([LIDAR], 60_000)).toBeUndefined();
    expect(asked.requests).toEqual([]);
    expect(await round(machine, H1)).toBe('lidar');
    // A process that begins reads it again.
    expect(await round({ registry: machine.restarted() }, H1)).toBe('after 7');
  });

  it('a history of 100 characters is read', async () => {
    const machine = remembered(HOST);
    const feed = { ...H1, history: 'h'.repeat(100) };
    expect(await round(machine, feed)).toBe('after 0, lidar');
    expect(await round(machine, feed)).toBe('after 7');
  });

  it('a feed of a registry without changes has the number 0', async () => {
    const machine = remembered(HOST);
    const empty = { history: 'h1', sequence: 0, changes: {} };
    expect(await round(machine, empty)).toBe('after 0, lidar');
    expect(await round(machine, { ...empty, sequence: 1, changes: { [LIDAR]: 1 } })).toBe(
      'after 0, lidar',
    );
    expect(await round(machine, { ...empty, sequence: 1, changes: { [LIDAR]: 1 } })).toBe(
      'after 1',
    );
  });

  it.each<unknown>([7, null, 'h'.repeat(101)])('a history of %j is refused', async (history) => {
    const machine = remembered(HOST);
    const feed: Answer = () => Response.json({ history, sequence: 7, modules: [LIDAR] });
    expect(await round(machine, feed)).toBe('after 0, lidar');
    expect(await round(machine, feed)).toBe('after 0, lidar');
  });

  it('a list that could not be read is named by the feed later', async () => {
    const machine = remembered(HOST);
    asked.next(() => Response.json({ ...H1, modules: [LIDAR] }), status(404));
    expect(told(await machine.registry.readAll([LIDAR]))).toEqual(['acme:lidar unknown-module']);
    expect(await round(machine, H1)).toBe('after 7, lidar');
    expect(await round(machine, H1)).toBe('after 7');
  });

  it('[D42] a list that another catalogue does not serve is not confirmed by its numbers', async () => {
    const machine = remembered(HOST);
    const numbered = { sequence: 7, changes: { [LIDAR]: 5 } };
    await round(machine, numbered);
    asked.next(
      () => Response.json({ sequence: 6, modules: [] }),
      () => Response.json({ sequence: 6, modules: [LIDAR] }),
      status(404),
    );
    expect(told(await machine.registry.readAll([LIDAR]))).toEqual([
      'acme:lidar nothing stale unknown-module',
    ]);
    expect(await round({ registry: machine.restarted() }, numbered)).toBe('after 0, lidar');
  });

  it('[D42] the same if the other catalogue answers only the second question', async () => {
    const machine = remembered(HOST);
    await round(machine, H1);
    asked.next(
      () => Response.json({ history: 'h1', sequence: 7, modules: [] }),
      () => Response.json({ history: 'h2', sequence: 9, modules: [LIDAR] }),
      status(404),
    );
    expect(told(await machine.registry.readAll([LIDAR, ARM]))).toEqual([
      'acme:lidar nothing stale unknown-module',
      'acme:arm unknown-module',
    ]);
    expect(await round({ registry: machine.restarted() }, H1)).toBe('after 0, lidar');
  });

  it('[D43] a list that names another history than the feed has no position in it', async () => {
    const machine = remembered(HOST);
    const feed: Answer = () => Response.json({ ...H1, modules: [LIDAR] });
    const list = { module_id: LIDAR, generation: 1, count: 0, releases: [] };
    const listIn =
      (history: string): Answer =>
      () =>
        Response.json(list, { headers: { 'modreg-history': history } });
    asked.next(feed, listIn('h2'));
    await machine.registry.readAll([LIDAR]);
    expect(await round(machine, H1)).toBe('after 7, lidar');
    expect(await round(machine, H1)).toBe('after 7');
    asked.next(feed, listIn('h1'));
    await machine.registry.readAll([LIDAR]);
    expect(await round(machine, H1)).toBe('after 7');
    expect(await round({ registry: machine.restarted() }, H1)).toBe('after 7');
  });
});

import { describe, expect, it } from 'vitest';
import { clockedBoard, DAY, START } from '../support/clocked-board.ts';
import { firstSeenAfter } from '../../src/registry/first-seen.ts';
import type { FirstSeen } from '../../src/core/releases/publish-time.ts';
import { acceptList } from '../../src/registry/acceptance.ts';
import type { CachedRegistry } from '../../src/registries/index.ts';
import { savedListsIn } from '../../src/store/index.ts';
import { answers, document, HOST, status } from '../../mocks/scripted-registry.ts';
import { LIDAR, remembered, type Remembered } from './support/remembered.ts';

const asked = answers();
const MINUTE = 60_000;
const NINE = { kind: 'certain', at: 9 } as const;
const AT_YEAR_0 = { version: '1.0.0', published_at: '0000-01-01T00:00:00Z' };
const IN_2030 = { version: '1.0.0', published_at: '2030-01-01T00:00:00Z' };

const YANKED = { version: '1.0.0', yanked: 'leaks' };
const LONG: readonly Published[] = Array.from({ length: 70 }, (_, major) => `${major}.0.${major}`);

type Published = string | object;
/** The releases of the registry in each minute. */
type Minutes = readonly (readonly Published[])[];

/** Reads the list of each minute with `registry`. Returns when its releases were first seen, in minutes. */
async function seenAfter(
  minutes: Minutes,
  machine: Remembered,
  registry: CachedRegistry = machine.registry,
): Promise<Readonly<Record<string, string>>> {
  const { clock } = machine;
  const start = clock.now();
  const asMinutes = (ms: number): number => (ms - start) / MINUTE;
  let last: FirstSeen | undefined;
  for (const versions of minutes) {
    // The generation is the minute, and an equal list has an equal one.
    const generation = 1 + minutes.findIndex((one) => one === versions);
    asked.next(document(versions, { generation }));
    last = (await registry.read(LIDAR)).firstSeen;
    clock.advance(MINUTE);
  }
  const spans = Array.from(last?.added ?? [], ([version, { after, at }]) => {
    return [version, `${asMinutes(after)} to ${asMinutes(at)}`] as const;
  });
  return { since: String(asMinutes(last?.since ?? start)), ...Object.fromEntries(spans) };
}

const [A, B, C] = [['1.0.0'], ['1.0.0', '1.1.0'], ['1.0.0', '1.1.0', '1.2.0']] as const;

/** A list with 100,001 versions, and the times of the releases after its first one. */
function large(): { versions: string[]; added: FirstSeen['added'] } {
  const versions = Array.from({ length: 100_001 }, (_, patch) => `1.0.${patch}`);
  const span = { after: 1, at: 2 };
  return { versions, added: new Map(versions.slice(1).map((version) => [version, span])) };
}

describe('[D34] when releases were first seen', () => {
  it.each([
    ['100,000 are remembered', 0, 100_000],
    ['of more, those that are still listed', 1, 99_999],
  ])('%s', (_, more, size) => {
    const { versions, added } = large();
    const without = versions.filter((_version, at) => at !== 7);
    const records = without.map((version) => ({ version }));
    const last = { records, firstSeen: { since: 0, added }, confirmedAt: 5 };
    const next = [...records, ...(more === 0 ? [{ version: '1.0.7' }] : [{ version: '2.0.0' }])];
    const found = firstSeenAfter(last, more === 0 ? records : next, NINE);
    expect(found.added.size).toBe(more === 0 ? size : size + 1);
    expect(found.added.has('1.0.7')).toBe(more === 0);
  });

  it('the last of 100,000 is remembered, and so are those that are no longer listed', () => {
    const { versions, added } = large();
    const [first = '', last = ''] = [versions[0], versions.at(-1)];
    const known = new Map([...added].filter(([version]) => version !== last));
    const before = { firstSeen: { since: 0, added: known }, confirmedAt: 5 };
    const records = [{ version: first }];
    const next = [...records, { version: last }];
    const found = firstSeenAfter({ ...before, records }, next, NINE);
    expect(found.added.size).toBe(100_000);
    expect(found.added.get(last)).toEqual({ after: 5, at: 9 });
  });

  it.each<[string, Minutes, Readonly<Record<string, string>>]>([
    ['a first list', [B], { since: '0' }],
    ['an unchanged list', [B, B, B], { since: '0' }],
    ['a new release', [A, B], { since: '0', '1.1.0': '0 to 1' }],
    ['after a confirmation', [A, A, A, B, B], { since: '0', '1.1.0': '2 to 3' }],
    ['one after the other', [A, B, C], { since: '0', '1.1.0': '0 to 1', '1.2.0': '1 to 2' }],
    [
      'a new release that disappears and returns',
      [A, B, ['1.0.0', '1.0.1'], ['1.0.0', '1.1.0', '1.0.1']],
      { since: '0', '1.1.0': '0 to 1', '1.0.1': '1 to 2' },
    ],
    [
      'a release of the first list that disappears and returns',
      [A, ['1.1.0'], B],
      { since: '0', '1.0.0': '-Infinity to 0', '1.1.0': '0 to 1' },
    ],
    [
      'a release of the first list that disappears, and returns as the only change',
      [B, A, [...B]],
      { since: '0', '1.1.0': '-Infinity to 0' },
    ],
    [
      'a first list with a time in the future',
      [[IN_2030]],
      { since: '0', '1.0.0': '-Infinity to 0' },
    ],
    [
      'an entry without a version, with a time in the future',
      [[{ ...IN_2030, version: '' }]],
      { since: '0' },
    ],
    ['a claim that changes', [[AT_YEAR_0], [IN_2030]], { since: '0' }],
    ['an entry without a version', [A, ['1.0.0', { version: '' }]], { since: '0' }],
  ])('%s', async (_, minutes, expected) => {
    expect(await seenAfter(minutes, remembered(HOST))).toEqual(expected);
  });

  it.each<[string, Minutes, Readonly<Record<string, string>>]>([
    ['a yank', [B, B, [YANKED, '1.1.0']], { 'yanked 1.0.0': '1 to 2' }],
    ['a yank that was there at first', [[YANKED], [YANKED, '1.1.0']], { '1.1.0': '0 to 1' }],
    [
      'a release that is published as yanked',
      [['1.1.0'], [YANKED, '1.1.0']],
      { '1.0.0': '0 to 1' },
    ],
    [
      'a yank that is reverted and made again counts from the first time',
      [A, [YANKED], [...A], [{ ...YANKED, yanked: 'again' }]],
      { 'yanked 1.0.0': '0 to 1' },
    ],
    [
      'a yank of one of two entries of a version, of which the other was yanked',
      [
        [YANKED, '1.0.0'],
        [YANKED, { ...YANKED, yanked: 'too' }],
      ],
      {},
    ],
    [
      'the yank in a long list, with a new release',
      [LONG, LONG.with(3, { version: '3.0.3', yanked: '' }).concat('9.0.0')],
      { '9.0.0': '0 to 1', 'yanked 3.0.3': '0 to 1' },
    ],
  ])('[D99] [T397] %s', async (_, minutes, expected) => {
    expect(await seenAfter(minutes, remembered(HOST))).toEqual({ since: '0', ...expected });
  });

  it.each<[string, (machine: Remembered) => unknown]>([
    ['a restart', () => undefined],
    ['the eviction of the list', ({ file }) => file.sql.run('DELETE FROM saved_lists')],
  ])('survives %s', async (_, happen) => {
    const machine = remembered(HOST);
    const expected = { since: '0', '1.0.0': '-Infinity to 0', '1.1.0': '0 to 1' };
    const last = [IN_2030, '1.1.0'];
    const start = machine.clock.now();
    expect(await seenAfter([[IN_2030], last], machine)).toEqual(expected);
    happen(machine);
    asked.next(document(last, { generation: 2 }));
    const { firstSeen } = await machine.restarted().read(LIDAR);
    const spans = [
      ['1.0.0', { after: -Infinity, at: start }],
      ['1.1.0', { after: start, at: start + MINUTE }],
    ] as const;
    expect(firstSeen).toEqual({ since: start, added: new Map(spans) });
  });

  it('after an eviction, a release that claims to be later than the first list is new', async () => {
    const machine = remembered(HOST);
    const start = machine.clock.now();
    await seenAfter([A], machine);
    machine.file.sql.run('DELETE FROM saved_lists');
    const [then, later] = [start, start + 1].map((time) => new Date(time).toISOString());
    const known = { version: '1.0.1', published_at: then };
    const added = { version: '1.1.0', published_at: later };
    asked.next(document(['1.0.0', known, added], { generation: 2 }));
    const { firstSeen } = await machine.restarted().read(LIDAR);
    const span = { after: start, at: start + MINUTE };
    expect(firstSeen).toEqual({ since: start, added: new Map([['1.1.0', span]]) });
  });

  it('survives accept, and an accepted list adds its new releases', async () => {
    const machine = remembered(HOST);
    const start = machine.clock.now();
    await seenAfter([A, B], machine);
    asked.next(document(['1.1.0', '1.2.0'], { generation: 1 }));
    await acceptList(LIDAR, machine.remote, {
      saved: savedListsIn(machine.file),
      clock: machine.clock,
    });
    const { firstSeen } = await machine.restarted().read(LIDAR);
    const spans = [
      ['1.0.0', { after: -Infinity, at: start }],
      ['1.1.0', { after: start, at: start + MINUTE }],
      ['1.2.0', { after: start + MINUTE, at: start + 2 * MINUTE }],
    ] as const;
    expect(firstSeen?.since).toBe(start);
    expect(firstSeen?.added).toEqual(new Map(spans));
  });

  it('a list with one new release writes one row, and an unchanged list none', async () => {
    const machine = remembered(HOST);
    const many = Array.from({ length: 100 }, (_, patch) => `1.0.${patch}`);
    const rows = (): unknown => machine.file.sql.all('SELECT version FROM first_seen');
    await seenAfter([many, many], machine);
    expect(rows()).toEqual([{ version: '' }]);
    const writes = (): unknown => machine.file.sql.get('SELECT total_changes() AS n')?.['n'];
    const before = writes();
    await seenAfter([many, [...many, '1.1.0']], machine);
    expect(rows()).toEqual([{ version: '' }, { version: '1.1.0' }]);
    // The list, its content, one row, and the certain time; three of them get their checksum by an update.
    expect(Number(writes()) - Number(before)).toBeLessThanOrEqual(7);
  });

  it('a time that a full disk did not accept is written with the next list', async () => {
    const machine = remembered(HOST);
    await seenAfter([A], machine);
    machine.file.database.exec('PRAGMA query_only = ON');
    asked.next(document([...B], { generation: 2 }));
    await machine.registry.read(LIDAR);
    machine.file.database.exec('PRAGMA query_only = OFF');
    machine.clock.advance(MINUTE);
    asked.next(document([...C], { generation: 3 }), status(503));
    const { firstSeen } = await machine.registry.read(LIDAR);
    expect((await machine.restarted().read(LIDAR)).firstSeen).toEqual(firstSeen);
    expect([...(firstSeen?.added.keys() ?? [])]).toEqual(['1.1.0', '1.2.0']);
  });
});

it('[D34, D59] a claim in the future of a list that was first read at no certain time keeps its age when that list is lost', async () => {
  const one = clockedBoard({ source: 'loopback', state: 'unsynchronized' });
  one.setClock(-START);
  one.publish('1.0.0', START + 1000 * DAY);
  await one.read();
  one.setClock(0);
  one.know({ state: 'synchronized' });
  await one.read();
  one.pass(3 * DAY - 1);
  one.evict();
  one.restart();
  expect(await one.read()).toBe('too-young');
  one.pass(1);
  expect(await one.read()).toBe('1.0.0');
});

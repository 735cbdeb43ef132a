import { describe, expect, it } from 'vitest';
import { SavedListsError, type SavedList, type SavedLists } from '../../src/registries/index.ts';
import { acceptList } from '../../src/registry/acceptance.ts';
import { cachedRegistry } from '../../src/registry/cached-registry.ts';
import { savedListsIn } from '../../src/store/index.ts';
import { answers, document, HOST, json, status } from '../../mocks/scripted-registry.ts';
import { RememberedLists } from '../../src/registry/remembered-lists.ts';
import { originOf } from '../../src/registry/list-origin.ts';
import { moduleId } from '../support/ask.ts';
import { LIDAR, outcomeOf, remembered, type Remembered } from './support/remembered.ts';

const asked = answers();
const ARM = moduleId('acme:arm');

function built(digest: string): object {
  return { version: '1.0.0', artifacts: [{ platform: 'any', digest }] };
}

/** A registry whose saved lists fail while `isFailing` returns true, and the errors that it reported. */
function withFailingStorage(
  { remote, clock, file }: Remembered,
  isFailing: (method: keyof SavedLists) => boolean,
): { registry: ReturnType<typeof cachedRegistry>; troubles: string[] } {
  const saved = savedListsIn(file);
  const troubles: string[] = [];
  const guarded = new Proxy(saved, {
    get(target, method: keyof SavedLists) {
      if (!isFailing(method)) return target[method];
      return () => {
        throw new SavedListsError('state-write', `no ${method}`, undefined);
      };
    },
  });
  const onTrouble = ({ message }: Error): void => void troubles.push(message);
  return { registry: cachedRegistry(remote, { saved: guarded, clock, onTrouble }), troubles };
}

it.each([
  ['saving it first failed', ['save'], ['no save']],
  [
    'the disk could be neither read nor written',
    ['version', 'stamp', 'save'],
    ['no version', 'no stamp', 'no version'],
  ],
] as const)('[T52] saves a list with its next confirmation if %s', async (_, failing, expected) => {
  const machine = remembered(HOST);
  let isFull = false;
  const { registry, troubles } = withFailingStorage(
    machine,
    (method) => isFull && failing.some((one) => one === method),
  );
  asked.next(document(['1.0.0'], { generation: 1 }));
  await registry.read(LIDAR);
  isFull = true;
  asked.next(document(['1.0.0', '1.1.0'], { generation: 2 }));
  expect(await outcomeOf(registry.read(LIDAR))).toBe('1.0.0 1.1.0');
  expect(troubles).toEqual(expected);
  expect(savedListsIn(machine.file).read(machine.remote.address, LIDAR)?.generation).toBe(1);
  isFull = false;
  asked.next(status(304));
  await registry.read(LIDAR);
  expect(savedListsIn(machine.file).read(machine.remote.address, LIDAR)?.generation).toBe(2);
});

it('[D22] compares with the list in memory while the disk cannot be read', async () => {
  const machine = remembered(HOST);
  let isBroken = false;
  const { registry } = withFailingStorage(machine, () => isBroken);
  asked.next(document(['1.0.0']));
  await registry.read(LIDAR);
  isBroken = true;
  asked.next(document([], { generation: 3 }));
  expect(await outcomeOf(registry.read(LIDAR))).toBe(
    `registry-regressed: the list of acme:lidar at ${HOST} went backwards: generation 3, after 57`,
  );
});

it('[D22] a running process uses a list that another process accepted', async () => {
  const machine = remembered(HOST);
  const changed = async (): Promise<string[]> => {
    const { changedDigests } = await machine.registry.read(LIDAR);
    return [...(changedDigests?.keys() ?? [])];
  };
  asked.next(document([built('sha1:aa')], { generation: 1 }));
  expect(await changed()).toEqual([]);
  asked.next(document([built('sha1:bb')], { generation: 2 }));
  expect(await changed()).toEqual(['1.0.0']);
  const saved = savedListsIn(machine.file);
  const trial = await acceptList(LIDAR, machine.remote, { saved, isDryRun: true });
  expect([...(trial?.changedDigests.keys() ?? [])]).toEqual(['1.0.0']);
  expect(await changed()).toEqual(['1.0.0']);
  await acceptList(LIDAR, machine.remote, { saved });
  expect(await changed()).toEqual([]);
  asked.next(document([built('sha1:bb')], { generation: 3 }));
  expect(await changed()).toEqual([]);
  // From now on, the accepted digest is the first one.
  asked.next(document([built('sha1:aa')], { generation: 4 }));
  expect(await changed()).toEqual(['1.0.0']);
});

it('[D22] a process whose disk was full uses a list that another process accepted meanwhile', async () => {
  const machine = remembered(HOST);
  let isFull = true;
  const { registry } = withFailingStorage(machine, (method) => isFull && method === 'save');
  const changed = async (): Promise<string[]> => {
    const { changedDigests } = await registry.read(LIDAR);
    return [...(changedDigests?.keys() ?? [])];
  };
  asked.next(document([built('sha1:aa')], { generation: 1 }));
  expect(await changed()).toEqual([]);
  asked.next(document([built('sha1:bb')], { generation: 2 }));
  expect(await changed()).toEqual(['1.0.0']);
  isFull = false;
  asked.next(document([built('sha1:bb')], { generation: 2 }));
  await acceptList(LIDAR, machine.remote, { saved: savedListsIn(machine.file) });
  asked.next(status(304));
  expect(await changed()).toEqual([]);
  asked.next(document([built('sha1:aa')], { generation: 3 }));
  expect(await changed()).toEqual(['1.0.0']);
});

it('a 304 for an earlier list does not replace a later list of another process', async () => {
  const machine = remembered(HOST);
  asked.next(document(['1.0.0']));
  await machine.registry.read(LIDAR);
  asked.next(async () => {
    asked.next(document(['1.0.0', '1.1.0'], { generation: 58 }));
    await machine.restarted().read(LIDAR);
    return new Response(null, { status: 304 });
  });
  expect(await outcomeOf(machine.registry.read(LIDAR))).toBe('1.0.0 1.1.0');
});

it('reading one module keeps the sequence number of its list', async () => {
  const machine = remembered(HOST);
  asked.next(json({ sequence: 7, modules: [LIDAR] }), document(['1.0.0']));
  await machine.registry.readAll([LIDAR]);
  asked.next(status(304));
  await machine.registry.read(LIDAR);
  asked.next(document(['1.0.0', '1.1.0'], { generation: 58 }));
  await machine.registry.read(LIDAR);
  asked.requests.length = 0;
  asked.next(json({ sequence: 7, modules: [] }));
  await machine.restarted().readAll([LIDAR]);
  expect(asked.requests).toEqual(['/v1/changes?after=7']);
});

it.each([
  ['at most once a second if another process wrote it', true, 1000],
  ['at most every ten minutes if this process wrote it', false, 600_000],
])('the confirmation of a list is saved %s', async (_, isOthers, ms) => {
  const machine = remembered(HOST);
  const confirmedAt = (): unknown =>
    machine.file.sql.get('SELECT confirmed_at FROM saved_lists')?.['confirmed_at'];
  asked.next(document(['1.0.0']), status(304));
  await machine.registry.read(LIDAR);
  const first = confirmedAt();
  const registry = isOthers ? machine.restarted() : machine.registry;
  machine.clock.advance(ms - 1);
  await registry.read(LIDAR);
  expect(confirmedAt()).toBe(first);
  machine.clock.advance(1);
  await registry.read(LIDAR);
  expect(confirmedAt()).toBe(machine.clock.now());
  // After the clock is set back, the age of the confirmation is unknown.
  machine.clock.advance(-5);
  await registry.read(LIDAR);
  expect(confirmedAt()).toBe(machine.clock.now());
});

/** A list with this generation. */
function listOf(generation: number, more: Partial<SavedList> = {}): SavedList {
  return {
    records: [{ version: `1.0.${generation}` }],
    dropped: [],
    generation,
    digest: String(generation).padStart(64, '0'),
    size: 10,
    etag: undefined,
    lost: [],
    firstSeen: { since: 0, added: new Map() },
    confirmedAt: 1000,
    sequence: undefined,
    history: undefined,
    ...more,
  };
}

/** Two processes with one file. */
function two(): [RememberedLists, RememberedLists, Remembered] {
  const machine = remembered(HOST);
  const process = (): RememberedLists =>
    new RememberedLists('modreg:https://h/', savedListsIn(machine.file), (error) => {
      throw error;
    });
  return [process(), process(), machine];
}

describe('[T60] two processes that remember lists in one file', () => {
  it('each find what the other has written, also just before a write of their own', () => {
    const [one, other] = two();
    one.set(LIDAR, listOf(1));
    one.set(ARM, listOf(1));
    expect([...one.getAll([LIDAR, ARM]).values()].map(({ generation }) => generation)).toEqual([
      1, 1,
    ]);
    other.set(ARM, listOf(2));
    one.set(LIDAR, listOf(3));
    expect(one.get(ARM)?.generation).toBe(2);
    expect(other.get(LIDAR)?.generation).toBe(3);
  });

  it('keep the later of two lists', () => {
    const [one, other] = two();
    other.set(LIDAR, listOf(9));
    one.set(LIDAR, listOf(5));
    expect(one.get(LIDAR)?.generation).toBe(9);
  });

  it('do not use a list that was removed', () => {
    const [one, other, { file }] = two();
    one.set(LIDAR, listOf(1));
    expect(one.get(LIDAR)?.generation).toBe(1);
    file.sql.run('DELETE FROM saved_lists');
    other.set(ARM, listOf(2));
    expect([one.get(LIDAR), one.inMemory(LIDAR)]).toEqual([undefined, undefined]);
  });

  it('know where a list is from that the other has saved', () => {
    const [one, other] = two();
    one.set(LIDAR, listOf(1));
    const origin = { address: 'modreg:https://h/', digest: listOf(1).digest };
    const lists = [one.get(LIDAR), other.get(LIDAR)];
    expect(lists.map((list) => list && originOf(list.records))).toEqual([origin, origin]);
  });

  it.each([
    ['another number', { sequence: 8, history: 'h' }],
    ['another history', { sequence: 7, history: 'g' }],
    ['no position', { sequence: undefined, history: undefined }],
  ])('write a confirmation at once if it has %s', (_, position) => {
    const [one, other] = two();
    const list = listOf(1, { sequence: 7, history: 'h' });
    one.set(LIDAR, list);
    one.confirm(new Map([[LIDAR, list]]), { confirmedAt: 1001, ...position });
    expect(other.get(LIDAR)).toMatchObject({ confirmedAt: 1001, ...position });
  });
});

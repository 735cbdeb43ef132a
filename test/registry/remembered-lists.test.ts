import { expect, it } from 'vitest';
import { SavedListsError, type SavedLists } from '../../src/registry/index.ts';
import { acceptList } from '../../src/registry/acceptance.ts';
import { cachedRegistry } from '../../src/registry/cached-registry.ts';
import { savedListsIn } from '../../src/store/index.ts';
import { answers, document, HOST, json, status } from '../support/answers.ts';
import { LIDAR, outcomeOf, remembered, type Remembered } from '../support/remembered.ts';

const asked = answers();

function built(digest: string): object {
  return { version: '1.0.0', artifacts: [{ platform: 'any', digest }] };
}

/** A registry whose saved lists fail while `isFailing` says so, and what it told of that. */
function failing(
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

it('[T52] a list that could not be saved is saved when it is confirmed', async () => {
  const machine = remembered(HOST);
  let isFull = false;
  const { registry, troubles } = failing(machine, (method) => isFull && method === 'save');
  asked.next(document(['1.0.0'], { generation: 1 }));
  await registry.read(LIDAR);
  isFull = true;
  asked.next(document(['1.0.0', '1.1.0'], { generation: 2 }));
  expect(await outcomeOf(registry.read(LIDAR))).toBe('1.0.0 1.1.0');
  expect(troubles).toEqual(['no save']);
  expect(savedListsIn(machine.file).read(machine.remote.address, LIDAR)?.generation).toBe(1);
  isFull = false;
  asked.next(status(304));
  await registry.read(LIDAR);
  expect(savedListsIn(machine.file).read(machine.remote.address, LIDAR)?.generation).toBe(2);
});

it('[D22] where the disk cannot be read, the list at hand is what the next one must follow', async () => {
  const machine = remembered(HOST);
  let isBroken = false;
  const { registry } = failing(machine, () => isBroken);
  asked.next(document(['1.0.0']));
  await registry.read(LIDAR);
  isBroken = true;
  asked.next(document([], { generation: 3 }));
  expect(await outcomeOf(registry.read(LIDAR))).toBe(
    `registry-regressed: the list of acme:lidar at ${HOST} went backwards: generation 3, after 57`,
  );
});

it('[D22] what another process accepted is accepted by one that runs on', async () => {
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
  const trial = await acceptList(LIDAR, machine.remote, { saved, isTrial: true });
  expect([...(trial?.changedDigests.keys() ?? [])]).toEqual(['1.0.0']);
  expect(await changed()).toEqual(['1.0.0']);
  await acceptList(LIDAR, machine.remote, { saved });
  expect(await changed()).toEqual([]);
  asked.next(document([built('sha1:bb')], { generation: 3 }));
  expect(await changed()).toEqual([]);
  // What was accepted is what counts from now on.
  asked.next(document([built('sha1:aa')], { generation: 4 }));
  expect(await changed()).toEqual(['1.0.0']);
});

it('a cache that has not heard of a later list does not bring the earlier one back', async () => {
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

it('reading one module keeps the sequence that a round knows it by', async () => {
  const machine = remembered(HOST);
  asked.next(json({ sequence: 7, modules: [] }), document(['1.0.0']));
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
  ['another process was the last to write it, a second', true, 1000],
  ['this one was, ten minutes', false, 600_000],
])('a confirmation is not written again for as long as: where %s', async (_, isOthers, ms) => {
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
  // Set back, a clock tells no more how long ago that was.
  machine.clock.advance(-5);
  await registry.read(LIDAR);
  expect(confirmedAt()).toBe(machine.clock.now());
});

import { describe, expect, it } from 'vitest';
import { acceptList, type Acceptance } from '../../src/registry/acceptance.ts';
import { SavedListsError, type SavedLists } from '../../src/registries/index.ts';
import { savedListsIn } from '../../src/store/index.ts';
import { answers, document, HOST, json, status } from '../../mocks/scripted-registry.ts';
import { LIDAR, outcomeOf, remembered, type Remembered } from './support/remembered.ts';

const asked = answers();
const TIME = '2026-03-01T12:00:00Z';
const NOON = Date.parse(TIME);

function built(digest: string, more: object = {}): object {
  return { version: '1.0.0', artifacts: [{ platform: 'any', digest }], ...more };
}

/** The difference between two lists, the second of which is accepted. */
async function accepted(
  before: readonly (string | object)[],
  now: readonly (string | object)[],
  generations: readonly [number, number] = [57, 57],
): Promise<Acceptance | undefined> {
  const machine = remembered(HOST);
  asked.next(document(before, { generation: generations[0] }));
  await machine.registry.read(LIDAR);
  asked.next(document(now, { generation: generations[1] }));
  return await acceptList(LIDAR, machine.remote, { saved: savedListsIn(machine.file) });
}

/** The saved lists of a machine, whose method `read` throws. */
function unreadable({ file }: Remembered, kind: SavedListsError['kind']): SavedLists {
  return {
    ...savedListsIn(file),
    read: () => {
      throw new SavedListsError(kind, 'no list', undefined);
    },
  };
}

describe('[D22] an operator who accepts a list is told', () => {
  it.each<[string, readonly (string | object)[], readonly (string | object)[], object]>([
    ['that nothing differs', ['1.0.0'], ['1.0.0'], {}],
    [
      'which versions are gone, and which are new',
      ['1.0.0', '1.1.0', 'x'],
      ['1.1.0', '1.2.0', 'y'],
      { gone: ['1.0.0', 'x'], added: ['1.2.0', 'y'], isOther: true },
    ],
    [
      'which digests differ',
      [built('sha1:aa')],
      [built('sha1:bb')],
      {
        changedDigests: new Map([['1.0.0', { platform: 'any', first: 'sha1:aa', now: 'sha1:bb' }]]),
        changedFields: new Map([['1.0.0', [{ field: 'artifacts' }]]]),
        isOther: true,
      },
    ],
    [
      'which fields differ, as they were and are',
      [{ version: '1.0.0', yanked: 'stops', deprecated: 'old' }],
      [{ version: '1.0.0', published_at: TIME, yanked: true, artifacts: [] }],
      {
        changedFields: new Map([
          [
            '1.0.0',
            [
              { field: 'published_at', before: undefined, now: NOON },
              { field: 'artifacts' },
              { field: 'yanked', before: 'stops', now: '' },
              { field: 'deprecated', before: 'old', now: undefined },
            ],
          ],
        ]),
        isOther: true,
      },
    ],
    [
      'nothing about the fields of a version that is new',
      [],
      [{ version: '1.0.0', yanked: 'stops' }],
      { added: ['1.0.0'], isOther: true },
    ],
  ])('%s', async (_, before, now, difference) => {
    expect(await accepted(before, now)).toEqual({
      generations: [57, 57],
      gone: [],
      added: [],
      changedDigests: new Map(),
      changedFields: new Map(),
      isOther: false,
      ...difference,
    });
  });

  it('both generations, of which the second may be lower', async () => {
    expect((await accepted(['1.0.0'], ['1.0.0'], [57, 3]))?.generations).toEqual([57, 3]);
  });

  it('a digest that changed before, until the list is accepted', async () => {
    const machine = remembered(HOST);
    const saved = savedListsIn(machine.file);
    for (const [index, digest] of ['sha1:aa', 'sha1:bb'].entries()) {
      asked.next(document([built(digest)], { generation: index }));
      await machine.registry.read(LIDAR);
    }
    const first = await acceptList(LIDAR, machine.remote, { saved });
    expect([...(first?.changedDigests.keys() ?? [])]).toEqual(['1.0.0']);
    const second = await acceptList(LIDAR, machine.remote, { saved });
    expect([...(second?.changedDigests.keys() ?? [])]).toEqual([]);
  });
});

describe('[D22] accepting a list', () => {
  it('makes its position in the feed void', async () => {
    const machine = remembered(HOST);
    asked.next(json({ sequence: 7, history: 'h', modules: [LIDAR] }), document(['1.0.0']));
    await machine.registry.readAll([LIDAR]);
    asked.next(document(['1.0.0'], { generation: 3 }));
    await acceptList(LIDAR, machine.remote, { saved: savedListsIn(machine.file) });
    asked.requests.length = 0;
    asked.next(json({ sequence: 7, history: 'h', modules: [LIDAR] }), document(['1.0.0']));
    await machine.restarted().readAll([LIDAR]);
    expect(asked.requests).toEqual(['/v1/changes?after=0', '/v1/modules/acme/lidar known "3"']);
  });

  it('replaces one that is damaged, and keeps when its releases were first seen', async () => {
    const machine = remembered(HOST);
    const start = machine.clock.now();
    asked.next(document(['1.0.0']));
    await machine.registry.read(LIDAR);
    machine.clock.advance(60_000);
    const later = { version: '1.1.0', published_at: new Date(start + 1).toISOString() };
    asked.next(document(['1.0.0', later], { generation: 3 }));
    const saved = unreadable(machine, 'state-unreadable');
    const { remote, clock } = machine;
    expect(await acceptList(LIDAR, remote, { saved, clock })).toBeUndefined();
    asked.next(status(304));
    const list = await machine.restarted().read(LIDAR);
    expect(Array.from(list.records, ({ version }) => version)).toEqual(['1.0.0', '1.1.0']);
    const span = { after: start, at: start + 60_000 };
    expect(list.firstSeen).toEqual({ since: start, added: new Map([['1.1.0', span]]) });
  });

  it('is tried without saving it, also if none is saved', async () => {
    const machine = remembered(HOST);
    asked.next(document(['1.0.0']));
    const options = { saved: savedListsIn(machine.file), isDryRun: true };
    expect(await acceptList(LIDAR, machine.remote, options)).toBeUndefined();
    expect(machine.saved()).toBe('[]');
  });

  it('fails without a request if another process locks the file', async () => {
    const machine = remembered(HOST);
    const saved = unreadable(machine, 'locked');
    await expect(acceptList(LIDAR, machine.remote, { saved })).rejects.toMatchObject({
      name: 'SavedListsError',
      kind: 'locked',
    });
    expect(asked.requests).toEqual([]);
  });

  it('can be aborted, and then changes nothing', async () => {
    const machine = remembered(HOST);
    const controller = new AbortController();
    asked.next(() => {
      controller.abort(new Error('enough'));
      return new Response(null, { status: 503 });
    });
    const accepting = acceptList(LIDAR, machine.remote, {
      saved: savedListsIn(machine.file),
      signal: controller.signal,
    });
    await expect(accepting).rejects.toThrow('enough');
    expect([machine.saved(), asked.requests.length]).toEqual(['[]', 1]);
  });

  it('that the registry does not serve fails, and changes nothing', async () => {
    const machine = remembered(HOST);
    asked.next(document(['1.0.0']));
    await machine.registry.read(LIDAR);
    const before = machine.saved();
    asked.next(status(404));
    const accepting = acceptList(LIDAR, machine.remote, { saved: savedListsIn(machine.file) });
    await expect(accepting).rejects.toMatchObject({ kind: 'unknown-module' });
    expect(machine.saved()).toBe(before);
    asked.next(status(304));
    expect(await outcomeOf(machine.registry.read(LIDAR))).toBe('1.0.0');
  });
});

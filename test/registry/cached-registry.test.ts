import { describe, expect, it } from 'vitest';
import { resolve, indexReleases } from '../../src/core/index.ts';
import { answers, document, HOST, status } from '../support/answers.ts';
import { chosen, constraint, refusals } from '../support/ask.ts';
import { plain } from '../support/decoded-list.ts';
import { LIDAR, outcomeOf, remembered, told } from '../support/remembered.ts';

const asked = answers();
const PATH = '/v1/modules/acme/lidar';
const DAY = 86_400_000;
const MINUTE = 60_000;

/** A release with one artifact, with or without a digest. */
function built(version: string, digest?: string, platform = 'linux/amd64'): object {
  return { version, artifacts: [{ platform, ...(digest === undefined ? {} : { digest }) }] };
}

it('concurrent reads of a module share one request', async () => {
  const { registry } = remembered(HOST);
  asked.next(document(['1.2.3']));
  await Promise.all([registry.read(LIDAR), registry.read(LIDAR), registry.read(LIDAR)]);
  expect(asked.requests).toEqual([PATH]);
  await registry.read(LIDAR);
  expect(asked.requests).toHaveLength(2);
});

describe('one of several concurrent reads', () => {
  it('can be aborted without aborting the request of the others', async () => {
    const { registry } = remembered(HOST);
    const controller = new AbortController();
    asked.next(async (request) => {
      controller.abort(new Error('aborted'));
      return await document(['1.2.3'])(request);
    });
    const first = registry.read(LIDAR, controller.signal);
    const second = registry.read(LIDAR);
    await expect(first).rejects.toThrow('aborted');
    expect(await outcomeOf(second)).toBe('1.2.3');
    expect(asked.requests).toEqual([PATH]);
  });

  it('sends no request if its signal is already aborted', async () => {
    const { registry } = remembered(HOST);
    const signal = AbortSignal.abort(new Error('aborted'));
    await expect(registry.read(LIDAR, signal)).rejects.toThrow('aborted');
    expect(asked.requests).toEqual([]);
  });

  it('[T60] returns the list that another process saved in the meantime if that is newer', async () => {
    const machine = remembered(HOST);
    const other = machine.restarted();
    asked.next(async (request) => {
      asked.next(document(['1.0.0', '1.1.0', '1.2.0'], { generation: 59 }));
      await other.read(LIDAR);
      return await document(['1.0.0', '1.1.0'], { generation: 58 })(request);
    });
    expect(await outcomeOf(machine.registry.read(LIDAR))).toBe('1.0.0 1.1.0 1.2.0');
    expect(await outcomeOf(machine.restarted().read(LIDAR))).toBe('1.0.0 1.1.0 1.2.0');
  });
});

describe('[D21] while the registry is unreachable, the saved list is used', () => {
  it.each<[string, number, string]>([
    [
      'if it is seven days old',
      7 * DAY,
      'stale, registry-busy: the registry https://registry.example is busy or failing (500)',
    ],
    [
      'but not if it is older than seven days',
      7 * DAY + 1000,
      'list-stale: the registry https://registry.example is busy or failing (500); the saved list was confirmed 7 d ago (limit 7 d)',
    ],
    [
      'if the clock was set back by five minutes',
      -5 * MINUTE,
      'stale, registry-busy: the registry https://registry.example is busy or failing (500)',
    ],
    [
      'but not if the clock that confirmed it was ten years ahead, 400 days later',
      -3250 * DAY,
      'list-stale: the registry https://registry.example is busy or failing (500); the saved list was confirmed by a clock that was 3250 d ahead of this one',
    ],
    [
      '[T96] but not if the clock that confirmed it was more than five minutes ahead',
      -5 * MINUTE - 1000,
      'list-stale: the registry https://registry.example is busy or failing (500); the saved list was confirmed by a clock that was 5 min 1 s ahead of this one',
    ],
  ])('%s', async (_, age, outcome) => {
    const machine = remembered(HOST, { limits: { retryWithinMs: 0 } });
    asked.next(document(['1.2.3']));
    await machine.registry.read(LIDAR);
    const before = machine.saved();
    machine.clock.advance(age);
    asked.next(status(500));
    expect(await outcomeOf(machine.restarted().read(LIDAR))).toBe(outcome);
    expect(machine.saved()).toBe(before);
  });

  it('[T27] a 304 confirms the saved list', async () => {
    const machine = remembered(HOST, { limits: { retryWithinMs: 0 } });
    asked.next(document(['1.2.3']), status(304), status(500));
    await machine.registry.read(LIDAR);
    machine.clock.advance(6 * DAY);
    await machine.registry.read(LIDAR);
    machine.clock.advance(6 * DAY);
    expect(await machine.restarted().read(LIDAR)).toMatchObject({
      source: 'saved',
      fetchedAt: machine.clock.now() - 6 * DAY,
      stale: { kind: 'registry-busy' },
    });
  });

  it('without a saved list, the result is the error of the registry', async () => {
    const { registry, saved } = remembered(HOST, { limits: { retryWithinMs: 0 } });
    asked.next(status(403));
    await expect(registry.read(LIDAR)).rejects.toMatchObject({ kind: 'registry-refused' });
    expect(saved()).toBe('[]');
  });

  it('a list that was confirmed less than `maxAgeMs` ago is used without a request', async () => {
    const { registry, clock } = remembered(HOST, { maxAgeMs: 5000 });
    asked.next(document(['1.2.3']));
    await registry.read(LIDAR);
    clock.advance(4999);
    expect(plain(await registry.read(LIDAR))).toMatchObject({ source: 'saved', records: [{}] });
    clock.advance(1);
    expect(await registry.read(LIDAR)).toMatchObject({ source: 'network' });
    expect(told(await registry.readAll([LIDAR, LIDAR]))).toEqual(['acme:lidar 1.2.3']);
    expect(asked.requests).toHaveLength(2);
    // The age of a list with a time in the future is unknown.
    clock.advance(-1);
    expect(await registry.read(LIDAR)).toMatchObject({ source: 'network' });
    expect(asked.requests).toHaveLength(3);
  });

  it('`maxAgeMs` does not extend `maxIndexAgeMs`', async () => {
    const { registry, clock } = remembered(HOST, { maxAgeMs: 30 * DAY, maxIndexAgeMs: 1000 });
    asked.next(document(['1.2.3']));
    await registry.read(LIDAR);
    clock.advance(1000);
    expect(await registry.read(LIDAR)).toMatchObject({ source: 'network' });
  });

  it('offline, no registry is contacted', async () => {
    const machine = remembered(HOST);
    asked.next(document(['1.2.3']));
    await machine.registry.read(LIDAR);
    const offline = remembered(HOST, { isOffline: true, saved: undefined });
    expect(await outcomeOf(offline.registry.read(LIDAR))).toBe(
      `registry-unreachable: offline: the registry ${HOST} was not contacted, and no list of acme:lidar is saved`,
    );
    const [result] = (await offline.registry.readAll([LIDAR])).values();
    expect(result).toMatchObject({ ok: false, error: { kind: 'registry-unreachable' } });
    expect(asked.requests).toHaveLength(1);
  });
});

/** The version that `1.*` selects after each of the lists, and why the others are refused. */
async function resolutionsAfter(...lists: readonly (readonly object[])[]): Promise<string[]> {
  const machine = remembered(HOST);
  const resolutions: string[] = [];
  for (const [index, list] of lists.entries()) {
    asked.next(document(list, { generation: index }));
    const { records, changedDigests } = await machine.restarted().read(LIDAR);
    const resolution = resolve(constraint('1.*'), indexReleases(records), {
      now: 0,
      changedDigests,
    });
    resolutions.push([chosen(resolution) ?? 'none', ...refusals(resolution)].join(', '));
  }
  return resolutions;
}

/** Releases with 51,000 digests. */
function many(major: number): object[] {
  return Array.from({ length: 51 }, (_, minor) => ({
    version: `${major}.${minor}.0`,
    artifacts: Array.from({ length: 1000 }, (_unused, index) => ({
      platform: `p${index}`,
      digest: 'sha1:aa',
    })),
  }));
}

describe('[D22] [T30] a changed digest', () => {
  it.each<[string, readonly (readonly object[])[], readonly string[]]>([
    [
      'causes only that release to be refused',
      [
        [built('1.1.0', 'sha256:aa'), built('1.0.0', 'sha256:cc')],
        [built('1.1.0', 'sha256:bb'), built('1.0.0', 'sha256:cc')],
      ],
      ['1.1.0, 1.0.0: older', '1.0.0, 1.1.0: digest-changed'],
    ],
    [
      'is accepted again once it equals the first digest',
      [
        [built('1.1.0', 'sha256:aa')],
        [built('1.1.0', 'sha256:bb')],
        [built('1.1.0', 'sha256:cc')],
        [built('1.1.0', 'sha256:aa')],
        [built('1.1.0', 'sha256:aa')],
      ],
      ['1.1.0', 'none, 1.1.0: digest-changed', 'none, 1.1.0: digest-changed', '1.1.0', '1.1.0'],
    ],
    [
      'is detected after the release was absent from the list',
      [[built('1.1.0', 'sha256:aa')], [], [built('1.1.0', 'sha256:bb')]],
      ['1.1.0', 'none', 'none, 1.1.0: digest-changed'],
    ],
    [
      'includes a missing one',
      [[built('1.1.0', 'sha256:aa')], [built('1.1.0')]],
      ['1.1.0', 'none, 1.1.0: digest-changed'],
    ],
    [
      'is detected under another name of the platform',
      [[built('1.1.0', 'sha256:aa', 'linux/x86_64')], [built('1.1.0', 'sha256:bb')]],
      ['1.1.0', 'none, 1.1.0: digest-changed'],
    ],
    [
      'is detected when the platform becomes any',
      [[built('1.1.0', 'sha256:aa')], [built('1.1.0', 'sha256:bb', 'any')]],
      ['1.1.0', 'none, 1.1.0: digest-changed'],
    ],
    [
      'is detected when one half of the platform becomes any',
      [[built('1.1.0', 'sha256:aa')], [built('1.1.0', 'sha256:bb', 'any/amd64')]],
      ['1.1.0', 'none, 1.1.0: digest-changed'],
    ],
    [
      'is detected when the release no longer lists artifacts',
      [[built('1.1.0', 'sha256:aa')], [{ version: '1.1.0' }]],
      ['1.1.0', 'none, 1.1.0: digest-changed'],
    ],
    [
      'is detected when a digest of another algorithm replaces it',
      [[built('1.1.0', 'sha1:aa')], [built('1.1.0', 'sha256:bb')]],
      ['1.1.0', 'none, 1.1.0: digest-changed'],
    ],
    [
      'does not include the first digest of a release',
      [[built('1.1.0')], [built('1.1.0', 'sha256:aa')]],
      ['1.1.0', '1.1.0'],
    ],
    [
      'does not include a digest for another platform',
      [[built('1.1.0', 'sha256:aa')], [built('1.1.0', 'sha256:bb', 'linux/arm64')]],
      ['1.1.0', '1.1.0'],
    ],
  ])('%s', async (_, lists, resolutions) => {
    expect(await resolutionsAfter(...lists)).toEqual(resolutions);
  });

  it('more than 100,000 changed or missing digests: the list is refused', async () => {
    const { registry } = remembered(HOST);
    for (const major of [1, 2]) {
      asked.next(document(many(major), { generation: major }));
      await registry.read(LIDAR);
    }
    asked.next(document([], { generation: 3 }));
    expect(await outcomeOf(registry.read(LIDAR))).toBe(
      `registry-regressed: the list of acme:lidar at ${HOST} went backwards: 102000 digests were changed or removed`,
    );
  });
});

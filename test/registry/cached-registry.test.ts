import { describe, expect, it } from 'vitest';
import { resolve, indexReleases } from '../../src/core/index.ts';
import { answers, document, HOST, status } from '../support/answers.ts';
import { chosen, constraint, refusals } from '../support/ask.ts';
import { LIDAR, outcomeOf, remembered, told } from '../support/remembered.ts';

const asked = answers();
const PATH = '/v1/modules/acme/lidar';
const DAY = 86_400_000;

/** A release with one artifact, or with none. */
function built(version: string, digest?: string, platform = 'linux/amd64'): object {
  return { version, artifacts: [{ platform, ...(digest === undefined ? {} : { digest }) }] };
}

it('those who ask for one module at once share a request', async () => {
  const { registry } = remembered(HOST);
  asked.next(document(['1.2.3']));
  await Promise.all([registry.read(LIDAR), registry.read(LIDAR), registry.read(LIDAR)]);
  expect(asked.requests).toEqual([PATH]);
  await registry.read(LIDAR);
  expect(asked.requests).toHaveLength(2);
});

describe('one who asks beside others', () => {
  it('may leave, and does not end the request of the others', async () => {
    const { registry } = remembered(HOST);
    const leaving = new AbortController();
    asked.next(async (request) => {
      leaving.abort(new Error('called off'));
      return await document(['1.2.3'])(request);
    });
    const first = registry.read(LIDAR, leaving.signal);
    const second = registry.read(LIDAR);
    await expect(first).rejects.toThrow('called off');
    expect(await outcomeOf(second)).toBe('1.2.3');
    expect(asked.requests).toEqual([PATH]);
  });

  it('does not begin when called off before', async () => {
    const { registry } = remembered(HOST);
    const signal = AbortSignal.abort(new Error('called off'));
    await expect(registry.read(LIDAR, signal)).rejects.toThrow('called off');
    expect(asked.requests).toEqual([]);
  });

  it('[T60] an answer that is older than what another process saved meanwhile gives way to that', async () => {
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

describe('[D21] without the registry, a saved list decides', () => {
  it.each<[string, number, string]>([
    [
      'for seven days',
      7 * DAY,
      'stale, registry-busy: the registry https://registry.example is busy or failing (500)',
    ],
    [
      'and no longer',
      7 * DAY + 1000,
      'list-stale: the registry https://registry.example is busy or failing (500); the list that is saved was confirmed 7 d ago, and at most 7 d counts',
    ],
    [
      'though the clock was set back',
      -9 * DAY,
      'stale, registry-busy: the registry https://registry.example is busy or failing (500)',
    ],
  ])('%s', async (_, age, outcome) => {
    const machine = remembered(HOST, { limits: { patienceMs: 0 } });
    asked.next(document(['1.2.3']));
    await machine.registry.read(LIDAR);
    const before = machine.saved();
    machine.clock.advance(age);
    asked.next(status(500));
    expect(await outcomeOf(machine.restarted().read(LIDAR))).toBe(outcome);
    expect(machine.saved()).toBe(before);
  });

  it('[T27] a 304 counts as fresh', async () => {
    const machine = remembered(HOST, { limits: { patienceMs: 0 } });
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

  it('where none was saved, there is the error of the registry', async () => {
    const { registry, saved } = remembered(HOST, { limits: { patienceMs: 0 } });
    asked.next(status(403));
    await expect(registry.read(LIDAR)).rejects.toMatchObject({ kind: 'registry-refused' });
    expect(saved()).toBe('[]');
  });

  it('a list that was confirmed lately enough is not asked for', async () => {
    const { registry, clock } = remembered(HOST, { maxAgeMs: 5000 });
    asked.next(document(['1.2.3']));
    await registry.read(LIDAR);
    clock.advance(4999);
    expect(await registry.read(LIDAR)).toMatchObject({ source: 'saved', records: [{}] });
    clock.advance(1);
    expect(await registry.read(LIDAR)).toMatchObject({ source: 'network' });
    expect(told(await registry.readAll([LIDAR, LIDAR]))).toEqual(['acme:lidar 1.2.3']);
    expect(asked.requests).toHaveLength(2);
    // A list from the future may be of any age.
    clock.advance(-1);
    expect(await registry.read(LIDAR)).toMatchObject({ source: 'network' });
    expect(asked.requests).toHaveLength(3);
  });

  it('however long it may be taken without asking, it is not older than may stand in', async () => {
    const { registry, clock } = remembered(HOST, { maxAgeMs: 30 * DAY, maxIndexAgeMs: 1000 });
    asked.next(document(['1.2.3']));
    await registry.read(LIDAR);
    clock.advance(1000);
    expect(await registry.read(LIDAR)).toMatchObject({ source: 'network' });
  });

  it('offline nobody is asked', async () => {
    const machine = remembered(HOST);
    asked.next(document(['1.2.3']));
    await machine.registry.read(LIDAR);
    const offline = remembered(HOST, { isOffline: true, saved: undefined });
    expect(await outcomeOf(offline.registry.read(LIDAR))).toBe(
      `registry-unreachable: offline, the registry ${HOST} is not asked, and no list of acme:lidar is saved`,
    );
    const [reading] = (await offline.registry.readAll([LIDAR])).values();
    expect(reading).toMatchObject({ ok: false, error: { kind: 'registry-unreachable' } });
    expect(asked.requests).toHaveLength(1);
  });
});

/** What `1.*` means after each of the lists, and why nothing else. */
async function story(...lists: readonly (readonly object[])[]): Promise<string[]> {
  const machine = remembered(HOST);
  const meanings: string[] = [];
  for (const [place, list] of lists.entries()) {
    asked.next(document(list, { generation: place }));
    const { records, changedDigests } = await machine.restarted().read(LIDAR);
    const resolution = resolve(constraint('1.*'), indexReleases(records), {
      now: 0,
      changedDigests,
    });
    meanings.push([chosen(resolution) ?? 'none', ...refusals(resolution)].join(', '));
  }
  return meanings;
}

/** Releases with 51,000 digests. */
function many(major: number): object[] {
  return Array.from({ length: 51 }, (_, minor) => ({
    version: `${major}.${minor}.0`,
    artifacts: Array.from({ length: 1000 }, (_unused, place) => ({
      platform: `p${place}`,
      digest: 'sha1:aa',
    })),
  }));
}

describe('[D22] [T30] a digest that changed', () => {
  it.each<[string, readonly (readonly object[])[], readonly string[]]>([
    [
      'refuses that release alone',
      [
        [built('1.1.0', 'sha256:aa'), built('1.0.0', 'sha256:cc')],
        [built('1.1.0', 'sha256:bb'), built('1.0.0', 'sha256:cc')],
      ],
      ['1.1.0, 1.0.0: older', '1.0.0, 1.1.0: digest-changed'],
    ],
    [
      'until it is the first again',
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
      'is remembered while the release is away',
      [[built('1.1.0', 'sha256:aa')], [], [built('1.1.0', 'sha256:bb')]],
      ['1.1.0', 'none', 'none, 1.1.0: digest-changed'],
    ],
    [
      'is one too when it is left out',
      [[built('1.1.0', 'sha256:aa')], [built('1.1.0')]],
      ['1.1.0', 'none, 1.1.0: digest-changed'],
    ],
    [
      'is one too under another name of the platform',
      [[built('1.1.0', 'sha256:aa', 'linux/x86_64')], [built('1.1.0', 'sha256:bb')]],
      ['1.1.0', 'none, 1.1.0: digest-changed'],
    ],
    [
      'is one too when the release is for any platform now',
      [[built('1.1.0', 'sha256:aa')], [built('1.1.0', 'sha256:bb', 'any')]],
      ['1.1.0', 'none, 1.1.0: digest-changed'],
    ],
    [
      'is one too when half of the platform is any now',
      [[built('1.1.0', 'sha256:aa')], [built('1.1.0', 'sha256:bb', 'any/amd64')]],
      ['1.1.0', 'none, 1.1.0: digest-changed'],
    ],
    [
      'is one too when no artifacts are listed any more',
      [[built('1.1.0', 'sha256:aa')], [{ version: '1.1.0' }]],
      ['1.1.0', 'none, 1.1.0: digest-changed'],
    ],
    [
      'is one too when a digest of another kind takes its place',
      [[built('1.1.0', 'sha1:aa')], [built('1.1.0', 'sha256:bb')]],
      ['1.1.0', 'none, 1.1.0: digest-changed'],
    ],
    [
      'is none where it was not known',
      [[built('1.1.0')], [built('1.1.0', 'sha256:aa')]],
      ['1.1.0', '1.1.0'],
    ],
    [
      'is none on another platform',
      [[built('1.1.0', 'sha256:aa')], [built('1.1.0', 'sha256:bb', 'linux/arm64')]],
      ['1.1.0', '1.1.0'],
    ],
  ])('%s', async (_, lists, meanings) => {
    expect(await story(...lists)).toEqual(meanings);
  });

  it('more than can be remembered are those of a list that went backwards', async () => {
    const { registry } = remembered(HOST);
    for (const major of [1, 2]) {
      asked.next(document(many(major), { generation: major }));
      await registry.read(LIDAR);
    }
    asked.next(document([], { generation: 3 }));
    expect(await outcomeOf(registry.read(LIDAR))).toBe(
      `registry-regressed: the list of acme:lidar at ${HOST} went backwards: 102000 digests were changed or taken away`,
    );
  });
});

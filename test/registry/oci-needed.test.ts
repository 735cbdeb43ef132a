import { describe, expect, it } from 'vitest';
import { ociContents, ociRepository } from '../../mocks/oci-registry.ts';
import { answers, HOST } from '../../mocks/scripted-registry.ts';
import { DEFAULT_POLICY } from '../../src/config/index.ts';
import { readDeployed, type ModuleState } from '../../src/core/index.ts';
import { wantedBy } from '../../src/registry/wanted.ts';
import { wantedFor } from '../../src/registry/wanted-release.ts';
import { constraint, version } from '../support/ask.ts';
import { LIDAR, remembered } from './support/remembered.ts';

const asked = answers();
const NAME = 'acme/lidar';
const NOW = Date.parse('2026-11-21T01:02:03Z');
const OLD = '2026-11-01T00:00:00Z';
const DAY = 86_400_000;

/** The repository with these tags, each with a file of its own that claims to be old. */
function publish(...tags: readonly string[]): void {
  const releases = tags.map((tag) => [tag, { body: Buffer.from(tag), created: OLD }]);
  asked.next(ociRepository(NAME, ociContents(Object.fromEntries(releases))));
}

/** The manifests that were asked for, in order. */
function manifests(): string[] {
  return asked.requests.flatMap((line) => /manifests\/(.*)$/.exec(line)?.[1] ?? []);
}

describe('[D140] reads the manifests of what a machine may need', () => {
  const [none, deployed] = [readDeployed(null), readDeployed('1.1.0')];
  const quarantine = [{ version: '1.3.0', until: undefined }];
  it.each<readonly [string, Omit<ModuleState, 'list'>, string, readonly string[]]>([
    [
      'nothing is deployed: also what a failure leads to',
      { deployed: none },
      '1.*',
      ['1.3.0', '1.2.0'],
    ],
    ['what is deployed', { deployed }, '1.*', ['1.3.0', '1.1.0']],
    [
      'what was before',
      { deployed, previous: version('1.0.0') },
      '1.*',
      ['1.3.0', '1.1.0', '1.0.0'],
    ],
    [
      'a quarantined newest one',
      { deployed: none, quarantine },
      '1.*',
      ['1.3.0', '1.2.0', '1.1.0'],
    ],
    ['a pin', { deployed }, '1.2.0', ['1.2.0', '1.1.0']],
    [
      'a failed one',
      { deployed: none, failed: version('1.3.0'), quarantine },
      '1.*',
      ['1.3.0', '1.2.0', '1.1.0'],
    ],
    ['what is not published', { deployed: readDeployed('0.1.0') }, '1.*', ['1.3.0', '1.2.0']],
  ])('%s', async (_, facts, text, read) => {
    publish('1.0.0', '1.1.0', '1.2.0', '1.3.0');
    const { registry } = remembered(`oci:${HOST}`);
    const of = { kind: 'module', name: 'lidar' } as const;
    const { terms } = DEFAULT_POLICY;
    const needed = [{ of, moduleId: LIDAR, terms, constraint: constraint(text) }];
    const wanted = wantedBy(needed, { now: NOW, platform: 'linux/arm64' }, () => facts);
    await registry.read(LIDAR, undefined, wanted);
    expect(manifests()).toEqual(read);
    asked.requests.length = 0;
    await registry.read(LIDAR, undefined, wanted);
    expect(manifests()).toEqual([]);
  });

  it('what is selected when a release claims to be older than this machine knows it', async () => {
    publish('1.0.0', '1.1.0');
    const { registry, clock } = remembered(`oci:${HOST}`);
    await registry.read(LIDAR);
    clock.advance(DAY);
    publish('1.0.0', '1.1.0', '1.2.0');
    const minimumAge = { ms: 7 * DAY, unknown: 'refuse' } as const;
    const eligibility = { now: NOW + DAY, platform: 'linux/arm64', minimumAge } as const;
    const terms = { eligibility, deployed: readDeployed(null), quarantine: [] };
    await registry.read(LIDAR, undefined, () => [wantedFor(constraint('1.*'), terms)]);
    expect(manifests()).toEqual(['1.2.0', '1.1.0']);
  });
});

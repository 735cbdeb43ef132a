import fc from 'fast-check';
import { parseVersion, type Artifact, type ReleaseRecord } from '../../src/core/index.ts';
import { clockFaults, constraintTexts, releaseRecords, rollouts } from './arbitrary.ts';
import { NOW } from './decides.ts';
import type { JudgedModule } from './judged-machine.ts';
import { wishes } from './machine-wish.ts';
import { around, hours, oneIn, terms, versionsNearby } from './random-terms.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

export interface RandomModule extends JudgedModule {
  readonly list: readonly ReleaseRecord[] | undefined;
}

/** Files that a machine may download, and files that it must not. */
const FILES: readonly (readonly Artifact[])[] = [
  { url: 'https://files.example/a', digest: `sha256:${'0a'.repeat(32)}` },
  { url: 'https://files.example/a', digest: 'sha1:0a' },
  { url: 'https://files.example/a' },
  { url: 'http://localhost/a', digest: `sha512:${'0a'.repeat(64)}` },
  { url: 'http://files.example/a', digest: `sha256:${'0a'.repeat(32)}` },
  { url: 'http://169.254.169.254/a', digest: `sha256:${'0a'.repeat(32)}` },
  { url: 'file:///etc/shadow' },
].map((file) => [{ platform: 'any', ...file }]);

/** Mostly eligible releases, and a few of the unusual ones of other tests. */
const records: fc.Arbitrary<ReleaseRecord> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      version: versionsNearby,
      publishedAt: fc.option(around(-90, 5), { nil: undefined }),
      yanked: oneIn(10, fc.constantFrom('', 'broken')),
      deprecated: oneIn(6, fc.constant('old')),
      artifacts: oneIn(8, fc.constantFrom([{ platform: 'linux/arm64' }], ...FILES)),
      rollout: oneIn(3, rollouts),
      floor: oneIn(4, fc.constant(true as const)),
    }),
  },
  {
    weight: 1,
    // Their publish times are near 1970.
    arbitrary: releaseRecords,
  },
);

const USUALLY = ['one of the list', 'one of the list', 'any', 'any'] as const;

/** Modules of a machine. Most versions and constraints come from their lists. */
export const randomModules: fc.Arbitrary<RandomModule> = fc
  .record({
    list: fc.option(fc.array(records, { maxLength: 10 }), { nil: undefined, freq: 12 }),
    anyConstraint: fc.oneof(versionsNearby, constraintTexts),
    kind: fc.constantFrom('any', 'patch', 'minor', 'major', 'latest'),
    places: fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9), fc.nat(9)),
    other: versionsNearby,
    deployedKind: fc.constantFrom(...USUALLY, ...USUALLY, 'any', 'none', 'none', 'unknown', 'junk'),
    confirmedAt: oneIn(4, around(-60, 0)),
    seen: oneIn(
      2,
      fc.record({ yank: around(-50, 0), releases: fc.array(around(-60, 0), { maxLength: 10 }) }),
    ),
    readAt: oneIn(
      2,
      fc.integer({ min: -75, max: 0 }).map((minutes) => NOW + minutes * MINUTE),
    ),
    clock: oneIn(3, clockFaults(NOW)),
    failed: fc.array(
      fc.record({ place: fc.nat(9), until: fc.option(around(-5, 60), { nil: undefined }) }),
      { maxLength: 3 },
    ),
    isFailed: fc.boolean(),
    hasFailed: oneIn(4, fc.nat(9)),
    request: oneIn(4, fc.record({ isImmediate: fc.boolean() })),
    hold: oneIn(8, fc.record({ from: around(-5, 0), ms: hours(1, 12) })),
    wish: oneIn(4, wishes),
    skipped: oneIn(4, fc.array(fc.nat(9), { minLength: 1, maxLength: 3 })),
    restarts: oneIn(
      2,
      fc.array(fc.oneof(fc.nat(170), fc.nat(170), fc.integer({ min: -300, max: 0 })), {
        maxLength: 5,
      }),
    ),
    terms,
  })
  .map(({ list, places, other, failed, restarts = [], ...random }) => {
    const versions = (list ?? [])
      .map(({ version }) => version)
      .filter((text) => parseVersion(text).ok);
    const at = (place: number): string => versions[place % Math.max(versions.length, 1)] ?? other;
    const texts = { none: null, unknown: undefined, junk: 'reload-1', any: other } as const;
    const { deployedKind } = random;
    const deployed = deployedKind === 'one of the list' ? at(places[0]) : texts[deployedKind];
    const quarantine = failed.map(({ place, until }) => ({ version: at(place), until }));
    if (random.isFailed && typeof deployed === 'string')
      quarantine.push({ version: deployed, until: undefined });
    const asked = constraintAbout(at(places[1]), random.kind) ?? random.anyConstraint;
    const { terms: by, confirmedAt, readAt, clock, hasFailed, request, hold } = random;
    const firstSeen = random.seen && firstSeenOf(random.seen, versions, deployed);
    const restartedAt = restarts.map((tens) => NOW - tens * 10 * MINUTE);
    const lastFailed = hasFailed === undefined ? undefined : at(hasFailed);
    if (random.isFailed && lastFailed !== undefined)
      quarantine.push({ version: lastFailed, until: undefined });
    const previous = at(places[2]);
    const wish = random.wish && {
      ...random.wish,
      from: random.wish.from === 'deployed' ? deployed : other,
      to: at(random.wish.place),
    };
    const skipped = random.skipped?.map(at);
    const ofOperators = { request, hold, wish, skipped };
    const known = { list, deployed, previous, failed: lastFailed, quarantine, ...ofOperators };
    const past = { restarts: restartedAt, confirmedAt, readAt, clock, firstSeen };
    return Object.assign(known, past, { constraint: asked, terms: by });
  });

/** When the first releases of the list were first seen, and that the deployed one is yanked. */
function firstSeenOf(
  { yank, releases }: { readonly yank: number; readonly releases: readonly number[] },
  versions: readonly string[],
  deployed: string | null | undefined,
): NonNullable<JudgedModule['firstSeen']> {
  const spans = releases.flatMap((at, place) => {
    const text = versions[place];
    return text === undefined ? [] : [[text, { after: -Infinity, at }] as const];
  });
  const ofYank = { after: yank, at: yank + HOUR };
  return {
    since: NOW - 60 * HOUR,
    added: new Map([...spans, [`yanked ${deployed ?? ''}`, ofYank]]),
  };
}

function constraintAbout(text: string, kind: string): string | undefined {
  const [major, minor] = text.split('.');
  const about = {
    patch: text,
    minor: `${major}.${minor}.*`,
    major: `${major}.*`,
    latest: 'latest',
  };
  return (about as Record<string, string | undefined>)[kind];
}

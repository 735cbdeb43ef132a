import fc from 'fast-check';
import {
  indexReleases,
  parseVersion,
  planMachine,
  readDeployed,
  type Decision,
  type ModuleState,
  type Plan,
  type Artifact,
  type ReleaseRecord,
  type Replacement,
} from '../../src/core/index.ts';
import type { RefusedVersions } from '../../src/core/releases/eligibility-policy.ts';
import type { MaintenanceAnswer } from '../../src/core/decision/timing-policies.ts';
import type { ModuleEntry } from '../../src/core/machine/machine.ts';
import { DEFAULT_TERMS, type UpdateTerms } from '../../src/core/machine/update-policy.ts';
import { satisfiesRange } from '../../src/registry/npm-range.ts';
import { constraint, moduleId } from './ask.ts';
import { clockFaults, constraintTexts, releaseRecords, rollouts } from './arbitrary.ts';
import { openFrom } from './decided.ts';
import { NOW } from './decides.ts';
import { machineHold } from './machine-hold.ts';
import { wishedFor, wishes } from './machine-wish.ts';
import { agentOf } from './planned.ts';
import { around, hours, oneIn, terms, versionsNearby } from './random-terms.ts';
import type { JudgedMachine, JudgedModule } from './plan-judge.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

export interface RandomModule extends JudgedModule {
  readonly list: readonly ReleaseRecord[] | undefined;
}

/** A machine with its lists, its policy and its clock, as plain data. */
export interface RandomMachine extends JudgedMachine {
  readonly platform: 'linux/amd64' | 'linux/arm64';
  readonly answer: MaintenanceAnswer | undefined;
  readonly modules: readonly RandomModule[];
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

const modules: fc.Arbitrary<RandomModule> = fc
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

const rarely = oneIn(20, fc.constant(true)).map((value) => value ?? false);

/** Machines with one to three modules. Most versions and constraints come from their lists. */
export const machines: fc.Arbitrary<RandomMachine> = fc.record({
  now: fc.constant(NOW),
  platform: fc.constantFrom('linux/amd64' as const, 'linux/arm64' as const),
  machineId: fc.constantFrom('rover-7', 'rover-7', 'rover-8', undefined),
  group: fc.constantFrom(undefined, undefined, 'canary', 'lab', 'office'),
  isAsOf: fc.boolean(),
  isServerBusy: rarely,
  answer: oneIn(4, fc.constantFrom('allowed', 'allowed', 'not-allowed', 'failed', 'missing')),
  isDisabled: rarely,
  modules: fc.array(modules, { minLength: 1, maxLength: 3 }),
});

const RANGES = ['1.*', '2.*', '>=1.1', '<1.1', '>=1.0.2', '1.0.0 || 2.*', '*', 'latest'];

/** Few releases require something, and what they do is mostly on some machines. */
const required = oneIn(
  2,
  fc.dictionary(
    fc.constantFrom('acme:m0', 'acme:m1', 'acme:m2', 'tags'),
    fc.array(fc.constantFrom(...RANGES), { minLength: 1, maxLength: 2 }),
    { minKeys: 1, maxKeys: 2 },
  ),
);

/** Machines whose releases require something of the other modules, or tags. (D86) */
export const requiringMachines: fc.Arbitrary<RandomMachine> = fc
  .tuple(machines, fc.array(required, { minLength: 30, maxLength: 30 }))
  .map(([machine, all]) => {
    const modules = machine.modules.map(({ list, ...module }, at): RandomModule => {
      const requiring = list?.map((record, place) =>
        Object.assign({}, record, { requires: all[at * 10 + place] }),
      );
      return Object.assign({}, module, { list: requiring });
    });
    return Object.assign({}, machine, { modules, tags: ['1.*', '2.*', '*'] });
  });

const DISABLED = agentOf({ 'platform-server': { disable_subsystem: true } });

/** The plan of the product. */
export function planOf({ modules: all, isDisabled, isAsOf, ...machine }: RandomMachine): Plan {
  const entries = all.map((module, place): ModuleEntry => {
    const [id, asked] = [moduleId(`acme:m${place}`), constraint(module.constraint)] as const;
    const name = nameAt(place);
    return { type: 'registry', name, moduleId: id, env: {}, constraint: asked, extra: {} };
  });
  return planMachine({
    ...machine,
    machine: { components: [], modules: entries, agent: isDisabled ? DISABLED : agentOf({}) },
    policy: {
      terms: DEFAULT_TERMS,
      modules: new Map(all.map((module, place) => [nameAt(place), termsOf(module, place)])),
    },
    laterReleases: isAsOf ? 'refuse' : 'allow',
    modules: new Map(all.map((module, place) => [nameAt(place), knownOf(module)])),
    subsystems: new Map(),
    requirements: { satisfies: satisfiesRange, systemTags: () => machine.tags ?? [] },
  });
}

function nameAt(place: number): string {
  return `m${place}`;
}

function termsOf(
  { terms: { minimumAge, openings, ...of } }: RandomModule,
  place: number,
): UpdateTerms {
  const { exempt, ...age } = minimumAge;
  const id = `acme:m${place}`;
  return {
    ...DEFAULT_TERMS,
    minimumAge: age,
    ageExempt: exempt && new Map([[id, exempt]]),
    refuse: of.refuse && new Map([[place % 2 === 0 ? id : '*', of.refuse.map(refused)]]),
    window: openings && openFrom(...openings),
    blackouts: of.blackouts,
    allowDowngrade: of.allowDowngrade,
    onYank: of.replacesYanked ? 'replace' : 'keep',
    requireDigest: of.requireDigest,
    restartCooldownMs: of.restMs,
    restartCeiling: of.ceiling,
    maxIndexAgeMs: of.maxIndexAgeMs,
  };
}

function refused(text: string): RefusedVersions {
  // Each is a version or a branch.
  return { versions: constraint(text) as RefusedVersions['versions'] };
}

function knownOf({
  list,
  confirmedAt,
  readAt,
  clock,
  firstSeen,
  deployed,
  ...module
}: RandomModule): ModuleState {
  const before = parseVersion(module.previous);
  const failed = parseVersion(module.failed);
  const { restarts, quarantine, request, hold, wish, skipped } = module;
  return {
    list: list
      ? {
          index: indexReleases(list),
          readAt,
          clock,
          firstSeen,
          stale: confirmedAt === undefined ? undefined : { confirmedAt, message: 'down' },
        }
      : { error: { kind: 'registry-unreachable', message: 'down' } },
    deployed: readDeployed(deployed),
    previous: before.ok ? before.value : undefined,
    failed: failed.ok ? failed.value : undefined,
    restarts,
    quarantine,
    skippedFloors: skipped?.map((text) => {
      return { version: text, by: 'sam', because: 'by hand', at: NOW };
    }),
    restartRequest: request && { requestedAt: NOW - HOUR, ...request },
    upgradeRequest: wish && wishedFor(wish),
    holds: hold && [machineHold(hold)],
  };
}

/** The decision on each module: `upgrade 1.2.9`, `hold upgrade 1.2.9`, `ahead`, `stuck no-match`. */
export function answersOf({ modules: planned }: Plan): string[] {
  return planned.map(({ decision }) => answerOf(decision));
}

export function answerOf(decision: Decision): string {
  switch (decision.kind) {
    case 'keep':
      return decision.because;
    case 'replace':
      return `${decision.direction} ${versionOf(decision)}`;
    case 'hold':
      return `hold ${decision.replacement.direction} ${versionOf(decision.replacement)}`;
    case 'stuck':
      return `stuck ${decision.code}`;
  }
}

function versionOf({ to }: Replacement): string {
  return 'url' in to ? to.url : to.version.text;
}

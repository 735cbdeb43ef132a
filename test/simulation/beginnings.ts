import { chanceOf, type Chance } from './chance.ts';
import { newRelease, publishing, yanking } from './published.ts';
import { simulatedRegistry, type Features, type SimulatedRegistry } from './simulated-registry.ts';
import type { DesiredModule, DesiredTerms, Desired } from './desired.ts';
import type { Settings, Conditions } from './world.ts';

/** Longer than any poller waits for a response. */
export const LATE_MS = 700_000;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const ADDRESSES = ['https://one.example', 'https://two.example'] as const;
const NAMES = ['a', 'b', 'c', 'd'] as const;

/** `point` is where the process is to be killed. Some points are reached only under special settings. */
export function settingsOf(chance: Chance, point: string): Settings {
  const settings = {
    intervalMs: chance.one([MINUTE, MINUTE, MINUTE, 5 * SECOND, 10 * MINUTE, 6 * HOUR]),
    acknowledgeWithinMs: chance.one([MINUTE, MINUTE, 5 * MINUTE, 30 * MINUTE]),
    asksForMaintenance: chance.is(0.3),
    isFastStart: chance.is(0.2),
  };
  if (point.endsWith('ask for maintenance')) return { ...settings, asksForMaintenance: true };
  if (!point.endsWith('withdraw')) return settings;
  return { ...settings, intervalMs: MINUTE, acknowledgeWithinMs: MINUTE };
}

export function conditionsOf(chance: Chance, point: string): Conditions {
  const conditions: Conditions = {
    desired: desiredOf(chance),
    configuration: 'available',
    isServerBusy: false,
    // Has no effect when the agent has no maintenance callback.
    maintenance: chance.one(['allowed', 'allowed', 'not allowed', 'throws', 'hangs']),
    lateMs: chance.is(0.08) ? LATE_MS : 0,
    isClockRight: true,
    deployedVersion: 'known',
    consumer: chance.one(['prompt', 'prompt', 'slow', 'forgets', 'repeats']),
    broken: chance.one([0, 0.1, 0.4]),
    obstructed: chance.one([0, 0.1, 0.4]),
    longestDownloadMs: MINUTE,
  };
  if (point.endsWith('acknowledge failed')) return { ...conditions, broken: 1 };
  const isReport = /(reportFailure|report a failure)$/.test(point);
  if (isReport) return { ...conditions, broken: 1, obstructed: 0, consumer: 'prompt' };
  return point.endsWith('withdraw') ? { ...conditions, consumer: 'forgets' } : conditions;
}

/** What modreg's own agent has: downloads that outlast a window and, more often than other agents, a maintenance callback. */
export function ownTermsOf(
  chance: Chance,
  { intervalMs, asksForMaintenance }: Settings,
): {
  readonly settings: Pick<Settings, 'asksForMaintenance'>;
  readonly conditions: Pick<Conditions, 'longestDownloadMs'>;
} {
  const longest = chance.one([MINUTE, 5 * intervalMs, 20 * intervalMs, 6 * HOUR]);
  return {
    settings: { asksForMaintenance: asksForMaintenance || chance.is(0.4) },
    conditions: { longestDownloadMs: Math.max(MINUTE, longest) },
  };
}

const UNPINNED = { pin: undefined, pinUrl: undefined };

export function desiredOf(chance: Chance): Desired {
  const modules = NAMES.slice(0, chance.one([1, 1, 2, 2, 3, NAMES.length])).map(
    (name): DesiredModule => {
      const moduleId = `acme:${chance.is(0.1) ? 'a' : name}`;
      return { name, moduleId, isLocal: chance.is(0.05), constraint: constraintOf(chance) };
    },
  );
  const names = modules.map(({ name }) => name);
  // A module needs only modules earlier in the alphabet, so there is no cycle.
  const own = modules.filter(({ name, moduleId }) => moduleId === `acme:${name}`);
  const needs = own.flatMap(({ name }, place) =>
    own.slice(0, place).flatMap((on) => (chance.is(0.3) ? [[name, on.name] as const] : [])),
  );
  const terms = termsOf(chance);
  return {
    modules,
    needs,
    terms,
    ...requirementTermsOf(chanceOf(terms.restMs, JSON.stringify([names, terms]))),
    server: { channel: chance.one(['stable', 'latest']), ...UNPINNED, isDisabled: false },
    agent: UNPINNED,
    own: Object.fromEntries(
      names.filter(() => chance.is(0.3)).map((name) => [name, termsOf(chance)]),
    ),
  };
}

/** What the policy says about requirements. Its own numbers leave those of all else as they were. */
export function requirementTermsOf(chance: Chance): Pick<Desired, 'provides' | 'tags'> {
  return {
    provides: chance.one([
      {},
      { 'platform-server': '1.4.0' },
      { 'platform:server': '3.0.0', 'acme:b': '1.0.0' },
      { 'acme:b': '1.0.0', 'acme:c': '1.5.0-rc.1' },
    ]),
    tags: chance.one([[], ['rack:b4'], ['rack:b4', 'indoor']]),
  };
}

export function constraintOf(chance: Chance): string {
  return chance.one([
    'latest',
    '1.*',
    '1.*',
    '1.0.*',
    '1.1.*',
    '2.*',
    'latest-with-prerelease',
    `1.${chance.below(2)}.${chance.below(3)}`,
  ]);
}

export function termsOf(chance: Chance): DesiredTerms {
  const minute = 60 * chance.below(24) + chance.one([0, 30]);
  const age = (): number => chance.one([0, 10 * MINUTE, DAY]);
  return {
    registry: chance.one(ADDRESSES),
    minimumAgeMs: chance.one([0, 0, 0, 10 * MINUTE, DAY]),
    unknownAge: chance.one(['refuse', 'allow']),
    windows: chance.one([
      [],
      [],
      [],
      [{ minute, minutes: chance.one([1, 30, 600]) }],
      [
        { minute: 0, minutes: 720 },
        { minute: 600, minutes: 240 },
      ],
    ]),
    allowDowngrade: chance.is(0.8),
    onYank: chance.one(['keep', 'replace']),
    requireDigest: chance.is(0.8),
    quarantineMs: chance.one([undefined, 10 * MINUTE, DAY]),
    restMs: chance.one([5 * MINUTE, 5 * MINUTE, MINUTE, HOUR]),
    ceiling: chance.one([12, 12, 2, 1]),
    maxIndexAgeMs: chance.one([7 * DAY, 7 * DAY, HOUR]),
    byStepMs: chance.is(0.25) ? { major: age(), minor: age(), patch: age() } : undefined,
    refuse: chance.is(0.2) ? [chance.one(['1.0.*', '1.1.*', '2.*', '1.0.1', '1.1.0', '0.*'])] : [],
  };
}

export const MODULES: readonly string[] = [
  'acme:a',
  'acme:b',
  'acme:c',
  'acme:d',
  'platform:agent',
  'platform:server',
];

/** Long-polling at a longer interval costs many events and adds little coverage. */
const LONGEST_WITH_FEED_MS = MINUTE;

export function registriesOf(
  chance: Chance,
  now: number,
  { intervalMs }: Settings,
): SimulatedRegistry[] {
  return ADDRESSES.map((address) => {
    const features: Features = {
      feed: chance.one(['none', 'short', intervalMs > LONGEST_WITH_FEED_MS ? 'short' : 'long']),
      etags: chance.one(['good', 'good', 'none', 'one for all']),
      spreadMs: chance.one([0, 1000, 60_000]),
      hasHistory: chance.is(0.7),
    };
    const registry = simulatedRegistry(address, features, chance);
    for (const moduleId of MODULES) {
      for (let count = 1 + chance.below(4); count > 0; count--) {
        const { releases } = registry.truth(moduleId);
        const at = now - chance.between(0, 3 * DAY);
        registry.revise(moduleId, publishing(newRelease(releases, chance, at)));
      }
      if (chance.is(0.2)) registry.revise(moduleId, yanking(chance));
    }
    return registry;
  });
}

/** The deployed version when a machine is first observed; `null` when nothing is installed. */
export function firstRunning(chance: Chance): string | null {
  return chance.one(['1.0.0', '1.0.0', '1.0.1', '1.1.0', '0.9.0', '2.0.0-rc.1', 'reload-7', null]);
}

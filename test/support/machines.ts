import fc from 'fast-check';
import {
  indexReleases,
  parseVersion,
  planMachine,
  readDeployed,
  type Decision,
  type ModuleState,
  type Plan,
  type Replacement,
  type ReleaseRecord,
} from '../../src/core/index.ts';
import type { RefusedVersions } from '../../src/core/releases/eligibility-policy.ts';
import type { MaintenanceAnswer } from '../../src/core/decision/timing-policies.ts';
import type { ModuleEntry } from '../../src/core/machine/machine.ts';
import { DEFAULT_TERMS, type UpdateTerms } from '../../src/core/machine/update-policy.ts';
import { satisfiesRange } from '../../src/registry/npm-range.ts';
import { constraint, moduleId } from './ask.ts';
import { openFrom } from './decided.ts';
import { NOW } from './decides.ts';
import { machineHold } from './machine-hold.ts';
import { wishedFor } from './machine-wish.ts';
import { agentOf } from './planned.ts';
import type { JudgedMachine } from './judged-machine.ts';
import { randomModules, type RandomModule } from './random-modules.ts';
import { oneIn } from './random-terms.ts';

const HOUR = 3_600_000;

/** A machine with its lists, its policy and its clock, as plain data. */
export interface RandomMachine extends JudgedMachine {
  readonly platform: 'linux/amd64' | 'linux/arm64';
  readonly answer: MaintenanceAnswer | undefined;
  readonly modules: readonly RandomModule[];
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
  modules: fc.array(randomModules, { minLength: 1, maxLength: 3 }),
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
  if ('isLocal' in to) return 'local';
  return 'url' in to ? to.url : to.version.text;
}

/** The machine with other lists. */
export function withLists(
  machine: RandomMachine,
  change: (list: readonly ReleaseRecord[], module: RandomModule) => readonly ReleaseRecord[],
): RandomMachine {
  const modules = machine.modules.map((module): RandomModule => ({
    ...module,
    list: module.list && change(module.list, module),
  }));
  return { ...machine, modules };
}

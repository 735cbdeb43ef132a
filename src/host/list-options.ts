import type { OpenRegistry } from '../registries/open-registries.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { wantedFor, type Wanted } from '../registry/wanted-release.ts';
import type { ReleaseList } from '../registry/registry.ts';
import {
  parsePlatform,
  type Constraint,
  type Eligibility,
  type ModuleId,
  type Platform,
  type Result,
} from '../core/index.ts';
import { eligibilityOf, type ModuleTerms } from '../core/decision/eligibility-of.ts';
import { PLATFORMS } from '../core/releases/platform.ts';
import { describeDuration, parseDuration } from '../core/text/duration.ts';
import { quote } from '../core/text/quote.ts';
import { sampleCatalogue } from '../registry/sample-catalogue.ts';
import { parseProblem, registryProblem, type Outcome, type Problem } from '../base/problem.ts';
import { askedTime } from './asked-time.ts';
import { groupOf, machineIdOf, unknownIdWarning } from './machine-id.ts';
import { commandRegistries, type CommandRegistries } from './command-registries.ts';
import { readPolicy, type RegistryOptions } from './registry-choice.ts';
import type { World } from '../base/world.ts';

/** The options that select the list, the platform and the time of a query. */
export interface ListOptions extends RegistryOptions {
  readonly platform?: string;
  readonly at?: string;
  readonly maxAge?: string;
  readonly offline?: true;
}

/** The part of a module's terms that a machine's file has, for a query without one. */
export const NO_STATE = { deployed: { kind: 'unknown' }, quarantine: [] } as const;

/** The parsed list options. */
export interface ListQuery {
  /** What refuses releases besides the list. */
  readonly terms: ModuleTerms;
  /** The id of this machine, which rollouts use, or why it is not known. */
  readonly machineId: Result<string | undefined, Problem>;
  readonly registries: CommandRegistries;
  /** Undefined if no registry is named: then the sample catalogue is used. */
  readonly registry: OpenRegistry | undefined;
  readonly clock: () => number;
}

const SAMPLE_NOTE =
  'note: no registry is named, so the built-in sample catalogue is used (--registry names one)';

/** Parses the options, and reports every one that cannot be parsed. */
export async function readListOptions(
  options: ListOptions,
  world: World,
): Promise<Result<ListQuery, Problem[]>> {
  const platform = platformOf(options, world);
  const at = options.at === undefined ? undefined : askedTime(options.at, world.clock());
  const maxAge = readMaxAge(options.maxAge);
  const policy = await readPolicy(options);
  const maxAgeMs = maxAge.ok ? maxAge.value : 0;
  const registries = commandRegistries({ ...options, maxAgeMs }, world);
  const registry = policy.ok ? registries.open(policy.value.terms) : undefined;
  if (platform.ok && at?.ok !== false && maxAge.ok && policy.ok && registry?.ok === true) {
    const now = at?.value ?? world.clock();
    const machineId = machineIdOf(world);
    const eligibility = {
      platform: platform.value,
      now,
      notAfter: at?.value,
      machineId: machineId.ok ? machineId.value : undefined,
      group: groupOf(world) ?? policy.value.group,
    };
    const known = { machineId, registries, registry: registry.value };
    const clock = (): number => world.clock();
    return { ok: true, value: { ...known, terms: { ...NO_STATE, eligibility }, clock } };
  }
  const problems = [
    ...(platform.ok ? [] : [platform.error]),
    ...(at?.ok === false ? [parseProblem(at.error)] : []),
    ...(maxAge.ok ? [] : [maxAge.error]),
    ...(policy.ok ? [] : [policy.error]),
    ...(registry?.ok === false ? [registry.error] : []),
  ];
  return { ok: false, error: problems };
}

/** Reads the list of a module and returns the outcome of `present`, or the problem that there is no list. */
export async function withList(
  { registries, registry, terms, machineId, clock: now }: ListQuery,
  moduleId: ModuleId,
  options: ListOptions & { readonly constraint?: Constraint | undefined },
  present: (list: ReleaseList, eligibility: Eligibility) => Outcome,
): Promise<Outcome> {
  const notes = registry || options.json ? [] : [SAMPLE_NOTE];
  const { warnings } = registries;
  const { constraint } = options;
  const wanted: Wanted = () => (constraint ? [wantedFor(constraint, terms)] : []);
  try {
    const list = registry
      ? await registries.read(registry, moduleId, wanted)
      : await sampleCatalogue.read(moduleId);
    const { changedDigests, fetchedAt, trust } = list;
    const isNow = terms.eligibility.notAfter === undefined;
    // The time of `--at` is no clock's, and what was read has been published by then (D34).
    const clock = isNow ? list.clock : undefined;
    const firstSeen = isNow ? list.firstSeen : seenBy(list);
    // With `--at`, the list counts as confirmed at that time.
    const readAt = isNow ? fetchedAt : undefined;
    const known = { changedDigests, firstSeen, trust, clock, readAt };
    const outcome = present(list, eligibilityOf(terms, known));
    const ofId = unknownIdWarning(machineId, [list]);
    const ofList = staleWarning(list, now());
    const problems = [...outcome.problems, ...ofId, ...ofList, ...warnings];
    return { ...outcome, notes: [...notes, ...outcome.notes], problems };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { answer: [], notes, problems: [registryProblem(error), ...warnings] };
  } finally {
    registries.close();
  }
}

/** The first-seen times of a list, none of them later than when it was read. */
function seenBy({ firstSeen, fetchedAt = Infinity }: ReleaseList): Eligibility['firstSeen'] {
  return firstSeen && { ...firstSeen, since: Math.min(firstSeen.since, fetchedAt) };
}

export function readMaxAge(text: string | undefined): Result<number, Problem> {
  const ms = text === undefined ? ({ ok: true, value: 0 } as const) : parseDuration(text);
  if (ms.ok) return ms;
  const message = `--max-age: ${ms.error}`;
  return { ok: false, error: { severity: 'error', kind: 'usage', message } };
}

function staleWarning({ stale, fetchedAt }: ReleaseList, now: number): Problem[] {
  if (!stale || fetchedAt === undefined) return [];
  const answered = `answered from the list saved ${describeDuration(now - fetchedAt)} ago`;
  const message = `${stale.message}; ${answered}`;
  return [{ severity: 'warning', kind: 'stale-list', message, hint: stale.hint }];
}

/** The platform of `--platform`, by default that of the machine. */
export function platformOf(options: ListOptions, world: World): Result<Platform, Problem> {
  const platform = parsePlatform(options.platform ?? world.platform);
  if (platform.ok) return platform;
  if (options.platform !== undefined) return { ok: false, error: parseProblem(platform.error) };
  const error = {
    severity: 'error',
    kind: 'bad-platform',
    message: `this machine is ${quote(world.platform)}, and modules run on ${PLATFORMS.join(' and ')}`,
    hint: 'name the platform of the target machine: --platform linux/arm64',
  } as const;
  return { ok: false, error };
}

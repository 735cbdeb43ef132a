import {
  parsePlatform,
  type Eligibility,
  type ModuleId,
  type Platform,
  type Result,
} from '../../core/index.ts';
import { PLATFORMS } from '../../core/releases/platform.ts';
import { describeDuration, parseDuration } from '../../core/text/duration.ts';
import { quote } from '../../core/text/quote.ts';
import { parseTime } from '../../core/text/rfc3339.ts';
import type { CachedRegistry } from '../../registry/cached-registry.ts';
import { folderRegistry } from '../../registry/folder-registry.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import type { Registry, ReleaseList } from '../../registry/registry.ts';
import { sampleCatalogue } from '../../registry/sample-catalogue.ts';
import { databaseRegistry } from '../registry/database-registry.ts';
import type { ListTerms } from '../registry/network-registry.ts';
import { parseProblem, registryProblem, type Outcome, type Problem } from '../problem.ts';
import {
  chooseRegistry,
  type RegistryChoice,
  type RegistryOptions,
} from '../registry/registry-choice.ts';
import type { World } from '../world.ts';

/** The options that say of which list, for which platform and as of when a question is asked. */
export interface ListOptions extends RegistryOptions {
  readonly platform?: string;
  readonly at?: string;
  readonly maxAge?: string;
  readonly offline?: true;
}

/** Those options, read. */
export interface Asking {
  readonly eligibility: Eligibility;
  readonly registry: Registry;
  /** What an operator should know of how the list was had, once it was. */
  readonly warnings: Problem[];
  readonly clock: () => number;
}

const SAMPLE_NOTE =
  'note: no registry is named, so the built-in sample catalogue answers (--registry names one)';

/** Reads the options, and reports every one that cannot be read. */
export async function readListOptions(
  options: ListOptions,
  world: World,
): Promise<Result<Asking, Problem[]>> {
  const platform = platformOf(options, world);
  const at = options.at === undefined ? undefined : parseTime(options.at);
  const maxAge = readMaxAge(options.maxAge);
  const choice = await chooseRegistry(options, world);
  const warnings: Problem[] = [];
  const listed =
    maxAge.ok && choice.ok
      ? await registryOf(choice.value, { ...options, maxAgeMs: maxAge.value, warnings }, world)
      : undefined;
  if (platform.ok && at?.ok !== false && listed?.ok === true) {
    const now = at?.value ?? world.clock();
    const eligibility = { platform: platform.value, now, notAfter: at?.value };
    const clock = (): number => world.clock();
    return { ok: true, value: { eligibility, registry: listed.value, warnings, clock } };
  }
  const problems = [
    ...(platform.ok ? [] : [platform.error]),
    ...(at?.ok === false ? [parseProblem(at.error)] : []),
    ...(maxAge.ok ? [] : [maxAge.error]),
    ...(choice.ok ? [] : [choice.error]),
    ...(listed?.ok === false ? [listed.error] : []),
  ];
  return { ok: false, error: problems };
}

/** What `present` makes of the list of a module, or why there is no list. */
export async function withList(
  { registry, eligibility, warnings, clock }: Asking,
  moduleId: ModuleId,
  options: ListOptions,
  present: (list: ReleaseList, eligibility: Eligibility) => Outcome,
): Promise<Outcome> {
  const notes = registry === sampleCatalogue && !options.json ? [SAMPLE_NOTE] : [];
  try {
    const list = await registry.read(moduleId);
    const { changedDigests } = list;
    const outcome = present(list, { ...eligibility, changedDigests });
    const problems = [...outcome.problems, ...staleWarning(list, clock()), ...warnings];
    return { ...outcome, notes: [...notes, ...outcome.notes], problems };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { answer: [], notes, problems: [registryProblem(error), ...warnings] };
  }
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

/** The machine's own platform, unless one is given. */
export function platformOf(options: ListOptions, world: World): Result<Platform, Problem> {
  const platform = parsePlatform(options.platform ?? world.platform);
  if (platform.ok) return platform;
  if (options.platform !== undefined) return { ok: false, error: parseProblem(platform.error) };
  const error = {
    severity: 'error',
    kind: 'bad-platform',
    message: `this machine is ${quote(world.platform)}, and modules run on ${PLATFORMS.join(' and ')}`,
    hint: 'name the platform of the machine in question: --platform linux/arm64',
  } as const;
  return { ok: false, error };
}

type Terms = ListOptions & { readonly maxAgeMs: number; readonly warnings: Problem[] };

/** The registry of a choice; the sample catalogue where none is named. */
export async function registryOf(
  { address, terms }: RegistryChoice,
  { json, offline, maxAgeMs, warnings }: Terms,
  world: World,
): Promise<Result<Registry & Partial<CachedRegistry>, Problem>> {
  const clock = (): number => world.clock();
  switch (address?.kind) {
    case undefined:
      return { ok: true, value: sampleCatalogue };
    case 'folder':
      return { ok: true, value: folderRegistry(address.path, clock) };
    case 'database':
      return { ok: true, value: databaseRegistry(address.path, clock) };
    case 'modreg':
    case 'npm':
    case 'oci': {
      // What speaks to a network takes its time to load.
      const { networkAt, networkRegistry } = await import('../registry/network-registry.ts');
      const network = networkAt(address, terms, world);
      if (!network.ok) return network;
      const listTerms: ListTerms = {
        ...{ terms, maxAgeMs, isOffline: offline ?? false, isQuiet: json ?? false },
        onTrouble: ({ kind, message }) => {
          if (warnings.some((other) => other.kind === kind)) return;
          warnings.push({ severity: 'warning', kind, message });
        },
      };
      return { ok: true, value: networkRegistry(network.value, listTerms, world) };
    }
  }
}

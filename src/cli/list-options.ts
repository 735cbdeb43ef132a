import {
  parsePlatform,
  PLATFORMS,
  type Eligibility,
  type ModuleId,
  type Platform,
  type Result,
} from '../core/index.ts';
import { quote } from '../core/quote.ts';
import { parseTime } from '../core/rfc3339.ts';
import { registryAt } from '../registry/address.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { Registry, ReleaseList } from '../registry/registry.ts';
import { parseRegistryAddress } from '../core/registry-address.ts';
import { databaseRegistry, existingDatabase } from './database-registry.ts';
import { sampleCatalogue } from '../registry/sample-catalogue.ts';
import { grammarProblem, registryProblem, type Outcome, type Problem } from './problem.ts';
import type { World } from './world.ts';

/** The options that say of which list, for which platform and as of when a question is asked. */
export interface ListOptions {
  readonly json?: true;
  readonly platform?: string;
  readonly at?: string;
  readonly registry?: string;
}

/** Those options, read. */
export interface Asking {
  readonly eligibility: Eligibility;
  readonly registry: Registry;
}

const SAMPLE_NOTE =
  'note: no registry is named, so the built-in sample catalogue answers (--registry names one)';

/** Reads the options, and reports every one that cannot be read. */
export function readListOptions(options: ListOptions, world: World): Result<Asking, Problem[]> {
  const platform = platformOf(options, world);
  const at = options.at === undefined ? undefined : parseTime(options.at);
  const registry = registryOf(options, world);
  if (platform.ok && at?.ok !== false && registry.ok) {
    const now = at?.value ?? world.clock();
    const eligibility = { platform: platform.value, now, notAfter: at?.value };
    return { ok: true, value: { eligibility, registry: registry.value } };
  }
  const problems = [
    ...(platform.ok ? [] : [platform.error]),
    ...(at?.ok === false ? [grammarProblem(at.error)] : []),
    ...(registry.ok ? [] : [registry.error]),
  ];
  return { ok: false, error: problems };
}

/** What `present` makes of the list of a module, or why there is no list. */
export async function withList(
  { registry }: Asking,
  moduleId: ModuleId,
  options: ListOptions,
  present: (list: ReleaseList) => Outcome,
): Promise<Outcome> {
  const notes = registry === sampleCatalogue && !options.json ? [SAMPLE_NOTE] : [];
  try {
    const outcome = present(await registry.read(moduleId));
    return { ...outcome, notes: [...notes, ...outcome.notes] };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { answer: [], notes, problems: [registryProblem(error)] };
  }
}

/** The machine's own platform, unless one is given. */
function platformOf(options: ListOptions, world: World): Result<Platform, Problem> {
  const platform = parsePlatform(options.platform ?? world.platform);
  if (platform.ok) return platform;
  if (options.platform !== undefined) return { ok: false, error: grammarProblem(platform.error) };
  const error = {
    severity: 'error',
    kind: 'bad-platform',
    message: `this machine is ${quote(world.platform)}, and modules run on ${PLATFORMS.join(' and ')}`,
    hint: 'name the platform of the machine in question: --platform linux/arm64',
  } as const;
  return { ok: false, error };
}

/** The order is flag, environment, the file under the platform's home where it is, sample. */
function registryOf(options: ListOptions, world: World): Result<Registry, Problem> {
  const named = options.registry ?? (world.environment['MODREG_REGISTRY'] || undefined);
  const address = named ?? existingDatabase(world);
  if (address === undefined) return { ok: true, value: sampleCatalogue };
  const parsed = parseRegistryAddress(address);
  if (parsed.ok && parsed.value.kind === 'database') {
    return { ok: true, value: databaseRegistry(parsed.value.path, () => world.clock()) };
  }
  const registry = registryAt(address, () => world.clock());
  return registry.ok ? registry : { ok: false, error: registryProblem(registry.error) };
}

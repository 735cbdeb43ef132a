import {
  indexReleases,
  parseConstraint,
  parseModuleId,
  parsePlatform,
  PLATFORMS,
  resolve,
  type Constraint,
  type Eligibility,
  type ModuleId,
  type Platform,
  type Result,
} from '../core/index.ts';
import { quote } from '../core/quote.ts';
import { parseTime } from '../core/rfc3339.ts';
import { registryAt } from '../registry/address.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { Registry } from '../registry/registry.ts';
import { sampleCatalogue } from '../registry/sample-catalogue.ts';
import { grammarProblem, registryProblem, type Outcome, type Problem } from './problem.ts';
import {
  answerAsJson,
  explainAnswer,
  problemsOf,
  summarize,
  type Answered,
} from './resolve-answer.ts';
import type { World } from './world.ts';

export interface ResolveOptions {
  readonly explain?: true;
  readonly all?: true;
  readonly json?: true;
  readonly platform?: string;
  readonly at?: string;
  readonly registry?: string;
}

/** A question whose texts have been read. */
interface Asked {
  readonly moduleId: ModuleId;
  readonly constraint: Constraint;
  readonly eligibility: Eligibility;
  readonly registry: Registry;
}

const SAMPLE_NOTE =
  'note: no registry is named, so the built-in sample catalogue answers (--registry names one)';

/** `modreg resolve <module_id> <constraint>`: the release that a constraint means. */
export async function resolveCommand(
  moduleIdText: string,
  constraintText: string,
  options: ResolveOptions,
  world: World,
): Promise<Outcome> {
  const asked = readQuestion(moduleIdText, constraintText, options, world);
  if (!asked.ok) return { answer: [], notes: [], problems: asked.error };
  const { registry } = asked.value;
  const notes = registry === sampleCatalogue && !options.json ? [SAMPLE_NOTE] : [];
  try {
    const list = await registry.read(asked.value.moduleId);
    const { moduleId, constraint, eligibility } = asked.value;
    const resolution = resolve(constraint, indexReleases(list.records), eligibility);
    const outcome = present({ moduleId, list, resolution }, options, world);
    return { ...outcome, notes: [...notes, ...outcome.notes] };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { answer: [], notes, problems: [registryProblem(error)] };
  }
}

function present(answered: Answered, options: ResolveOptions, { isTerminal }: World): Outcome {
  const { resolution } = answered;
  const problems = problemsOf(answered);
  const explained = options.explain ?? options.all ?? false;
  if (options.json) {
    const shown = resolution.kind === 'resolved' || explained;
    const answer = shown ? [answerAsJson(answered, { withRefused: explained })] : [];
    return { answer, notes: [], problems };
  }
  if (explained) {
    return { answer: explainAnswer(answered, { all: options.all ?? false }), notes: [], problems };
  }
  if (resolution.kind === 'unsatisfied') return { answer: [], notes: [], problems };
  return {
    answer: [resolution.release.version.text],
    notes: isTerminal ? [summarize(answered.moduleId, resolution)] : [],
    problems,
  };
}

function readQuestion(
  moduleIdText: string,
  constraintText: string,
  options: ResolveOptions,
  world: World,
): Result<Asked, Problem[]> {
  const moduleId = parseModuleId(moduleIdText);
  const constraint = parseConstraint(constraintText);
  const platform = platformOf(options, world);
  const at = options.at === undefined ? undefined : parseTime(options.at);
  const registry = registryOf(options, world);
  if (moduleId.ok && constraint.ok && platform.ok && at?.ok !== false && registry.ok) {
    const eligibility = {
      platform: platform.value,
      now: at?.value ?? world.clock(),
      notAfter: at?.value,
    };
    return {
      ok: true,
      value: {
        moduleId: moduleId.value,
        constraint: constraint.value,
        eligibility,
        registry: registry.value,
      },
    };
  }
  return {
    ok: false,
    error: [
      ...(moduleId.ok ? [] : [grammarProblem(moduleId.error)]),
      ...(constraint.ok ? [] : [grammarProblem(constraint.error)]),
      ...(platform.ok ? [] : [platform.error]),
      ...(at?.ok === false ? [grammarProblem(at.error)] : []),
      ...(registry.ok ? [] : [registry.error]),
    ],
  };
}

/** The machine's own platform, unless one is given. */
function platformOf(options: ResolveOptions, world: World): Result<Platform, Problem> {
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

/** Without an address, the sample catalogue: the order is flag, environment, sample. */
function registryOf(options: ResolveOptions, world: World): Result<Registry, Problem> {
  const address = options.registry ?? (world.environment['MODREG_REGISTRY'] || undefined);
  if (address === undefined) return { ok: true, value: sampleCatalogue };
  const registry = registryAt(address, () => world.clock());
  return registry.ok ? registry : { ok: false, error: registryProblem(registry.error) };
}

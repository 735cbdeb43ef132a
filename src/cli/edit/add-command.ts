import { inserted, newModule, type Insertion } from '../../config/new-module.ts';
import { nameComplaint } from '../../config/text/name.ts';
import {
  formatConstraint,
  indexReleases,
  parseConstraint,
  parseModuleId,
  resolve,
  type Constraint,
  type ModuleId,
  type Platform,
  type Resolution,
  type Result,
} from '../../core/index.ts';
import { complaintOf } from '../../core/explanation/complaint.ts';
import { releaseTerms, termsIn } from '../../core/machine/update-policy.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import type { ReleaseList } from '../../registry/registry.ts';
import { jsonLine } from '../base/answer-json.ts';
import { listAsJson } from '../../host/resolution-document.ts';
import {
  complaintProblem,
  failed,
  parseProblem,
  usage,
  type Outcome,
  type Problem,
} from '../../base/problem.ts';
import { machineIdOf } from '../../host/machine-id.ts';
import { commandRegistries } from '../../host/command-registries.ts';
import { noRegistry, type RegistryOptions } from '../../host/registry-choice.ts';
import { NO_STATE, platformOf, withList } from '../../host/list-options.ts';
import { listWarnings, releaseWarnings } from '../../host/list-warnings.ts';
import type { World } from '../../base/world.ts';
import { checkEdited, conflictWith, readEdited, type EditedMachine } from './edited-machine.ts';
import { insertionDiff } from './insertion-diff.ts';
import { replaceFile } from '../../host/replace-file.ts';

export interface AddOptions extends RegistryOptions {
  readonly name?: string;
  readonly version?: string;
  readonly platform?: string;
  readonly dryRun?: true;
}

/** What is added, as the arguments name it. */
interface Wanted {
  readonly moduleId: ModuleId;
  readonly name: string;
  /** Undefined for a pin to the newest release. */
  readonly constraint: Constraint | undefined;
  readonly platform: Platform;
}

const LATEST: Constraint = { kind: 'latest' };

/**
 * `modreg add <module_id> [machine.json]`: adds a module to a machine config, pinned to the newest release, so that it never
 * updates automatically. Everything else in the document stays as it is (D45).
 */
export async function addCommand(
  moduleIdText: string,
  path: string,
  options: AddOptions,
  world: World,
): Promise<Outcome> {
  const wanted = readWanted(moduleIdText, options, world);
  const document = readEdited(path, options.policy);
  if (!wanted.ok || !document.ok) {
    return failed(...(wanted.ok ? [] : wanted.error), ...(document.ok ? [] : document.error));
  }
  return await addTo(document.value, wanted.value, options, world);
}

async function addTo(
  edited: EditedMachine,
  wanted: Wanted,
  options: AddOptions,
  world: World,
): Promise<Outcome> {
  const conflict = conflictWith(edited, wanted);
  if (conflict) return failed(conflict);
  const terms = termsIn(edited.policy, wanted.name);
  const registries = commandRegistries({ ...options, machinePath: edited.file.path }, world);
  const registry = registries.open(terms);
  if (!registry.ok) return failed(registry.error);
  if (!registry.value) return failed(noRegistry(world));
  const machineId = machineIdOf(world);
  const query = {
    machineId,
    registries,
    registry: registry.value,
    // What a plan of this machine refuses, so that it does not refuse the pin.
    terms: {
      ...NO_STATE,
      eligibility: releaseTerms(terms, wanted.moduleId, {
        now: world.clock(),
        platform: wanted.platform,
        machineId: machineId.ok ? machineId.value : undefined,
      }),
    },
    clock: () => world.clock(),
  };
  const constraint = wanted.constraint ?? LATEST;
  return await withList(query, wanted.moduleId, { ...options, constraint }, (list, eligibility) => {
    const index = indexReleases(list.records);
    const resolution = resolve(constraint, index, eligibility);
    const outcome = added(edited, { ...wanted, list, resolution }, options);
    const warnings = [...listWarnings(wanted.moduleId, list, index), ...edited.warnings];
    return { ...outcome, problems: [...outcome.problems, ...warnings] };
  });
}

function readWanted(
  moduleIdText: string,
  options: AddOptions,
  world: World,
): Result<Wanted, Problem[]> {
  const moduleId = parseModuleId(moduleIdText);
  const constraint = options.version === undefined ? undefined : parseConstraint(options.version);
  const platform = platformOf(options, world);
  const complaint = options.name === undefined ? undefined : nameComplaint(options.name);
  if (moduleId.ok && constraint?.ok !== false && platform.ok && complaint === undefined) {
    // The convention of the reference. (Module entry, name)
    const name = options.name ?? moduleId.value.replace(':', '_');
    const value = { moduleId: moduleId.value, name, platform: platform.value };
    return { ok: true, value: { ...value, constraint: constraint?.value } };
  }
  const problems = [
    ...(moduleId.ok ? [] : [parseProblem(moduleId.error)]),
    ...(constraint?.ok === false ? [parseProblem(constraint.error)] : []),
    ...(platform.ok ? [] : [platform.error]),
    ...(complaint === undefined
      ? []
      : [usage(`--name is ${quote(options.name ?? '')}, which is not a name: ${complaint}`)]),
  ];
  return { ok: false, error: problems };
}

/** A module that is added, with its list, and what its constraint selects now. */
interface Module extends Wanted {
  readonly list: ReleaseList;
  readonly resolution: Resolution;
}

function added(edited: EditedMachine, module: Module, options: AddOptions): Outcome {
  const { moduleId, name, constraint = LATEST, resolution } = module;
  if (resolution.kind === 'unsatisfied') {
    const all = `modreg resolve ${moduleId} ${formatConstraint(constraint)} --explain --all`;
    return failed(complaintProblem(complaintOf(resolution, moduleId), { more: all }));
  }
  const { release } = resolution;
  const selects = release.version.text;
  const version = module.constraint ? formatConstraint(constraint) : selects;
  const insertions = newModule(edited.text, { name, moduleId, version });
  const to = inserted(edited.text, insertions);
  const checked = checkEdited(edited, to);
  if (!checked.ok) return failed(checked.error);
  const { path, bytes } = edited.file;
  const replaced = options.dryRun ? undefined : replaceFile(path, { from: bytes, to });
  if (replaced?.ok === false) return failed(replaced.error);
  const answer = options.json
    ? [asJson(path, { ...module, version, selects }, options)]
    : asLines(edited, { ...module, version, selects }, options.dryRun ? insertions : undefined);
  const problems = [...releaseWarnings(moduleId, resolution), ...checked.value];
  return { answer, notes: [], problems, ...(options.dryRun && { isData: true }) };
}

interface Selected extends Module {
  /** The `version` of the entry. */
  readonly version: string;
  /** The release that it selects now. */
  readonly selects: string;
}

function asLines(
  { file, text }: EditedMachine,
  { moduleId, name, version, selects }: Selected,
  insertions: readonly Insertion[] | undefined,
): string[] {
  const means = version === selects ? 'pinned' : `now ${selects}`;
  const entry = `${moduleId} ${version} (${means})`;
  if (!insertions) return [`${excerpt(file.path)}: added ${entry} as ${excerpt(name)}`];
  const result = `nothing was changed; ${entry} would be added as ${excerpt(name)}`;
  return [...insertionDiff(file.path, text, insertions), '', result];
}

function asJson(
  path: string,
  { moduleId, name, version, selects, platform, list }: Selected,
  { dryRun }: AddOptions,
): string {
  return jsonLine({
    schema: 'modreg/add@1',
    file: path,
    name,
    module_id: moduleId,
    version,
    selects,
    platform,
    added: !dryRun,
    list: listAsJson(list),
  });
}

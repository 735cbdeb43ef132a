import { RegistryError } from '../../registry/registry-error.ts';
import { SavedListsError, type SavedLists } from '../../registry/saved-lists.ts';
import { parseModuleId, type DigestChange, type ModuleId } from '../../core/index.ts';
import { describeDigestChange } from '../../core/explanation/words.ts';
import { excerpt } from '../../core/text/quote.ts';
import { acceptList, type Acceptance } from '../../registry/acceptance.ts';
import { jsonLine } from '../base/answer-json.ts';
import { describeChange } from './changed-field.ts';
import { commandRegistries } from '../../host/command-registries.ts';
import { openMachineLists, type ListsTrouble } from '../../host/machine-lists.ts';
import { parseProblem, registryProblem, type Outcome, type Problem } from '../../base/problem.ts';
import { noRegistry, readTerms, type RegistryOptions } from '../../host/registry-choice.ts';
import type { World } from '../../base/world.ts';

export interface AcceptOptions extends RegistryOptions {
  readonly dryRun?: true;
}

/** How many entries of each group are named. */
const NAMED = 10;

/** `modreg accept <module_id>`: shows how a list differs from the saved one, and saves it even if it regressed (D22). */
export async function acceptCommand(
  moduleIdText: string,
  options: AcceptOptions,
  world: World,
): Promise<Outcome> {
  const moduleId = parseModuleId(moduleIdText);
  const terms = await readTerms(options);
  if (!moduleId.ok) return failed(parseProblem(moduleId.error));
  if (!terms.ok) return failed(terms.error);
  const registries = commandRegistries(options, world);
  const registry = registries.open(terms.value);
  if (!registry.ok) return failed(registry.error);
  if (!registry.value) return failed(noRegistry(world));
  const { value: opened } = registry;
  const { remote } = opened;
  if (!remote) {
    const message =
      'lists are saved only from registries on the network, so this registry has nothing to accept';
    return failed({ severity: 'error', kind: 'usage', message });
  }
  const isDryRun = options.dryRun ?? false;
  return await withSavedLists(world, isDryRun, async (saved) => {
    const acceptance = await registries.requesting(opened, moduleId.value, async () => {
      return await acceptList(moduleId.value, remote, { saved, isDryRun, time: opened.knownTime });
    });
    const answer = options.json
      ? [asJson(moduleId.value, acceptance, isDryRun)]
      : asLines(moduleId.value, acceptance, isDryRun);
    return { answer, notes: [], problems: [] };
  });
}

/** Runs `work` with the saved lists of this machine. They must be writable, except for a dry run. */
async function withSavedLists(
  world: World,
  isDryRun: boolean,
  work: (saved: SavedLists) => Promise<Outcome>,
): Promise<Outcome> {
  const memory = openMachineLists(world);
  const { saved, trouble } = memory;
  try {
    if (!saved || (trouble && !isDryRun)) return failed(troubleProblem(trouble));
    return await work(saved);
  } catch (error) {
    if (error instanceof RegistryError) return failed(registryProblem(error));
    if (error instanceof SavedListsError) return failed(troubleProblem(error));
    throw error;
  } finally {
    memory.close();
  }
}

function troubleProblem(trouble: ListsTrouble | undefined): Problem {
  if (trouble) return { severity: 'error', kind: trouble.kind, message: trouble.message };
  const message = 'this machine has no saved lists: neither PLATFORM_HOME nor HOME is set';
  return { severity: 'error', kind: 'usage', message };
}

function asLines(
  moduleId: ModuleId,
  acceptance: Acceptance | undefined,
  isDryRun: boolean,
): string[] {
  const differences = acceptance ? differencesOf(acceptance) : ['no list was saved before'];
  const lines = differences.length === 0 ? ['nothing changed'] : differences;
  const result = isDryRun ? 'nothing was accepted' : 'accepted: the current list is saved';
  return [moduleId, ...lines.map((line) => `  ${line}`), result];
}

function differencesOf(acceptance: Acceptance): string[] {
  const { generations, gone, added, changedDigests, changedFields, isOther } = acceptance;
  const [before, now] = generations;
  const lines = [
    ...(before === now ? [] : [`generation ${before ?? 'none'} → ${now ?? 'none'}`]),
    ...named('gone', gone),
    ...named('new', added),
    ...named('changed', Array.from(changedDigests, changeOf)),
    ...named(
      'changed',
      Array.from(
        changedFields,
        ([version, fields]) => `${version}: ${fields.map(describeChange).join(', ')}`,
      ),
    ),
  ];
  return isOther && lines.length === 0 ? ['different bytes, the same contents'] : lines;
}

function changeOf([version, change]: readonly [string, DigestChange]): string {
  return `${excerpt(version)}: ${describeDigestChange(change)}`;
}

function named(what: string, entries: readonly string[]): string[] {
  const lines = entries.slice(0, NAMED).map((entry) => `${what.padEnd(7)} ${excerpt(entry)}`);
  const rest = entries.length - NAMED;
  return rest > 0 ? [...lines, `${what.padEnd(7)} … ${rest} more`] : lines;
}

function asJson(moduleId: ModuleId, acceptance: Acceptance | undefined, isDryRun: boolean): string {
  const changes = [...(acceptance?.changedDigests ?? [])];
  return jsonLine({
    schema: 'modreg/accept@1',
    module_id: moduleId,
    known: acceptance !== undefined,
    accepted: !isDryRun,
    generation: {
      known: acceptance?.generations[0] ?? null,
      now: acceptance?.generations[1] ?? null,
    },
    gone: acceptance?.gone ?? [],
    new: acceptance?.added ?? [],
    changed: changes.map(([version, { platform, first, now }]) => ({
      version,
      platform,
      first_digest: first,
      digest: now ?? null,
    })),
    changed_fields: Object.fromEntries(
      Array.from(acceptance?.changedFields ?? [], ([version, fields]) => [
        version,
        fields.map(({ field }) => field),
      ]),
    ),
  });
}

function failed(problem: Problem): Outcome {
  return { answer: [], notes: [], problems: [problem] };
}

import type { Result } from '../core/index.ts';
import { termsIn } from '../core/machine/update-policy.ts';
import { excerpt, quote } from '../core/text/quote.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { retryBudget } from '../registry/retry-budget.ts';
import { registryProblem, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { commandRegistries } from './command-registries.ts';
import { documentsInUse } from './served/documents-in-use.ts';
import { planFromSaved, type Planned, type SavedPlanTerms } from './plan/machine-plan.ts';
import { notedReleaseOf } from './plan/release-notes-of.ts';

/** The notes of a release that a machine deploys next. */
export interface TargetNotes {
  readonly moduleId: string;
  readonly version: string;
  readonly notes: string;
}

/** The notes of the release that a module gets now or later, read from its registry at this moment (D415). */
export async function targetNotes(
  name: string,
  path: string,
  options: SavedPlanTerms,
  world: World,
): Promise<Result<TargetNotes, Problem[]>> {
  const documents = documentsInUse(path, options, world);
  const planned = await planFromSaved(path, options, world, documents);
  if (!planned.ok) return planned;
  const row = planned.value.plan.modules.find((one) => one.name === name);
  const release = row && notedReleaseOf(row.decision);
  if (!release) return without(`${quote(name)} gets no release that has notes`);
  const asked = { moduleId: row.moduleId, version: release.version.text };
  const read = await notesOf({ ...asked, name }, planned.value, options, world);
  if (!read.ok) return { ok: false, error: [read.error] };
  if (typeof read.value === 'string') return { ok: true, value: { ...asked, notes: read.value } };
  return without(`the registry has no notes of ${asked.moduleId} ${excerpt(asked.version)}`);
}

function without(message: string): Result<never, Problem[]> {
  return { ok: false, error: [{ severity: 'error', kind: 'unknown-reference', message }] };
}

interface Asked {
  readonly name: string;
  readonly moduleId: Planned['plan']['modules'][number]['moduleId'];
  readonly version: string;
}

/** Null or undefined if the registry has none. */
async function notesOf(
  { name, moduleId, version }: Asked,
  { path, documents }: Planned,
  options: SavedPlanTerms,
  world: World,
): Promise<Result<string | null | undefined, Problem>> {
  const registries = commandRegistries({ ...options, machinePath: path, isUnsaved: true }, world);
  try {
    const registry = registries.open(termsIn(documents.policy, name));
    if (!registry.ok) return registry;
    const remote = registry.value?.remote;
    const notes = await remote?.notes?.(moduleId, version, { budget: retryBudget() });
    return { ok: true, value: notes };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const hint = 'its notes are read from the registry when they are opened, and are not kept here';
    return { ok: false, error: { ...registryProblem(error), hint } };
  } finally {
    registries.close();
  }
}

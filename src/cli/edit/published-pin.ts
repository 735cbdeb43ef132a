import { indexReleases, resolve, type Constraint, type ModuleId } from '../../core/index.ts';
import { complaintOf } from '../../core/explanation/complaint.ts';
import { releaseTerms, termsIn } from '../../core/machine/update-policy.ts';
import { commandRegistries } from '../../host/command-registries.ts';
import { NO_STATE, platformOf, withList } from '../../host/list-options.ts';
import { machineIdOf } from '../../host/machine-id.ts';
import type { RegistryOptions } from '../../host/registry-choice.ts';
import { complaintProblem, failed, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { EditedMachine } from './edited-machine.ts';

/** An exact version of an entry. */
interface Pin {
  readonly name: string;
  readonly moduleId: ModuleId;
  readonly constraint: Constraint & { readonly kind: 'patch' };
}

const NONE: Outcome = { answer: [], notes: [], problems: [] };

/**
 * The error that the registry of the machine has no such version (D444). A warning if its list cannot be read: what is deployed may be set
 * without a network. Undefined if it is published, and if no registry is named.
 */
export async function unpublishedPin(
  { file, policy }: EditedMachine,
  { name, moduleId, constraint }: Pin,
  options: RegistryOptions & { readonly platform?: string },
  world: World,
): Promise<Problem | undefined> {
  const terms = termsIn(policy, name);
  const registries = commandRegistries({ ...options, machinePath: file.path }, world);
  const registry = registries.open(terms);
  const platform = platformOf(options, world);
  if (!registry.ok || !registry.value || !platform.ok) return undefined;
  const machineId = machineIdOf(world);
  const now = world.clock();
  const eligibility = releaseTerms(terms, moduleId, { now, platform: platform.value });
  const query = {
    machineId,
    registries,
    registry: registry.value,
    terms: { ...NO_STATE, eligibility },
    clock: () => world.clock(),
  };
  const asked = { ...options, constraint };
  const read = await withList(query, moduleId, asked, ({ records }, known) => {
    const resolution = resolve(constraint, indexReleases(records), known);
    const isUnknown = resolution.kind === 'unsatisfied' && resolution.refusedPin === undefined;
    return isUnknown ? failed(complaintProblem(complaintOf(resolution, moduleId))) : NONE;
  });
  const error = read.problems.find(({ severity }) => severity === 'error');
  if (error === undefined) return undefined;
  const { kind, message, hint } = error;
  const isRefused = kind === 'pin-not-published' || kind === 'unknown-module';
  if (isRefused) return { ...error, message: `${message}; nothing was changed` };
  const found = `it is not known whether ${moduleId} ${constraint.version.text} is published: ${message}`;
  return { severity: 'warning', kind: 'pin-not-published', message: found, hint };
}

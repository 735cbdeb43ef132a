import { RegistryError } from '../registry/registry-error.ts';
import type { ListResult, ReleaseList } from '../registry/registry.ts';
import type { ModuleId } from '../core/index.ts';
import { namespaceOf } from '../core/releases/module-id.ts';
import type { RemoteRegistry } from '../registry/remote-registry.ts';
import { retryBudget } from '../registry/retry-budget.ts';
import { unknownModule } from '../registry/unknown-module.ts';

/** The time limit for finding a suggestion for an unknown module. */
const SUGGESTION_TIMEOUT_MS = 2000;

/** `error` of a request to `remote`. If the module is unknown, the nearest known one is suggested. */
export async function withSuggestion(
  error: RegistryError,
  moduleId: ModuleId,
  remote: RemoteRegistry | undefined,
): Promise<RegistryError> {
  if (!remote || error.kind !== 'unknown-module') return error;
  const known = await knownModules(moduleId, remote);
  return known ? unknownModule(`the registry ${remote.from}`, moduleId, known) : error;
}

/** `result` with `hint` if the registry refused the request. */
export function resultWithHint(result: ListResult, hint: string | undefined): ListResult {
  return result.ok
    ? { ok: true, value: listWithHint(result.value, hint) }
    : { ok: false, error: errorWithHint(result.error, hint) };
}

export function listWithHint(list: ReleaseList, hint: string | undefined): ReleaseList {
  return { ...list, stale: list.stale && errorWithHint(list.stale, hint) };
}

export function errorWithHint(error: RegistryError, hint: string | undefined): RegistryError {
  if (error.kind !== 'registry-refused') return error;
  return new RegistryError(error.kind, error.message, { cause: error, hint: error.hint ?? hint });
}

/** The modules of the namespace, or all modules if it has none; undefined if the registry does not list them. */
async function knownModules(
  moduleId: ModuleId,
  remote: RemoteRegistry,
): Promise<readonly ModuleId[] | undefined> {
  const signal = AbortSignal.timeout(SUGGESTION_TIMEOUT_MS);
  const round = { budget: retryBudget(), signal };
  try {
    const siblings = await remote.modules?.(namespaceOf(moduleId), round);
    return siblings?.length === 0 ? await remote.modules?.(undefined, round) : siblings;
  } catch (error) {
    // Without a suggestion, the error itself is still an answer.
    if (error instanceof RegistryError || signal.aborted) return undefined;
    throw error;
  }
}

import { RegistryError } from '../registry/registry-error.ts';
import type { ListResult, ReleaseList } from '../registry/registry.ts';
import type { ModuleId } from '../core/index.ts';
import type { OpenRegistry } from '../registries/open-registries.ts';
import type { WebRegistryAddress } from '../registry/address.ts';
import type { RegistryToken } from './registry-token.ts';
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

/** What is known of the token for a registry. */
export type TokenHints = Pick<RegistryToken, 'hint' | 'unsent'>;

/** The address of the registry of a module; undefined for a folder or a file, and if it is not known, which is then the error of the request. */
export function webAddressOf(
  { address, remote }: Pick<OpenRegistry, 'address' | 'remote'>,
  moduleId: ModuleId | undefined,
): WebRegistryAddress | undefined {
  if (!('url' in address)) return undefined;
  try {
    return remote?.addressFor?.(moduleId) ?? address;
  } catch (error) {
    if (error instanceof RegistryError) return undefined;
    throw error;
  }
}

/** The results by module, with a hint where the registry refused the request. */
export function resultsWithHints(
  results: ReadonlyMap<ModuleId, ListResult>,
  hintFor: (moduleId: ModuleId) => TokenHints | undefined,
): ReadonlyMap<ModuleId, ListResult> {
  return new Map(
    Array.from(results, ([id, result]): [ModuleId, ListResult] => {
      if (!result.ok) return [id, { ok: false, error: errorWithHint(result.error, hintFor(id)) }];
      if (!result.value.stale) return [id, result];
      return [id, { ok: true, value: listWithHint(result.value, hintFor(id)) }];
    }),
  );
}

export function listWithHint(list: ReleaseList, hint: TokenHints | undefined): ReleaseList {
  return { ...list, stale: list.stale && errorWithHint(list.stale, hint) };
}

export function errorWithHint(
  error: RegistryError,
  { hint: ofToken, unsent }: TokenHints = { hint: undefined },
): RegistryError {
  const { kind, message, suggestion, hint } = error;
  if (hint !== undefined) return error;
  if (kind === 'registry-refused') {
    return new RegistryError(kind, message, { cause: error, hint: ofToken });
  }
  if (kind !== 'unknown-module' || unsent === undefined) return error;
  // So do registries of npm, which tell nobody what they have that he may not read.
  const may = `registries also say so without a token that may read it: ${unsent}`;
  return new RegistryError(kind, message, { cause: error, suggestion, hint: may });
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

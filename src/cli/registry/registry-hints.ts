import type { ModuleId } from '../../core/index.ts';
import { namespaceOf } from '../../core/releases/module-id.ts';
import type { OpenRegistry } from '../../registry/open-registries.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import type { ListResult, ReleaseList } from '../../registry/registry.ts';
import type { RemoteRegistry } from '../../registry/remote-registry.ts';
import { retryBudget } from '../../registry/retry-budget.ts';
import { unknownModule } from '../../registry/unknown-module.ts';
import type { RegistryToken } from './registry-token.ts';

/** A registry, and the token that is for it. */
interface Asked {
  readonly registry: OpenRegistry;
  readonly token: RegistryToken;
}

/** How long is spent on finding what was meant by a module that is not there. */
const SUGGESTION_TIMEOUT_MS = 2000;

/** The result of `work`, or its RegistryError with what a person can do about it. */
export async function explaining<T>(
  moduleId: ModuleId,
  { registry: { remote }, token }: Asked,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    if (remote && error.kind === 'unknown-module') {
      const known = await knownModules(moduleId, remote);
      if (known) throw unknownModule(`the registry ${remote.from}`, moduleId, known);
    }
    throw withTokenHint(error, token);
  }
}

export function resultWithHint(result: ListResult, token: RegistryToken): ListResult {
  return result.ok
    ? { ok: true, value: listWithHint(result.value, token) }
    : { ok: false, error: withTokenHint(result.error, token) };
}

export function listWithHint(list: ReleaseList, token: RegistryToken): ReleaseList {
  return { ...list, stale: list.stale && withTokenHint(list.stale, token) };
}

function withTokenHint(error: RegistryError, token: RegistryToken): RegistryError {
  if (error.kind !== 'registry-refused') return error;
  return new RegistryError(error.kind, error.message, { cause: error, hint: tokenHint(token) });
}

function tokenHint({ token, isFor }: RegistryToken): string | undefined {
  if (isFor !== undefined) return `the token at hand is for ${isFor}, and is not sent elsewhere`;
  return token ? undefined : 'MODREG_TOKEN gives a token, or the file that MODREG_TOKEN_FILE names';
}

/** The modules of the namespace, or else all; undefined where the registry does not tell. */
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

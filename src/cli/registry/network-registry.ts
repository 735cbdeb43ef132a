import type { ModuleId, Result } from '../../core/index.ts';
import { namespaceOf } from '../../core/releases/module-id.ts';
import type { WebRegistryAddress } from '../../registry/address.ts';
import type { UpdateTerms } from '../../core/machine/update-policy.ts';
import { cachedRegistry, type CachedRegistry } from '../../registry/cached-registry.ts';
import { httpRegistry } from '../../registry/http-registry.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import type { ListResult, ReleaseList } from '../../registry/registry.ts';
import type { RemoteRegistry } from '../../registry/remote-registry.ts';
import { retryBudget } from '../../registry/retry.ts';
import { unknownModule } from '../../registry/unknown-module.ts';
import { openMemory, type MemoryTrouble } from './machine-memory.ts';
import { registryProblem, type Problem } from '../problem.ts';
import { tokenFor, type RegistryToken } from './registry-token.ts';
import { waiting, type Wait } from '../output/waiting.ts';
import type { World } from '../world.ts';

/** A registry over the network, as one command asks it. */
export interface Network {
  readonly remote: RemoteRegistry;
  readonly token: RegistryToken;
  /** What is waited for. */
  readonly wait: Wait;
}

/** How lists are taken from it. */
export interface ListTerms {
  readonly terms: UpdateTerms;
  readonly maxAgeMs: number;
  readonly isOffline: boolean;
  /** Nothing is said of what is waited for. */
  readonly isQuiet: boolean;
  /** Told why the machine's memory cannot be used. */
  readonly onTrouble: (trouble: MemoryTrouble) => void;
}

/** How long is spent on finding what was meant by a module that is not there. */
const SUGGESTION_TIMEOUT_MS = 2000;

/** The registry at `address`, with the token that is for it. */
export function networkAt(
  address: WebRegistryAddress,
  { allowHttp }: UpdateTerms,
  world: World,
  onRetry: () => void = () => undefined,
): Result<Network, Problem> {
  const token = tokenFor(address.url, world);
  if (!token.ok) return token;
  const wait: Wait = { state: `no answer of ${address.url.host} yet` };
  const remote = httpRegistry(address, {
    token: token.value.token,
    allowHttp,
    onRetry: ({ message }, delayMs) => {
      onRetry();
      wait.state = `${message}; it is asked again in ${(delayMs / 1000).toFixed(1)} s`;
    },
  });
  if (!remote.ok) return { ok: false, error: registryProblem(remote.error) };
  return { ok: true, value: { remote: remote.value, token: token.value, wait } };
}

/** The lists of a registry over the network, and those that this machine saved of it. */
export function networkRegistry(
  network: Network,
  options: ListTerms,
  world: World,
): Pick<CachedRegistry, 'read' | 'readAll'> {
  const { maxAgeMs, isOffline, isQuiet, onTrouble, terms } = options;
  const asking = async <T>(ask: (registry: CachedRegistry) => Promise<T>): Promise<T> => {
    const memory = openMemory(world);
    if (memory.trouble) onTrouble(memory.trouble);
    const registry = cachedRegistry(network.remote, {
      ...{ saved: memory.saved, maxIndexAgeMs: terms.maxIndexAgeMs },
      ...{ maxAgeMs, isOffline, onTrouble },
    });
    try {
      return isQuiet
        ? await ask(registry)
        : await waiting(network.wait, world, async () => await ask(registry));
    } finally {
      memory.close();
    }
  };
  return {
    read: async (moduleId) =>
      await asking(async (registry) => {
        const read = async (): Promise<ReleaseList> => await registry.read(moduleId);
        return listWithHint(await explaining(moduleId, network, read), network.token);
      }),
    readAll: async (moduleIds) =>
      await asking(async (registry) => {
        const readings = await registry.readAll(moduleIds);
        return new Map(
          Array.from(readings, ([moduleId, reading]) => [
            moduleId,
            withHint(reading, network.token),
          ]),
        );
      }),
  };
}

function withHint(reading: ListResult, token: RegistryToken): ListResult {
  return reading.ok
    ? { ok: true, value: listWithHint(reading.value, token) }
    : { ok: false, error: withTokenHint(reading.error, token) };
}

function listWithHint(list: ReleaseList, token: RegistryToken): ReleaseList {
  return { ...list, stale: list.stale && withTokenHint(list.stale, token) };
}

/** What `work` comes to; what a person can do about its RegistryError is added to that. */
export async function explaining<T>(
  moduleId: ModuleId,
  { remote, token }: Network,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const known =
      error.kind === 'unknown-module' ? await knownModules(moduleId, remote) : undefined;
    if (known) throw unknownModule(`the registry ${remote.from}`, moduleId, known);
    throw withTokenHint(error, token);
  }
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
    // It was asked only to be helpful.
    if (error instanceof RegistryError || signal.aborted) return undefined;
    throw error;
  }
}

import type { CachedRegistry, ListResult, ReleaseList } from '../registry/registry.ts';
import {
  openRegistries,
  type OpenRegistry,
  type OpenRegistriesOptions,
} from '../registries/open-registries.ts';
import type { ClockState } from '../registry/certain-clock.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { Wanted } from '../registry/wanted-release.ts';
import type { WebRegistryAddress } from '../registry/address.ts';
import { isBlob } from '../registry/http/blob-address.ts';
import type { SavedLists } from '../registry/saved-lists.ts';
import type { UpdateTerms } from '../config/index.ts';
import { dirname } from 'node:path';
import type { ModuleId, Result, Secret } from '../core/index.ts';
import { fetchIn } from '../base/network.ts';
import { npmRegistriesIn } from './npm-settings.ts';
import { waiting, type Wait } from '../base/waiting.ts';
import { OwnProblem, registryProblem, type Problem } from '../base/problem.ts';
import type { Credentials } from './credentials.ts';
import { clockOf, type World } from '../base/world.ts';
import type { MachineLists, ListsTrouble } from './machine-lists.ts';
import { existingDatabase, namedRegistry, type RegistryOptions } from './registry-choice.ts';
import {
  errorWithHint,
  listWithHint,
  resultsWithHints,
  webAddressOf,
  withSuggestion,
  type TokenHints,
} from './registry-hints.ts';
import { tokensIn, type TokensOf } from './registry-token.ts';

/** The options by which a command reads lists. */
export interface ReadingOptions extends RegistryOptions {
  /** The path of the machine config. Without `policy`, the policy is in the same folder. */
  readonly machinePath?: string;
  readonly maxAgeMs?: number;
  readonly offline?: true;
  /** Whether lists are kept in this process only, so that nothing is written. */
  readonly isUnsaved?: true;
  /** The saved lists, if the command has opened the machine's file itself: it runs until it is stopped, and runs no helper of Docker. */
  readonly saved?: SavedLists;
  /** The credentials of the machine, if the command is its agent. */
  readonly machine?: Credentials | undefined;
  /** Called before a request is repeated. */
  readonly onRetry?: () => void;
  /** How requests are sent, where it differs from the defaults. */
  readonly requests?: Pick<OpenRegistriesOptions, 'fetch' | 'limits' | 'following'>;
}

/** The registries of one command. Network registries save their lists in the machine's file. */
export interface CommandRegistries {
  /** Why the machine's file could not be used so far, one warning for each kind of problem. */
  readonly warnings: readonly Problem[];
  /** The registry for modules with these terms, one for each address; undefined if no registry is named. */
  open(terms: UpdateTerms): Result<OpenRegistry | undefined, Problem>;
  /** The registry for modules with these terms, for a poller. */
  registryFor(terms: UpdateTerms): CachedRegistry;
  read(registry: OpenRegistry, moduleId: ModuleId, wanted?: Wanted): Promise<ReleaseList>;
  readAll(
    registry: OpenRegistry,
    moduleIds: readonly ModuleId[],
    signal?: AbortSignal,
    wanted?: Wanted,
  ): Promise<ReadonlyMap<ModuleId, ListResult>>;
  /** Returns the result of `work`, which requests a module from `registry`. Adds hints to its error. */
  requesting<T>(registry: OpenRegistry, moduleId: ModuleId, work: () => Promise<T>): Promise<T>;
  /** The token for the server at `url`; undefined if there is none. Throws a RegistryError if its file cannot be used. */
  tokenFor(url: URL, kind?: WebRegistryAddress['kind']): Secret | undefined;
  /** Closes the machine's file if it was opened. */
  close(): void;
}

/** Opens registries for a command, with notes about waiting and with hints in errors. */
export function commandRegistries(options: ReadingOptions, world: World): CommandRegistries {
  const { policy, machinePath = '', maxAgeMs = 0, offline, onRetry = () => undefined } = options;
  const named = namedRegistry(options, world);
  const tokens = tokensIn(world, options.registry, options.machine, options.saved === undefined);
  const wait: Wait = { state: '' };
  const memory = memoryOf(options, world);
  const registries = openRegistries({
    maxAgeMs,
    isOffline: offline ?? false,
    ...requestsIn(world),
    ...options.requests,
    saved: memory.saved,
    onTrouble: memory.warn,
    // A path in a policy is relative to the policy's folder. A path from the command line is relative to the current one.
    relativeTo: named === undefined ? dirname(policy ?? machinePath) : undefined,
    token: (url, kind) => tokenOrThrow(tokens(url, kind)),
    onRetry({ message }, delayMs) {
      onRetry();
      wait.state = `${message}; next attempt in ${(delayMs / 1000).toFixed(1)} s`;
    },
  });
  const registryIn = (terms: UpdateTerms): string | undefined =>
    named ?? terms.registry ?? existingDatabase(world);
  return {
    warnings: memory.warnings,
    close: memory.close,
    tokenFor: (url, kind = isBlob(url) ? 'oci' : undefined) => tokenOrThrow(tokens(url, kind)),
    open(terms) {
      const own = { ...terms, registry: registryIn(terms) };
      if (own.registry === undefined) return { ok: true, value: undefined };
      const registry = registries.open(own);
      if (!registry.ok) return { ok: false, error: registryProblem(registry.error) };
      const { address, remote } = registry.value;
      // The settings of npm name other registries, which get tokens of their own.
      const isOne = 'url' in address && !remote?.addressFor;
      const token = isOne ? tokens(address.url, address.kind) : undefined;
      return token?.ok === false ? token : registry;
    },
    registryFor: (terms) => registries.registryFor({ ...terms, registry: registryIn(terms) }),
    ...reading({ tokens, wait, isQuiet: options.json ?? false }, world),
  };
}

function requestsIn(
  world: World,
): Pick<OpenRegistriesOptions, 'clock' | 'clockState' | 'fetch' | 'npmRegistryOf'> {
  const clockState = (): ClockState => world.clockState?.() ?? 'unknown';
  const npmRegistryOf = npmRegistriesIn(world.environment);
  return { clock: clockOf(world), clockState, fetch: fetchIn(world), npmRegistryOf };
}

/** The token to send. A file that cannot be used is the error of the request. */
function tokenOrThrow(token: ReturnType<TokensOf>): Secret | undefined {
  if (token.ok) return token.value.token;
  const { message, hint, kind, severity } = token.error;
  const cause = severity === 'error' ? new OwnProblem(kind, message) : undefined;
  throw new RegistryError('registry-refused', message, { hint, cause });
}

interface ReadingContext {
  readonly tokens: TokensOf;
  readonly wait: Wait;
  readonly isQuiet: boolean;
}

/** Reads lists with notes and hints for a person. A registry at a path needs neither, since it answers at once. */
function reading(
  { tokens, wait, isQuiet }: ReadingContext,
  world: World,
): Pick<CommandRegistries, 'read' | 'readAll' | 'requesting'> {
  const noting = async <T>({ address }: OpenRegistry, work: () => Promise<T>): Promise<T> => {
    if (isQuiet || !('url' in address)) return await work();
    wait.state = `no answer from ${address.url.host} yet`;
    return await waiting(wait, world, work);
  };
  const hintFor = (registry: OpenRegistry, moduleId: ModuleId): TokenHints | undefined => {
    const address = webAddressOf(registry, moduleId);
    return address && valueOf(tokens(address.url, address.kind));
  };
  const requesting: CommandRegistries['requesting'] = async (registry, moduleId, work) =>
    await noting(registry, async () => {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof RegistryError)) throw error;
        throw errorWithHint(
          await withSuggestion(error, moduleId, registry.remote),
          hintFor(registry, moduleId),
        );
      }
    });
  return {
    requesting,
    async read(registry, moduleId, wanted) {
      const read = async (): Promise<ReleaseList> =>
        await registry.read(moduleId, undefined, wanted);
      const list = await requesting(registry, moduleId, read);
      return listWithHint(list, hintFor(registry, moduleId));
    },
    async readAll(registry, ...asked) {
      const results = await noting(registry, async () => await registry.readAll(...asked));
      return resultsWithHints(results, (id) => hintFor(registry, id));
    },
  };
}

interface CommandLists {
  readonly warnings: readonly Problem[];
  readonly warn: (trouble: ListsTrouble) => void;
  readonly saved: () => Promise<SavedLists | undefined>;
  readonly close: () => void;
}

/** The saved lists in the machine's file, which is opened when they are first needed. */
function memoryOf({ isUnsaved, saved }: ReadingOptions, world: World): CommandLists {
  const warnings: Problem[] = [];
  let memory: MachineLists | undefined;
  const warn = ({ kind, message }: ListsTrouble): void => {
    if (warnings.some((other) => other.kind === kind)) return;
    warnings.push({ severity: 'warning', kind, message });
  };
  return {
    warnings,
    warn,
    async saved() {
      if (saved) return saved;
      const { openMachineLists, openUnsavedLists } = await import('./machine-lists.ts');
      memory = isUnsaved ? openUnsavedLists(world) : openMachineLists(world);
      if (memory.trouble) warn(memory.trouble);
      return memory.saved;
    },
    close: () => memory?.close(),
  };
}

function valueOf<T>(result: Result<T, unknown>): T | undefined {
  return result.ok ? result.value : undefined;
}

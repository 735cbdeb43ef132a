import type { ModuleId } from '../core/index.ts';
import type { NpmKey } from '../core/machine/update-policy.ts';
import { quote } from '../core/text/quote.ts';
import type { TrustDocument } from '../core/trust/trust-document.ts';
import type { RegistryAddress } from '../registry/address.ts';
import type { Clock } from '../registry/clock.ts';
import { memoizeUntilError } from '../registry/memoize-until-error.ts';
import type { CachedRegistry, ListResult, ReleaseList } from '../registry/registry.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { Chain } from '../registry/trust/pinned-document.ts';
import type { RemoteRegistry } from '../registry/remote-registry.ts';
import { retryBudget } from '../registry/retry-budget.ts';
import { SavedListsError, type SavedLists } from '../registry/saved-lists.ts';
import { unlessAborted } from '../registry/unless-aborted.ts';

interface Source {
  readonly address: RegistryAddress;
  readonly remote: RemoteRegistry | undefined;
}

/** What checks the releases of lists. */
type Checks = ReturnType<typeof import('../registry/trust/release-checks.ts').releaseChecks>;

/** The trust document of a registry. */
export interface Trust {
  /** The newest version. Rejects with a RegistryError if the registry has none that the policy allows. */
  readonly document: () => Promise<TrustDocument>;
  /** The same; asks the registry if it knows of this version, and the machine of none so new (D150). */
  readonly atLeast: (version: number) => Promise<TrustDocument>;
  /** In milliseconds since the epoch. */
  readonly now: () => number;
}

/** The trust document of a registry that follows from the one with the digest `pin` (D134). */
export function trustOf(source: Source, pin: string, memory: TrustMemory): Trust {
  const first = memoizeUntilError(async () => await firstChain(source, pin, memory));
  let newest: Chain | undefined;
  const known = async (): Promise<Chain> => newest ?? (await first());
  let looked: string | undefined;
  const followed = async ({ document, texts }: Chain): Promise<TrustDocument> => {
    const found = await documentsOf(source);
    const text = found.join('');
    // Verifying what was verified takes long, and leads nowhere.
    if (text === looked) return (await known()).document;
    const { chainFrom } = await import('../registry/trust/pinned-document.ts');
    const longer = chainFrom(document, found);
    const last = (await known()).document;
    looked = text;
    // Another question may have been quicker.
    if (longer.document.version <= last.version) return last;
    newest = { ...longer, texts: [...texts.slice(0, -1), ...longer.texts] };
    await saveChain(source, pin, newest, memory);
    return newest.document;
  };
  return {
    async document() {
      const chain = await known();
      // No answer of a folder or a file says that there is a later version (D206).
      return source.remote ? chain.document : await followed(chain);
    },
    async atLeast(version) {
      const chain = await known();
      return chain.document.version >= version ? chain.document : await followed(chain);
    },
    now: () => memory.clock.now(),
  };
}

/**
 * `registry`, whose lists have the check of their releases by `checks`. Where that rejects, there are no lists: nothing of
 * the registry could be selected (D134). `registry` itself if its releases need no signatures.
 */
export function trustedRegistry<T extends CachedRegistry>(
  registry: T,
  checks: (() => Promise<Checks>) | undefined,
): T {
  if (!checks) return registry;
  return {
    ...registry,
    async read(moduleId, signal, wanted) {
      await unlessAborted(signal, checks());
      const list = await registry.read(moduleId, signal, wanted);
      return checked(await checks(), moduleId, list);
    },
    async readAll(moduleIds, signal, wanted) {
      const found = await unlessAborted(signal, checks()).catch(registryError);
      if (found instanceof RegistryError) {
        return new Map(moduleIds.map((id) => [id, { ok: false, error: found }]));
      }
      const results = await registry.readAll(moduleIds, signal, wanted);
      const of = await checks();
      const lists = new Map(
        Array.from(results, ([id, result]): [ModuleId, ListResult] => [
          id,
          result.ok ? { ok: true, value: checked(of, id, result.value) } : result,
        ]),
      );
      if (wanted) {
        const { checkAhead } = await import('../registry/trust/check-ahead.ts');
        await unlessAborted(signal, checkAhead(lists, wanted));
      }
      return lists;
    },
  };
}

/** The checks of releases by the document that applies. What was checked by the same one is remembered. */
export function checksBy(trust: Trust | undefined): (() => Promise<Checks>) | undefined {
  if (!trust) return undefined;
  let last: { readonly document: TrustDocument; readonly of: Checks } | undefined;
  return async () => {
    const document = await trust.document();
    if (last?.document !== document) {
      const { releaseChecks } = await import('../registry/trust/release-checks.ts');
      last = { document, of: releaseChecks(document) };
    }
    return last.of;
  };
}

/** The checks of releases by the keys of an npm registry (D200). */
export function npmChecksBy(keys: readonly NpmKey[]): () => Promise<Checks> {
  return memoizeUntilError(async () => {
    const { npmChecks } = await import('../registry/trust/npm-checks.ts');
    return npmChecks(keys);
  });
}

/** Where trust documents outlive the process, for registries over the network. */
export interface TrustMemory {
  readonly savedLists: () => Promise<SavedLists | undefined>;
  readonly onTrouble?: (error: SavedListsError) => void;
  readonly isOffline?: boolean;
  readonly clock: Pick<Clock, 'now'>;
}

/** The saved trust documents, or those of the registry, which are then saved (D138). */
async function firstChain(source: Source, pin: string, memory: TrustMemory): Promise<Chain> {
  const { chainFrom, pinnedDocument, savedChain } =
    await import('../registry/trust/pinned-document.ts');
  const text = await withSaved(source, memory, (saved) => saved.trust?.(pin));
  const known = savedChain(text, pin);
  if (known) return known;
  if (memory.isOffline && source.remote) {
    const message = `offline: ${placeOf(source)} was not contacted, and its trust document is not saved`;
    throw new RegistryError('registry-unreachable', message);
  }
  const texts = await documentsOf(source);
  const chain = chainFrom(pinnedDocument(texts, pin, placeOf(source)), texts);
  await saveChain(source, pin, chain, memory);
  return chain;
}

async function saveChain(
  source: Source,
  pin: string,
  { texts }: Chain,
  memory: TrustMemory,
): Promise<void> {
  await withSaved(source, memory, (saved) => saved.saveTrust?.(pin, texts.join('')));
}

async function withSaved<R>(
  { remote }: Source,
  { savedLists, onTrouble }: TrustMemory,
  work: (saved: SavedLists) => R,
): Promise<R | undefined> {
  if (!remote?.trust) return undefined;
  try {
    const saved = await savedLists();
    return saved && work(saved);
  } catch (error) {
    if (!(error instanceof SavedListsError)) throw error;
    onTrouble?.(error);
    return undefined;
  }
}

/** The same list: a copy would decode all entries. */
function checked(of: Checks, moduleId: ModuleId, list: ReleaseList): ReleaseList {
  return Object.assign(list, { trust: of(moduleId, list.records) });
}

function registryError(error: unknown): RegistryError {
  if (error instanceof RegistryError) return error;
  throw error;
}

function placeOf({ address, remote }: Source): string {
  if (remote) return `the registry ${remote.from}`;
  const path = 'path' in address ? address.path : '';
  return `the ${address.kind === 'folder' ? 'folder' : 'registry'} ${quote(path)}`;
}

/** The trust documents of a registry of any kind. Throws a RegistryError if they cannot be read, or if it can have none (D203). */
export async function documentsOf(source: Source): Promise<readonly string[]> {
  const { address, remote } = source;
  const texts =
    'path' in address
      ? await documentsAt(address)
      : await remote?.trust?.({ budget: retryBudget() });
  if (texts) return texts;
  const message = `${placeOf(source)} has no signatures of releases, and the policy names a trust document for it`;
  const unsigned =
    'set "trust": "unsigned" in the policy for the modules of this registry, under modules';
  const hint = address.kind === 'npm' ? `${unsigned}; or set npm_keys, if it signs` : unsigned;
  throw new RegistryError('registry-untrusted', message, { hint });
}

/** The code of each kind loads with the first list. */
async function documentsAt({
  kind,
  path,
}: Extract<RegistryAddress, { readonly path: string }>): Promise<readonly string[]> {
  if (kind === 'folder') {
    const { trustInFolder } = await import('../registry/trust/trust-file.ts');
    return await trustInFolder(path);
  }
  const { trustInCatalogue } = await import('../server/catalogue/catalogue-registry.ts');
  return trustInCatalogue(path);
}

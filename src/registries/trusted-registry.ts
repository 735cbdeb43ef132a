import type { ModuleId } from '../core/index.ts';
import { quote } from '../core/text/quote.ts';
import type { TrustDocument } from '../core/trust/trust-document.ts';
import type { RegistryAddress } from '../registry/address.ts';
import { memoizeUntilError } from '../registry/memoize-until-error.ts';
import type { CachedRegistry, ListResult, ReleaseList } from '../registry/registry.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { RemoteRegistry } from '../registry/remote-registry.ts';
import { retryBudget } from '../registry/retry-budget.ts';
import { SavedListsError, type SavedLists } from '../registry/saved-lists.ts';
import { unlessAborted } from '../registry/unless-aborted.ts';

interface Source {
  readonly address: RegistryAddress;
  readonly remote: RemoteRegistry | undefined;
}

type Checks = ReturnType<typeof import('../registry/trust/release-checks.ts').releaseChecks>;

/** The trust document of a registry. */
export interface Trust {
  /** Rejects with a RegistryError if there is none that the policy allows. */
  readonly document: () => Promise<TrustDocument>;
}

/** The trust document with the digest `pin` of a registry (D134). */
export function trustOf(source: Source, pin: string, memory: TrustMemory): Trust {
  return { document: memoizeUntilError(async () => await documentOf(source, pin, memory)) };
}

/**
 * `registry`, whose lists have the check of their releases by the keys of its trust document. Without that document there are no
 * lists: nothing of the registry could be selected (D134). `registry` itself if the policy names no document.
 */
export function trustedRegistry<T extends CachedRegistry>(
  registry: T,
  trust: Trust | undefined,
): T {
  if (!trust) return registry;
  const checks = checksBy(trust);
  return {
    ...registry,
    async read(moduleId, signal, wanted) {
      await unlessAborted(signal, trust.document());
      const list = await registry.read(moduleId, signal, wanted);
      return checked(await checks(), moduleId, list);
    },
    async readAll(moduleIds, signal, wanted) {
      const found = await unlessAborted(signal, trust.document()).catch(registryError);
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
function checksBy(trust: Trust): () => Promise<Checks> {
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

/** Where trust documents outlive the process, for registries over the network. */
export interface TrustMemory {
  readonly savedLists: () => Promise<SavedLists | undefined>;
  readonly onTrouble?: (error: SavedListsError) => void;
  readonly isOffline?: boolean;
}

/** The saved trust document, or that of the registry, which is then saved: nothing else has its digest (D138). */
async function documentOf(
  source: Source,
  pin: string,
  { savedLists, onTrouble, isOffline = false }: TrustMemory,
): Promise<TrustDocument> {
  const { pinnedDocument, textOf, whole } = await import('../registry/trust/pinned-document.ts');
  const withSaved = async <R>(work: (saved: SavedLists) => R): Promise<R | undefined> => {
    if (!source.remote?.trust) return undefined;
    try {
      const saved = await savedLists();
      return saved && work(saved);
    } catch (error) {
      if (!(error instanceof SavedListsError)) throw error;
      onTrouble?.(error);
      return undefined;
    }
  };
  const known = whole(await withSaved((saved) => saved.trust?.(pin)), pin);
  if (known) return known;
  if (isOffline && source.remote) {
    const message = `offline: ${placeOf(source)} was not contacted, and its trust document is not saved`;
    throw new RegistryError('registry-unreachable', message);
  }
  const document = pinnedDocument(await documentsOf(source), pin, placeOf(source));
  await withSaved((saved) => saved.saveTrust?.(pin, textOf(document)));
  return document;
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

/** The trust documents of a registry of any kind. Throws a RegistryError if they cannot be read, or if it can have none. */
export async function documentsOf(source: Source): Promise<readonly string[]> {
  const { address, remote } = source;
  const texts =
    'path' in address
      ? await documentsAt(address)
      : await remote?.trust?.({ budget: retryBudget() });
  if (texts) return texts;
  const message = `${placeOf(source)} has no signatures of releases, and the policy names a trust document for it`;
  const hint =
    'set "trust": "unsigned" in the policy for the modules of this registry, under modules';
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

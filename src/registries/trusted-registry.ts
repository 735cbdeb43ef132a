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

/**
 * `registry`, whose lists have the check of their releases by the keys of the trust document with the digest `pin`. Without that
 * document there are no lists: nothing of the registry could be selected (D134).
 */
export function trustedRegistry<T extends CachedRegistry & Source>(
  registry: T,
  pin: string,
  memory: TrustMemory,
): T {
  const checks = memoizeUntilError(async (): Promise<Checks> => {
    const { releaseChecks } = await import('../registry/trust/release-checks.ts');
    return releaseChecks(await documentOf(registry, pin, memory));
  });
  return {
    ...registry,
    async read(moduleId, signal, wanted) {
      const of = await unlessAborted(signal, checks());
      return checked(of, moduleId, await registry.read(moduleId, signal, wanted));
    },
    async readAll(moduleIds, signal, wanted) {
      const of = await unlessAborted(signal, checks()).catch(registryError);
      if (of instanceof RegistryError) {
        return new Map(moduleIds.map((id) => [id, { ok: false, error: of }]));
      }
      const results = await registry.readAll(moduleIds, signal, wanted);
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

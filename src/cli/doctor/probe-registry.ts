import { accessSync, constants } from 'node:fs';
import type { ModuleId } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import type { ListResult } from '../../registry/registry.ts';
import type { OpenRegistry } from '../../registries/open-registries.ts';
import { noRetries } from '../../registry/retry-budget.ts';
import { fetchIn } from '../../base/network.ts';
import type { World } from '../../base/world.ts';
import type { CommandRegistries } from '../../host/command-registries.ts';
import { webAddressOf } from '../../host/registry-hints.ts';
import type { WebRegistryAddress } from '../../registry/address.ts';
import { connectTo, type Connection } from './connection.ts';
import type { WantedList } from './wanted-lists.ts';
import { identify, type Identity } from './identity.ts';
import type { Place } from './registry-fixes.ts';
import { wayTo, type WayThere } from './way.ts';

/** What a registry answered. */
export interface RegistryFacts {
  /** Its address for a person, escaped. */
  readonly from: string;
  /** The key of its saved lists; undefined for a folder or a file. */
  readonly key: string | undefined;
  readonly url: URL | undefined;
  readonly kind: OpenRegistry['address']['kind'];
  /** The path of a folder or a file. */
  readonly path: string | undefined;
  /** Where its address is written. */
  readonly place: Place;
  /** What answers there; undefined if nothing does, or nobody asked. */
  readonly identity: Identity | undefined;
  readonly hasToken: boolean;
  readonly wanted: readonly WantedList[];
  /** The result for each module; undefined if they took too long. */
  readonly lists: ReadonlyMap<ModuleId, ListResult> | undefined;
  /** Why the registry cannot be used, if no list was wanted of it. */
  readonly failure: RegistryError | undefined;
  readonly tookMs: number;
  /** When its trust document expires; undefined without one. */
  readonly trustedUntil: number | undefined;
  readonly connection: Connection | undefined;
  /** Whether systemd manages the services of the machine, or may. */
  readonly hasSystemd: boolean;
  /** How it is reached; undefined for a folder or a file. */
  readonly way: WayThere | undefined;
}

const DEADLINE_MS = 8000;

/** Reads the wanted lists of a registry, and looks at its certificate. */
export async function probe(
  registry: OpenRegistry,
  wanted: readonly WantedList[],
  {
    registries,
    world,
    place,
  }: { readonly registries: CommandRegistries; readonly world: World; readonly place: Place },
): Promise<RegistryFacts> {
  const { address, remote } = registry;
  // Modules of several scopes may have several registries: the first one's is looked at.
  const web = webAddressOf(registry, wanted[0]?.moduleId);
  const url = web?.url;
  const from = 'url' in address ? (remote?.from ?? '') : excerpt(address.path);
  const way = url && wayTo(url, from, world.environment);
  const began = performance.now();
  const reading = readWithin(registry, wanted, registries).then((read) => {
    return { ...read, tookMs: performance.now() - began };
  });
  const connecting = url && way?.isUsable === true ? connectTo(url, way) : undefined;
  const [read, connection] = await Promise.all([reading, connecting]);
  const isIdentified = place === '--registry' && connection?.kind === 'open';
  const identity = isIdentified && web ? await identify(web, fetchIn(world)) : undefined;
  const document = await registry.trust?.document().catch(() => undefined);
  return {
    from,
    way,
    trustedUntil: document?.expires,
    key: remote?.address,
    url,
    kind: address.kind,
    path: 'path' in address ? address.path : undefined,
    place,
    identity,
    hasToken: web !== undefined && hasToken(web, registries),
    wanted,
    hasSystemd: world.hasSystemd?.() ?? true,
    connection,
    ...read,
  };
}

/** A token that cannot be read is the error of the request. */
function hasToken({ url, kind }: WebRegistryAddress, registries: CommandRegistries): boolean {
  try {
    return registries.tokenFor(url, kind) !== undefined;
  } catch (error) {
    if (error instanceof RegistryError) return false;
    throw error;
  }
}

async function readWithin(
  registry: OpenRegistry,
  wanted: readonly WantedList[],
  registries: CommandRegistries,
): Promise<Pick<RegistryFacts, 'lists' | 'failure'>> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const ids = [...new Set(wanted.map(({ moduleId }) => moduleId))];
  try {
    if (ids.length === 0) await ask(registry, signal);
    const lists = await registries.readAll(registry, ids, signal);
    return { lists, failure: undefined };
  } catch (error) {
    if (error instanceof RegistryError) return { lists: new Map(), failure: error };
    if (signal.aborted) return { lists: undefined, failure: undefined };
    throw error;
  }
}

/** Asks a registry of which no module is known for something small. npm and OCI registries have nothing of that kind. */
async function ask({ address, remote }: OpenRegistry, signal: AbortSignal): Promise<void> {
  if ('url' in address) {
    remote?.addressFor?.(undefined);
    await remote?.modules?.('modreg', { budget: noRetries(), signal });
    return;
  }
  try {
    accessSync(address.path, constants.R_OK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new RegistryError('unreadable-file', `${excerpt(address.path)} cannot be read (${code})`);
  }
}

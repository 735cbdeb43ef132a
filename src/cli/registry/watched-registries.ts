import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../core/index.ts';
import { platformHome } from '../../config/platform-home.ts';
import type { RegistryAddress } from '../../registry/address.ts';
import type { UpdateTerms } from '../../core/machine/update-policy.ts';
import { neededLists } from '../../core/plan/configuration.ts';
import type { PollableRegistry } from '../../registry/pollable-registry.ts';
import { cachedRegistry } from '../../registry/cached-registry.ts';
import { folderRegistry } from '../../registry/folder-registry.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import type { SavedLists } from '../../registry/saved-lists.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { openMachineFile, type MachineFile } from '../../store/machine-file.ts';
import { savedListsIn } from '../../store/saved-lists-table.ts';
import { databaseRegistry } from './database-registry.ts';
import { networkAt } from './network-registry.ts';
import type { PlanDocuments } from '../plan/plan-documents.ts';
import type { Facts } from '../plan/plan-facts.ts';
import type { Problem } from '../problem.ts';
import { noRegistry, registryBy, type RegistryOptions } from './registry-choice.ts';
import { unsavedLists } from './unsaved-lists.ts';
import type { World } from '../world.ts';

/** The registries of a machine, for as long as it is watched. */
export interface WatchedRegistries {
  /** Opens those that have the lists which are needed, or says why one cannot be. */
  open(documents: PlanDocuments, facts: Facts): Problem | undefined;
  /** Which of those has the lists of modules with these terms; one that has none where none was opened. */
  registryFor(terms: UpdateTerms): PollableRegistry;
  close(): void;
}

/** Where nothing is asked, unless something is reported that was not when the machine was read last. */
const NOWHERE: PollableRegistry = {
  read: async () => await Promise.reject(new RegistryError('bad-address', 'no registry is named')),
};

/** What is asked of them is remembered, and written nowhere. */
export function watchedRegistries(
  options: RegistryOptions,
  world: World,
  onRetry: () => void,
): WatchedRegistries {
  const file = openMemory(world);
  const saved = file && unsavedLists(savedListsIn(file));
  const open = opening({ saved, onRetry }, options, world);
  const byTerms = new WeakMap<UpdateTerms, PollableRegistry>();
  return {
    open(documents, facts) {
      for (const { terms } of neededLists(documents, facts)) {
        const registry = byTerms.has(terms) ? undefined : open(terms, documents.policyPath);
        if (registry?.ok === false) return registry.error;
        if (registry) byTerms.set(terms, registry.value);
      }
      return undefined;
    },
    registryFor: (terms) => byTerms.get(terms) ?? NOWHERE,
    close: () => file?.close(),
  };
}

/** Opens the registry of some terms, the same for the same address. */
function opening(
  means: Pick<Means, 'saved' | 'onRetry'>,
  options: RegistryOptions,
  world: World,
): (terms: UpdateTerms, policyPath: string | undefined) => Result<PollableRegistry, Problem> {
  const opened = new Map<string, PollableRegistry>();
  return (terms, policyPath) => {
    const named = policyPath === undefined ? {} : { policy: policyPath };
    const choice = registryBy(terms, { ...options, ...named }, world);
    if (!choice.ok) return choice;
    const { address } = choice.value;
    if (!address) return { ok: false, error: noRegistry(world) };
    const key = JSON.stringify([address, terms.allowHttp, terms.maxIndexAgeMs]);
    const known = opened.get(key);
    if (known) return { ok: true, value: known };
    const registry = registryAt(address, { ...means, terms }, world);
    if (registry.ok) opened.set(key, registry.value);
    return registry;
  };
}

interface Means {
  readonly terms: UpdateTerms;
  readonly saved: SavedLists | undefined;
  readonly onRetry: () => void;
}

function registryAt(
  address: RegistryAddress,
  { terms, saved, onRetry }: Means,
  world: World,
): Result<PollableRegistry, Problem> {
  const clock = (): number => world.clock();
  switch (address.kind) {
    case 'folder':
      return { ok: true, value: folderRegistry(address.path, clock) };
    case 'database':
      return { ok: true, value: databaseRegistry(address.path, clock) };
    case 'modreg':
    case 'npm':
    case 'oci': {
      const network = networkAt(address, terms, world, onRetry);
      if (!network.ok) return network;
      const { maxIndexAgeMs } = terms;
      return { ok: true, value: cachedRegistry(network.value.remote, { saved, maxIndexAgeMs }) };
    }
  }
}

/** The machine's file, where there is one that can be read. */
function openMemory({ environment }: World): MachineFile | undefined {
  const home = platformHome(environment);
  if (home === undefined) return undefined;
  const path = join(home, 'machine.db');
  if (!existsSync(path)) return undefined;
  try {
    return openMachineFile(path, { mode: 'read' });
  } catch (error) {
    if (error instanceof DatabaseError) return undefined;
    throw error;
  }
}

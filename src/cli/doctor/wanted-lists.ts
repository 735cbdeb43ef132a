import type { ModuleId } from '../../core/index.ts';
import { DEFAULT_TERMS, type UpdateTerms } from '../../core/machine/update-policy.ts';
import { neededLists } from '../../core/plan/configuration.ts';
import { parseModuleId } from '../../core/releases/module-id.ts';
import { parseRegistryAddress } from '../../registry/address.ts';
import { readPolicyFor } from '../../host/policy-file.ts';
import { documentsInUse } from '../../host/served/documents-in-use.ts';
import type { World } from '../../base/world.ts';
import type { DocumentFacts } from './documents-check.ts';
import type { MachineFacts } from './machine-facts.ts';

/** The list of a module, and the terms for reading it. */
export interface WantedList {
  readonly moduleId: ModuleId;
  readonly terms: UpdateTerms;
}

/** The lists that a machine needs. */
export interface WantedLists {
  readonly lists: readonly WantedList[];
  /** The terms whose registry is looked at if there is no list. */
  readonly otherwise: UpdateTerms;
  /** Whether documents are named that cannot be used, so that more may be wanted. */
  readonly isUnknown: boolean;
}

/** What is known of the machine. */
interface Known {
  readonly documents: DocumentFacts;
  readonly machine: MachineFacts | undefined;
}

/**
 * The lists that the machine needs: by its documents if they can be used, else by what its last round decided on, at the
 * registries that its saved lists are from.
 */
export function wantedLists(
  path: string | undefined,
  options: { readonly policy?: string },
  { documents, machine }: Known,
  world: World,
): WantedLists {
  const [otherwise = DEFAULT_TERMS] =
    path === undefined || !documents?.ok ? [] : policyTerms(path, options.policy);
  const read =
    path !== undefined && documents?.ok ? documentsInUse(path, options, world) : undefined;
  if (read?.ok !== true) {
    const lists = machine ? recordedLists(machine) : [];
    return { lists, otherwise, isUnknown: path !== undefined };
  }
  const unknown = { deployed: { kind: 'unknown' } } as const;
  const lists = neededLists(read.value, (target) => machine?.memory.of(target) ?? unknown);
  return { lists, otherwise, isUnknown: false };
}

/** The default terms of the policy; none if it cannot be read. */
function policyTerms(path: string, named: string | undefined): UpdateTerms[] {
  const policy = readPolicyFor(path, named);
  return policy.ok && policy.value?.reading.ok === true ? [policy.value.reading.value.terms] : [];
}

/** The newest saved list of each module of the last round. */
function recordedLists({ decisions, lists }: MachineFacts): WantedList[] {
  const newest = new Map(lists.map(({ moduleId, address }) => [moduleId, address]));
  return decisions.flatMap(({ moduleId }) => {
    const id = parseModuleId(moduleId);
    // The rest of a key such as `modreg:https://registry.example/` or `npm:https://registry.npmjs.org/`.
    const registry = newest.get(moduleId)?.replace(/^modreg:/, '');
    const address = registry === undefined ? undefined : parseRegistryAddress(registry);
    if (!id.ok || registry === undefined || address?.ok !== true) return [];
    // The policy allowed it when the list was saved.
    const allowHttp = 'url' in address.value ? [address.value.url.host] : [];
    return [{ moduleId: id.value, terms: { ...DEFAULT_TERMS, registry, allowHttp } }];
  });
}

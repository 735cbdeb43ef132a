import { dirname, isAbsolute, join } from 'node:path';
import { platformHome } from '../../config/platform-home.ts';
import { excerpt } from '../../core/text/quote.ts';
import { parseRegistryAddress, type RegistryAddress } from '../../registry/address.ts';
import type { Result } from '../../core/index.ts';
import { DEFAULT_TERMS, type UpdateTerms } from '../../core/machine/update-policy.ts';
import { existingDatabase } from './database-registry.ts';
import { readDocumentFile } from '../check/document-file.ts';
import type { Problem } from '../problem.ts';
import { unreadDocument } from '../check/document-findings.ts';
import type { World } from '../world.ts';

/** The options that say which registry is asked, and on which terms. */
export interface RegistryOptions {
  readonly json?: true;
  readonly registry?: string;
  readonly policy?: string;
}

/** The registry that is asked; without an address, none is named. */
export interface RegistryChoice {
  readonly address: RegistryAddress | undefined;
  readonly terms: UpdateTerms;
}

/**
 * The order is flag, environment, the policy, the file under the platform's home where it is. (design,
 * Registry protocol)
 */
export async function chooseRegistry(
  options: RegistryOptions,
  world: World,
): Promise<Result<RegistryChoice, Problem>> {
  const terms = await readTerms(options);
  return terms.ok ? registryBy(terms.value, options, world) : terms;
}

/** The same by terms of the policy that `options` names. */
export function registryBy(
  terms: UpdateTerms,
  options: RegistryOptions,
  world: World,
): Result<RegistryChoice, Problem> {
  const named = options.registry ?? (world.environment['MODREG_REGISTRY'] || undefined);
  const text = named ?? inPolicy(terms, options) ?? existingDatabase(world);
  if (text === undefined) return { ok: true, value: { address: undefined, terms } };
  const address = parseRegistryAddress(text);
  if (address.ok) return { ok: true, value: { address: address.value, terms } };
  const message = `the registry address cannot be used: ${address.error}`;
  return { ok: false, error: { severity: 'error', kind: 'bad-address', message, hint: ADDRESSES } };
}

/** The registry of the policy; a path there begins at the policy's folder. */
function inPolicy({ registry }: UpdateTerms, { policy = '' }: RegistryOptions): string | undefined {
  const address = registry === undefined ? undefined : parseRegistryAddress(registry);
  if (!address?.ok || !('path' in address.value)) return registry;
  const { path } = address.value;
  return isAbsolute(path) ? path : join(dirname(policy), path);
}

const ADDRESSES =
  'name https://host, npm:https://host, oci:https://host, a folder that holds <namespace>/<name>.json, with ./ before a name with a colon, or a .db file';

/** That a command needs a registry, and none is named. */
export function noRegistry(world: World): Problem {
  const home = platformHome(world.environment);
  const file = home === undefined ? '$PLATFORM_HOME/registry.db' : `${excerpt(home)}/registry.db`;
  return {
    severity: 'error',
    kind: 'no-registry',
    message: 'no registry is named',
    hint: `--registry names one, or else MODREG_REGISTRY, the "registry" of the policy that --policy names, or the file ${file}`,
  };
}

async function readTerms({ policy: path }: RegistryOptions): Promise<Result<UpdateTerms, Problem>> {
  if (path === undefined) return { ok: true, value: DEFAULT_TERMS };
  const file = readDocumentFile(path);
  if (!file.ok) return file;
  // A reader of documents is only loaded where there is one.
  const { readUpdatePolicy } = await import('../../config/read-document.ts');
  const policy = readUpdatePolicy(file.value.bytes);
  if (policy.ok) return { ok: true, value: policy.value.terms };
  return { ok: false, error: unreadDocument('the policy', path, policy, 'policy') };
}

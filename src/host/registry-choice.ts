import type { UpdatePolicy, UpdateTerms } from '../config/index.ts';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { platformHome } from '../config/platform-home.ts';
import { excerpt } from '../core/text/quote.ts';
import type { Result } from '../core/index.ts';
import { DEFAULT_POLICY } from '../core/machine/update-policy.ts';
import { readDocumentFile } from './document-file.ts';
import type { Problem } from '../base/problem.ts';
import { documentWithErrors } from './document-findings.ts';
import type { World } from '../base/world.ts';

/** The options that select the registry, and the policy with its terms. */
export interface RegistryOptions {
  readonly json?: true;
  readonly registry?: string;
  readonly policy?: string;
}

/** The terms of the policy that `options` name, by default the default terms. */
export async function readTerms(options: RegistryOptions): Promise<Result<UpdateTerms, Problem>> {
  const policy = await readPolicy(options);
  return policy.ok ? { ok: true, value: policy.value.terms } : policy;
}

/** The policy that `options` name, by default the default policy. */
export async function readPolicy({
  policy: path,
}: RegistryOptions): Promise<Result<UpdatePolicy, Problem>> {
  if (path === undefined) return { ok: true, value: DEFAULT_POLICY };
  const file = readDocumentFile(path);
  if (!file.ok) return file;
  // Imported here, so that the code that reads documents is loaded only when it is needed.
  const { readUpdatePolicy } = await import('../config/read-document.ts');
  const policy = readUpdatePolicy(file.value.bytes);
  if (policy.ok) return policy;
  return { ok: false, error: documentWithErrors('the policy', path, policy, 'policy') };
}

/** The registry that the command line names, else that of `MODREG_REGISTRY`. */
export function namedRegistry(
  { registry }: RegistryOptions,
  { environment }: World,
): string | undefined {
  return registry ?? (environment['MODREG_REGISTRY'] || undefined);
}

/** The default path of the embedded registry's file; undefined if neither PLATFORM_HOME nor HOME is set. */
export function defaultDatabase({ environment }: World): string | undefined {
  const home = platformHome(environment);
  return home && join(home, 'registry.db');
}

/** The homes of the agent and of the registry of the Debian package. */
const AGENT_HOME = '/var/lib/modreg';
const REGISTRY_HOME = '/var/lib/modreg-registry';

/**
 * Whose registry this machine has, if the default file does not exist and the service of the Debian package serves another one:
 * a second one would be served by none (T815). Undefined if there is no such service, or if PLATFORM_HOME names another home
 * than that of the agent, which is what root has.
 */
export function servedElsewhere(world: World): Problem | undefined {
  const { PLATFORM_HOME: home } = world.environment;
  if (home && home !== AGENT_HOME) return undefined;
  if (existingDatabase(world) !== undefined) return undefined;
  if (!existsSync(join(REGISTRY_HOME, 'registry.db'))) return undefined;
  return {
    severity: 'error',
    kind: 'usage',
    message: `there is no registry of this user, and the service modreg-registry has its own in ${REGISTRY_HOME}; nothing was changed`,
    hint: `run the command as the user of the service: runuser -u modreg-registry -- env PLATFORM_HOME=${REGISTRY_HOME} modreg …; --db names another file`,
  };
}

/** The absolute path of that file if it exists. A relative home is relative to the current folder. */
export function existingDatabase(world: World): string | undefined {
  const path = defaultDatabase(world);
  return path !== undefined && existsSync(path) ? resolve(path) : undefined;
}

/** The problem that a command needs a registry and none is named. */
export function noRegistry(world: World): Problem {
  const home = platformHome(world.environment);
  const file = home === undefined ? '$PLATFORM_HOME/registry.db' : `${excerpt(home)}/registry.db`;
  return {
    severity: 'error',
    kind: 'no-registry',
    message: 'no registry is named',
    hint: `name one with --registry, else MODREG_REGISTRY, else "registry" in the policy of --policy, or create ${file}`,
  };
}

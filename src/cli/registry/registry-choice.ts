import type { UpdateTerms } from '../../config/index.ts';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { platformHome } from '../../config/platform-home.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Result } from '../../core/index.ts';
import { DEFAULT_TERMS } from '../../core/machine/update-policy.ts';
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

/** The terms of the policy that `options` name, or else the default ones. */
export async function readTerms({
  policy: path,
}: RegistryOptions): Promise<Result<UpdateTerms, Problem>> {
  if (path === undefined) return { ok: true, value: DEFAULT_TERMS };
  const file = readDocumentFile(path);
  if (!file.ok) return file;
  // The code that reads documents only loads where there is one.
  const { readUpdatePolicy } = await import('../../config/read-document.ts');
  const policy = readUpdatePolicy(file.value.bytes);
  if (policy.ok) return { ok: true, value: policy.value.terms };
  return { ok: false, error: unreadDocument('the policy', path, policy, 'policy') };
}

/** The registry that the command line names, or else the environment. */
export function namedRegistry(
  { registry }: RegistryOptions,
  { environment }: World,
): string | undefined {
  return registry ?? (environment['MODREG_REGISTRY'] || undefined);
}

/** Where the embedded registry's file is unless it is named; undefined without any home. */
export function defaultDatabase({ environment }: World): string | undefined {
  const home = platformHome(environment);
  return home && join(home, 'registry.db');
}

/** That file, where there is one. A relative home begins where the process is, not where a policy is. */
export function existingDatabase(world: World): string | undefined {
  const path = defaultDatabase(world);
  return path !== undefined && existsSync(path) ? resolve(path) : undefined;
}

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

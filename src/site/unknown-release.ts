import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { listReleases } from './module-lists.ts';
import { unknownVersion, versionIn } from './named-release.ts';

/**
 * The error that the registry at an address does not have a module, or this version of it (D490); undefined if it has it. Also if its list cannot be read:
 * a token that reads reports need not read lists.
 */
export async function unknownAt(
  registry: string,
  { module, version: text }: { readonly module: string; readonly version: string | undefined },
  world: World,
): Promise<Problem | undefined> {
  const listed = await listReleases(module, { registry }, world);
  if (!listed.ok) return listed.error.kind === 'unknown-module' ? listed.error : undefined;
  const version = text === undefined ? undefined : versionIn(text);
  if (!version?.ok) return undefined;
  const { moduleId, releases } = listed.value;
  const versions = releases.map((one) => one.version.text);
  const asked = { moduleId, version: version.value.text };
  return versions.includes(asked.version) ? undefined : unknownVersion(asked, versions);
}

import type { Result } from '../core/index.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { listReleases } from './module-lists.ts';
import { unknownVersion, versionIn } from './named-release.ts';
import type { ReadOptions } from './remote-lists.ts';

/** A release as it was typed. */
interface Typed {
  readonly module: string;
  readonly version: string | undefined;
}

/**
 * The error that the registry at an address does not have a module, or this version of it (D490); undefined if it has it. Also if its list cannot be read:
 * a token that reads reports need not read lists.
 */
export async function unknownAt(
  registry: string,
  { module, version: text }: Typed,
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

const UNKNOWN: ReadonlySet<string> = new Set([
  'unknown-module',
  'unknown-version',
  'unknown-rollout',
]);

/** The result of a command about a release: if the registry does not have it, with the nearest name and what there is, as far as its list can be read (D435). */
export async function withNearest<T>(
  result: Result<T, Problem>,
  { module, version }: Typed,
  options: ReadOptions,
  world: World,
): Promise<Result<T, Problem>> {
  if (result.ok || !UNKNOWN.has(result.error.kind)) return result;
  const listed = await listReleases(module, options, world);
  if (!listed.ok) {
    if (listed.error.kind !== 'unknown-module') return result;
    const { suggestion, hint } = listed.error;
    return { ok: false, error: { ...result.error, suggestion, hint } };
  }
  const { moduleId, releases } = listed.value;
  const versions = releases.map((one) => one.version.text);
  if (version === undefined || versions.includes(version)) return result;
  const { suggestion, hint } = unknownVersion({ moduleId, version }, versions);
  return { ok: false, error: { ...result.error, suggestion, hint } };
}

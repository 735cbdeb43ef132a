import type { Result } from '../core/index.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { withCatalogue } from './catalogue-options.ts';
import { unknownRelease, type NamedRelease } from './named-release.ts';
import { refusalProblem, withWriter, type ChangeOptions } from './remote-registry.ts';

/** A release, and the reason to deprecate it; null to revert that. */
export interface Deprecation extends NamedRelease {
  readonly reason: string | null;
}

const WRITE = { mode: 'write', hasAddress: true } as const;

/** Deprecates a release or reverts that, in a file or over HTTP. Returns whether it changed something, as far as the registry says it. */
export async function deprecateRelease(
  deprecation: Deprecation,
  options: ChangeOptions,
  world: World,
): Promise<Result<boolean, Problem>> {
  const { moduleId, version, reason } = deprecation;
  const now = world.clock();
  if (options.registry === undefined) {
    return withCatalogue(options, world, WRITE, (catalogue): Result<boolean, Problem> => {
      const result = catalogue.apply({ kind: 'deprecate', moduleId, version, reason, now });
      if (result === 'done' || result === 'unchanged')
        return { ok: true, value: result === 'done' };
      return { ok: false, error: unknownRelease(result, deprecation) };
    });
  }
  return await withWriter(options, world, async (writer) => {
    const result = await writer.deprecate(moduleId, version, reason);
    if (result.kind !== 'done') return { ok: false, error: refusalProblem(result) };
    return { ok: true, value: true };
  });
}

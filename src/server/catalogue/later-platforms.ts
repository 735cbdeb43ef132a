import type { ModuleId } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Catalogue } from './catalogue.ts';
import type { PublishedRelease } from './published-release.ts';

/** That a release is published again for other platforms, for a person, as by the job that builds each of them (T359); undefined if it is not. */
export function describeLaterPlatforms(
  catalogue: Pick<Catalogue, 'rollouts'>,
  moduleId: ModuleId,
  release: Pick<PublishedRelease, 'version' | 'artifacts'>,
): string | undefined {
  const known = catalogue.rollouts.platforms(moduleId, release.version) ?? [];
  return laterPlatforms(known, moduleId, release);
}

/** The same of a release that is published for the platforms `known`. */
export function laterPlatforms(
  known: readonly string[],
  moduleId: ModuleId,
  { version, artifacts = [] }: Pick<PublishedRelease, 'version' | 'artifacts'>,
): string | undefined {
  const more = artifacts.map(({ platform }) => platform).filter((one) => !known.includes(one));
  if (known.length === 0 || more.length === 0) return undefined;
  // Another program may have written the file.
  const [added, there] = [more, known].map((names) => excerpt(names.join(', ')));
  return `${moduleId} ${version} is already published, for ${there}, and ${added} cannot be added later`;
}

import type { ModuleId, ReleaseRecord, Result } from '../core/index.ts';
import { quote } from '../core/text/quote.ts';
import type { Problem } from '../base/problem.ts';
import type { PublishedRelease } from '../server/index.ts';
import { releasesFrom } from './release-options.ts';

/** More are only counted. */
const MOST_NAMED = 3;

/** The release that a file describes as `registry publish --file` reads it, before it is published; undefined without a file. */
export function describedRelease(
  path: string | undefined,
  moduleId: ModuleId,
  version: string,
): Result<ReleaseRecord | undefined, Problem> {
  if (path === undefined) return { ok: true, value: undefined };
  const read = releasesFrom([moduleId, undefined], { file: path }, []);
  if (!read.ok) return read;
  const release = read.value.find((one) => one.version === version);
  if (!release) {
    const found = read.value.slice(0, MOST_NAMED).map((one) => one.version);
    const more = read.value.length > MOST_NAMED ? ', …' : '';
    const only = found.length === 0 ? 'it is empty' : `it has ${found.join(', ')}${more}`;
    const message = `${quote(path)}: ${only}, expected a release ${version}`;
    return { ok: false, error: { severity: 'error', kind: 'bad-value', message } };
  }
  return { ok: true, value: recordOf(release) };
}

/** The release as a list would have it once it is published for all machines. */
export function recordOf(release: PublishedRelease): ReleaseRecord {
  const { version, publishedAt, artifacts, deprecated, yanked, requires, floor } = release;
  return {
    version,
    ...(publishedAt !== undefined && { publishedAt }),
    artifacts,
    deprecated,
    yanked,
    ...(requires && { requires }),
    floor,
  };
}

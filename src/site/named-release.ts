import {
  parseModuleId,
  parseVersion,
  type ModuleId,
  type Result,
  type Version,
} from '../core/index.ts';
import { nearestWord } from '../core/text/nearest-word.ts';
import { countOf } from '../base/count.ts';
import { parseProblem, type Problem } from '../base/problem.ts';

/** A release that somebody names, which need not exist. */
export interface NamedRelease {
  readonly moduleId: ModuleId;
  readonly version: string;
}

/** The module that a text names. */
export function moduleIdIn(text: string): Result<ModuleId, Problem> {
  const moduleId = parseModuleId(text);
  return moduleId.ok ? moduleId : { ok: false, error: parseProblem(moduleId.error) };
}

/** The version that a text names. */
export function versionIn(text: string): Result<Version, Problem> {
  const version = parseVersion(text);
  return version.ok ? version : { ok: false, error: parseProblem(version.error) };
}

/** The error that a registry does not have a release. */
export function unknownRelease(
  kind: 'unknown-module' | 'unknown-version',
  { moduleId, version }: NamedRelease,
): Problem {
  const message =
    kind === 'unknown-module'
      ? `nothing was ever published for ${moduleId}`
      : `${moduleId} has no version ${version}`;
  return { severity: 'error', kind, message };
}

const LISTED = 10;

/** The error that a module has no such version; `versions` are those that it has, the newest first. */
export function unknownVersion(
  { moduleId, version }: NamedRelease,
  versions: readonly string[],
): Problem {
  const rest = versions.length > LISTED ? ', …' : '';
  const listed = versions.slice(0, LISTED).join(', ');
  return {
    ...unknownRelease('unknown-version', { moduleId, version }),
    suggestion: nearestWord(version, versions),
    hint: `${moduleId} has ${countOf(versions.length, 'release')}: ${listed}${rest}`,
  };
}

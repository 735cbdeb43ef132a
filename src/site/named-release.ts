import {
  parseModuleId,
  parseVersion,
  type ModuleId,
  type Result,
  type Version,
} from '../core/index.ts';
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

import type { Result } from '../../core/index.ts';
import { usage, type Problem } from '../../base/problem.ts';
import { readReason } from '../../server/catalogue/published-reason.ts';
import { moduleIdIn, versionIn, type NamedRelease } from '../../site/named-release.ts';

/** The release that the arguments of a yank or a deprecation name, and its reason; null to revert it. */
export function readMarked(
  [moduleIdText, versionText]: readonly [string, string],
  reason: string | null,
): Result<NamedRelease & { readonly reason: string | null }, Problem> {
  const version = versionIn(versionText);
  if (!version.ok) return version;
  const read = readReason({ reason: reason ?? '' });
  if (!read.ok) return { ok: false, error: usage(`--reason: ${read.error[0]}`) };
  const moduleId = moduleIdIn(moduleIdText);
  if (!moduleId.ok) return moduleId;
  return { ok: true, value: { moduleId: moduleId.value, version: version.value.text, reason } };
}

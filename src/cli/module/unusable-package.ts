import { checkPackage, type CheckedPackage } from '../../agent/check-package.ts';
import type { Platform, Result } from '../../core/index.ts';
import { fitsPlatform, PLATFORMS } from '../../core/releases/platform.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Problem } from '../../base/problem.ts';
import { isFile } from './pack-folder.ts';

/** What the agents of these platforms find in the file at `path`, named `name`; or why one of them cannot run it, in its words (D243). */
export async function checkedFor(
  path: string,
  name: string,
  [platform, ...others]: readonly [Platform, ...Platform[]],
): Promise<Result<CheckedPackage, Problem>> {
  const checked = await checkPackage(path, platform);
  if (!checked.ok) {
    const message = `${excerpt(name)} cannot be run on ${platform}: ${checked.error.reason}`;
    return { ok: false, error: { severity: 'error', kind: 'unusable-package', message } };
  }
  const [next, ...rest] = others;
  return next ? await checkedFor(path, name, [next, ...rest]) : checked;
}

/** Why a machine could not run a file of `--upload`, `<platform>=<file>` or `<file>`; undefined if all could (D243). */
export async function unusableUpload(texts: readonly string[]): Promise<Problem | undefined> {
  for (const text of texts) {
    const equals = text.indexOf('=');
    const published = equals < 0 ? 'any' : text.slice(0, equals);
    const path = text.slice(equals + 1);
    const [platform, ...others] = PLATFORMS.filter((one) => fitsPlatform(published, one));
    // The publication says what cannot be read. modreg's agent runs on no other platform.
    if (!platform || !isFile(path)) continue;
    const checked = await checkedFor(path, path, [platform, ...others]);
    if (!checked.ok) return { ...checked.error, hint: UNCHECKED };
  }
  return undefined;
}

const UNCHECKED =
  'nothing was published; for machines whose agent is not that of modreg, --no-check publishes it as it is';

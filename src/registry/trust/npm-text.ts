import type { ModuleId } from '../../core/index.ts';
import { DIGEST } from '../../core/trust/release-text.ts';
import { npmName } from '../formats/npm-name.ts';

/**
 * The text that an npm registry signs for a version of a package whose file has this digest: `@acme/lidar@1.2.0:sha512-…`. Undefined without a
 * complete sha512 or sha256 (D200).
 */
export function npmText(
  moduleId: ModuleId,
  version: string,
  digest: string | undefined,
): string | undefined {
  if (digest === undefined || !DIGEST.test(digest)) return undefined;
  const [algorithm = '', hex = ''] = digest.split(':');
  const integrity = `${algorithm}-${Buffer.from(hex, 'hex').toString('base64')}`;
  return `${npmName(moduleId)}@${version}:${integrity}`;
}

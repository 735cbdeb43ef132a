import type { Ledger } from './ledger.ts';
import type { WireList, WireRelease } from './published.ts';

const PLATFORMS = ['linux/arm64', 'linux/amd64'];

/**
 * The releases of a list that the registry at `address` gave, by what was seen of it so far: those of which a file is another
 * than it was at first have no file for anybody. (I2)
 */
export function trusted(
  { firstDigests }: Ledger,
  address: string,
  { module_id, releases }: WireList,
): readonly WireRelease[] {
  return releases.map((release) => {
    const { version, artifacts } = release;
    const isTrusted = PLATFORMS.every((platform) => {
      const first = firstDigests.get(`${address} ${module_id} ${version} ${platform}`)?.digest;
      const now = artifacts?.find((file) => file.platform === platform);
      // A file that is not there any more beside another is nobody's.
      if (first === undefined || (artifacts && !now)) return true;
      return now?.digest === first;
    });
    return isTrusted ? release : Object.assign({}, release, { artifacts: [] });
  });
}

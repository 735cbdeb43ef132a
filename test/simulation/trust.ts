import type { Ledger } from './ledger.ts';
import type { WireList, WireRelease } from './published.ts';

const PLATFORMS = ['linux/arm64', 'linux/amd64'];

/** The releases of a list. A release with a file that differs from the first one seen has no usable file. (I2) */
export function trusted(
  { firstDigests }: Ledger,
  address: string,
  { module_id, releases }: WireList,
): readonly WireRelease[] {
  const ofModule = firstDigests.get(`${address} ${module_id}`);
  if (!ofModule) return releases;
  return releases.map((release) => {
    const { version, artifacts } = release;
    const isTrusted = PLATFORMS.every((platform) => {
      const first = ofModule.get(`${version} ${platform}`)?.digest;
      const now = artifacts?.find((file) => file.platform === platform);
      // A platform without a file is ignored if the release lists files.
      if (first === undefined || (artifacts && !now)) return true;
      return now?.digest === first;
    });
    return isTrusted ? release : Object.assign({}, release, { artifacts: [] });
  });
}

import { describe, expect, it } from 'vitest';
import { checkFreeSpace, reserveOf } from '../../../src/agent/install/free-space.ts';
import { temporaryFolder } from '../../support/folder.ts';

const MIB = 1_048_576n;

it.each<[bigint, number | undefined, bigint]>([
  [100n, undefined, 10n],
  [200n, undefined, 20n],
  [2560n, undefined, 256n],
  [64_000n, undefined, 256n],
  [200n, 0, 0n],
  [64_000n, 1024, 1024n],
])('[T343] of a disk of %i MiB, with disk_reserve_mib %s, %i MiB stay free', (size, own, kept) => {
  expect(reserveOf(size * MIB, own) / MIB).toBe(kept);
});

describe('[T343] an installation', () => {
  it('leaves free what the policy says', async () => {
    const folder = temporaryFolder();
    const need = { bytes: 0, entries: 1, reserveMib: 1_000_000_000 };
    await expect(checkFreeSpace(folder, need)).rejects.toThrow(
      /MiB free, 1000000000 needed, of which 1000000000 stay free; what was downloaded is kept/,
    );
    await expect(checkFreeSpace(folder, { ...need, reserveMib: 0 })).resolves.toBeUndefined();
  });
});

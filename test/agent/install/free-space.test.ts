import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkFreeSpace, reserveOf } from '../../../src/agent/install/free-space.ts';
import { nameOf } from '../../../src/agent/install/install-package.ts';
import { fileServer, type FileAnswer } from '../../../mocks/file-server.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { install } from '../../support/installing.ts';
import { smallDisk } from '../../support/small-disk.ts';

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

function notFound(response: Parameters<FileAnswer>[0]): void {
  response.writeHead(404).end();
}

it.for([
  [
    0,
    'the disk of "HOME" is full: 12 MiB free, 18 needed, of which 2 stay free; what was downloaded is kept, and modules keep running: free some space',
  ],
  [12, 'the server of the file at http://127.0.0.1/lidar.tgz does not have it (404)'],
] as const)(
  '[T343] of a download of 16 MiB, the %i MiB that are there need no more space',
  async ([mib, expected], context) => {
    const home = `${temporaryFolder()}/home`;
    smallDisk(context, home, '24m');
    const { artifact } = await fileServer(Buffer.alloc(0), [notFound]);
    const release = { ...artifact, size: 16 * Number(MIB) };
    mkdirSync(`${home}/downloads`);
    writeFileSync(`${home}/downloads/${nameOf(release)}.part`, Buffer.alloc(mib * Number(MIB)));
    // With the folders, twelve mebibytes are left.
    writeFileSync(`${home}/other`, Buffer.alloc(Math.max(0, (12 - mib) * Number(MIB) - 65_536)));
    const installed = await install(home, release);
    const reason = installed.ok ? 'it is installed' : installed.error.reason;
    expect(reason.replace(home, 'HOME').replace(/:\d+\//, '/')).toBe(expected);
  },
);

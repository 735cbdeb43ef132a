import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { settled } from '../../../src/agent/install/install-failure.ts';
import { parseFault, type InjectedFault } from '../../faults/injected-fault.ts';
import { INSTALL_SCENE } from '../../faults/install-scene.ts';
import { playFault } from '../../faults/play-faults.ts';
import { canTrace } from '../../faults/run-traced.ts';
import { needs } from '../../support/prerequisite.ts';
import { shWithMounts } from '../../support/shell.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ROOT } from '../../support/modreg.ts';
import { packageFile } from '../../support/tar-file.ts';

/** One fault of each kind; `npm run faults -- calls --in install` plays more. */
const FAULTS = [
  'pwrite64:ENOSPC:1',
  'fdatasync:EIO:1',
  'write:ENOSPC:2+',
  'mkdir:ENOSPC:4',
  'syncfs:EIO:1',
  'rename:EROFS:2',
  'fsync:EIO:1+',
  'statfs:EIO:1',
  'openat:EMFILE:5',
];

describe('[A8] a disk that fails', () => {
  it.concurrent.for(FAULTS)('%s: nothing incomplete is installed', async (text, context) => {
    needs(context, canTrace(), 'strace is not installed, or may not be used here');
    const { findings, call } = await playFault(INSTALL_SCENE, parseFault(text) as InjectedFault);
    expect(findings).toEqual([]);
    expect(call).not.toBeUndefined();
  });
});

/** What an installation says on a file system with these options, and what it leaves there. */
function onFileSystem(
  options: string,
  prepared: readonly string[],
  context: Parameters<typeof shWithMounts>[0],
): string[] {
  const folder = temporaryFolder({ 'package.tgz': packageFile() });
  const said = shWithMounts(
    context,
    [
      `mkdir ${folder}/home`,
      `mount -t tmpfs -o ${options} none ${folder}/home`,
      ...prepared.map((step) => step.replaceAll('@', `${folder}/home`)),
      `{ node ${ROOT}test/support/install-once.ts ${folder} 2>&1 || true; }`,
      `{ find ${folder}/home -type f; }`,
    ],
    { PATH: `${ROOT}node_modules/.bin:${process.env['PATH']}` },
  );
  return said
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(`${folder}/home`, '@'));
}

describe('[A8] a disk without space', () => {
  it('[T343] in bytes, of which a tenth stays free', (context) => {
    const fill = ['head -c 95m /dev/zero >@/fill'];
    expect(onFileSystem('size=100m', fill, context)).toEqual([
      '{"blame":"machine","kind":"disk-full","reason":"the disk of \\"@\\" is full: 5 MiB free, 10 needed, of which 10 stay free; what was downloaded is kept, and modules keep running: free some space"}',
      '@/fill',
    ]);
  });

  it('in files and folders, before anything is written', (context) => {
    expect(onFileSystem('size=300m,nr_inodes=1000', [], context)).toEqual([
      '{"blame":"machine","kind":"disk-full","reason":"the disk of \\"@\\" is full: 998 files free, 1025 needed, of which 1024 stay free; what was downloaded is kept, and modules keep running: free some space"}',
    ]);
  });

  it('while it is written: names the folder and what is free', async () => {
    const folder = temporaryFolder();
    const result = await settled({ signal: undefined, folder }, async () => {
      await writeFile('/dev/full', 'x');
    });
    expect(result).toEqual({
      ok: false,
      error: {
        blame: 'machine',
        kind: 'disk-full',
        reason: expect.stringMatching(
          /^the disk of "[^"]+" is full: write fails \(ENOSPC\), \d+ MiB and \d+ files free; what was downloaded is kept, and modules keep running: free some space$/,
        ) as string,
      },
    });
  });

  it('which is read-only', (context) => {
    const prepared = ['mkdir @/downloads', 'mount -o remount,ro @'];
    expect(onFileSystem('size=300m', prepared, context)).toEqual([
      expect.stringMatching(
        /^\{"blame":"machine","kind":"unusable-disk","reason":"\\"@\/downloads\/sha256-[0-9a-f]{64}.part\\": open fails \(EROFS\)"\}$/,
      ),
    ]);
  });
});

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { removeUnused } from '../../src/agent/install/retention.ts';
import { readPackage } from '../../src/agent/install/package.ts';
import { runTraced, type Ended } from './run-traced.ts';
import { ROOT } from '../support/modreg.ts';
import { PLACE } from '../support/installing.ts';
import { artifactOf } from '../../mocks/file-server.ts';
import { packageFile } from '../support/tar-file.ts';
import type { Scene } from './scene.ts';

const NOTES = 'lidar '.repeat(50_000);
const FILE = packageFile(
  { name: 'share/notes', content: NOTES },
  { name: 'lib', type: '2', target: 'share' },
);
const [, DIGEST = ''] = artifactOf(FILE).digest.split(':');
const CONTENT = ['meta.json', 'bin', 'bin/lidar', 'share', 'share/notes', 'lib'];

/** An installation of a package. */
export const INSTALL_SCENE: Scene = {
  name: 'install',
  prepare: (folder) => {
    mkdirSync(`${folder}/home`);
    writeFileSync(`${folder}/package.tgz`, FILE);
  },
  // strace counts the calls of each thread.
  command: (folder) => [
    'env',
    'UV_THREADPOOL_SIZE=1',
    'node',
    `${ROOT}test/support/install-once.ts`,
    folder,
  ],
  files: (folder) => filesIn(`${folder}/home`),
  judge: async (folder, ended) => {
    const findings = [
      ...failureFindings(ended),
      ...packageFindings(folder, ended),
      ...fullDiskFindings(folder, ended),
    ];
    const again = await runTraced(INSTALL_SCENE.command(folder), undefined);
    if (again.exit !== 0) findings.push(`the next installation says: ${again.stderr}`);
    findings.push(...packageFindings(folder, again));
    await removeUnused(`${folder}/home`, {
      kept: new Set([`${folder}/home/${PLACE}`]),
      now: Infinity,
    });
    return [...findings, ...packageFindings(folder, again)];
  },
};

/** Every file that an installation uses. */
function filesIn(home: string): string[] {
  const staging = `${home}/staging/${PLACE.split('/').at(-1)}`;
  const download = `${home}/downloads/sha256-${DIGEST}`;
  const parents = PLACE.split('/').map((_name, place, names) =>
    names.slice(0, place + 1).join('/'),
  );
  return [
    home,
    `${home}/downloads`,
    download,
    `${download}.part`,
    `${home}/staging`,
    ...parents.map((path) => `${home}/${path}`),
    staging,
    ...CONTENT.flatMap((path) => [`${staging}/${path}`, `${home}/${PLACE}/${path}`]),
  ];
}

/** A fault of the disk is one of the machine, and is said in one line. */
function failureFindings({ exit, stderr }: Ended): string[] {
  if (exit === 0 || exit === null) return [];
  const isSaid = /^\{"blame":"machine","kind":"(disk-full|unusable-disk)","reason":.*\}\n$/.test(
    stderr,
  );
  return isSaid ? [] : [`the installation exits with ${exit} and says: ${stderr}`];
}

/** On a full disk, what has arrived is kept, and what was unpacked is not. */
function fullDiskFindings(folder: string, { stderr }: Ended): string[] {
  const home = `${folder}/home`;
  if (!stderr.includes('"disk-full"') || !existsSync(`${home}/staging`)) return [];
  const isKept = readdirSync(`${home}/downloads`).length === 1;
  const isRemoved = readdirSync(`${home}/staging`).length === 0;
  return isKept && isRemoved ? [] : ['the download is lost, or what was unpacked is left'];
}

/** The package is complete, or it has no name. */
function packageFindings(folder: string, { exit }: Ended): string[] {
  const root = `${folder}/home/${PLACE}`;
  if (!existsSync(root)) return exit === 0 ? ['the package is not installed'] : [];
  const found = readPackage(root, { command: undefined, platform: 'linux/amd64' });
  if (!found.ok) return [`the package is not complete: ${found.error.reason}`];
  const isWhole = readFileSync(`${root}/lib/notes`, 'utf8') === NOTES;
  return isWhole ? [] : ['the package has another content'];
}

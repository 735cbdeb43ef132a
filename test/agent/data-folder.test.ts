import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { whyNoData, whyNotHandedOver } from '../../src/agent/data-folder.ts';
import { agentSite } from '../support/agent-site.ts';
import { temporaryFolder } from '../support/folder.ts';
import { entry } from '../support/planned.ts';
import { needs } from '../support/prerequisite.ts';

const isRoot = process.getuid?.() === 0;
const NEEDS_ROOT = 'this process is not root, and cannot change owners';
const USER = { uid: 54_321, gid: 54_322, groups: [54_322, 54_323] };
const LIDAR = { modules: [entry('acme:lidar', '1.*', 'lidar')] };

/** A folder that users of modules may enter. */
function openFolder(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  return folder;
}

function modeAt(path: string): string {
  const { mode, uid } = statSync(path);
  return `${(mode & 0o777).toString(8)} ${uid === process.getuid?.() ? 'own' : uid}`;
}

describe('[A23] the folder for the data of a module', () => {
  it.each([0o022, 0o077, 0o777])('has its modes and owners with the umask %o', (mask) => {
    const before = process.umask(mask);
    onTestFinished(() => void process.umask(before));
    const folder = openFolder();
    const runAs = isRoot ? USER : undefined;
    expect(whyNoData(`${folder}/module-data/m1/lidar`, runAs)).toBeUndefined();
    const all = ['', '/m1', '/m1/lidar'].map((path) => modeAt(`${folder}/module-data${path}`));
    expect(all).toEqual(['755 own', '755 own', `700 ${isRoot ? USER.uid : 'own'}`]);
  });

  it('is below folders that its user may enter, also if an earlier modreg created them', (context) => {
    needs(context, isRoot, NEEDS_ROOT);
    const folder = openFolder();
    mkdirSync(`${folder}/module-data/m1`, { recursive: true });
    chmodSync(`${folder}/module-data/m1`, 0o700);
    chmodSync(`${folder}/module-data`, 0o700);
    expect(whyNoData(`${folder}/module-data/m1/lidar`, USER)).toBeUndefined();
    expect(modeAt(`${folder}/module-data`)).toBe('711 own');
  });

  it('cannot be created: says where and why', () => {
    const folder = temporaryFolder({ 'module-data': '' });
    expect(whyNoData(`${folder}/module-data/m1/lidar`, undefined)).toBe(
      `"${folder}/module-data/m1/lidar" cannot be created (ENOTDIR)`,
    );
  });

  it('is a link to a disk that is not there', () => {
    const folder = openFolder();
    mkdirSync(`${folder}/module-data/m1`, { recursive: true });
    const path = `${folder}/module-data/m1/lidar`;
    symlinkSync('/absent/usb', path);
    expect(whyNoData(path, undefined)).toBe(
      `"${path}" cannot be used: it is a link to "/absent/usb", which is not there; mount its disk, or remove the link`,
    );
    expect(readlinkSync(path)).toBe('/absent/usb');
  });
});

describe('[A23] the data of a module whose user changes', () => {
  it.for([
    ['to the user', 0, 0o700, USER, 'now 54321, files 54321'],
    ['back to root', 54_321, 0o700, { uid: 0, gid: 0, groups: [0] }, 'now 0, files 0'],
    ['not to a member of its group that may write', 0, 0o770, USER, 'now 0, files 0'],
    ['not if all may write', 0, 0o777, { ...USER, groups: [54_322] }, 'now 0, files 0'],
    ['to a member of its group that may only read', 0, 0o750, USER, 'now 54321, files 54321'],
  ] as const)('go %s', ([, owner, mode, runAs, expected], context) => {
    needs(context, isRoot, NEEDS_ROOT);
    const path = `${openFolder()}/lidar`;
    mkdirSync(`${path}/sub`, { recursive: true });
    writeFileSync(`${path}/sub/state`, '');
    for (const one of ['/sub/state', '/sub', '']) chownSync(path + one, owner, 54_323);
    chmodSync(path, mode);
    expect(whyNotHandedOver(path, runAs)).toBeUndefined();
    const { uid } = statSync(`${path}/sub/state`);
    expect(`now ${statSync(path).uid}, files ${uid}`).toBe(expected);
  });

  it('are only what belonged to the user before: no link is followed, and no second name of a file of root', (context) => {
    needs(context, isRoot, NEEDS_ROOT);
    const folder = openFolder();
    mkdirSync(`${folder}/lidar`, { mode: 0o700 });
    mkdirSync(`${folder}/elsewhere`);
    writeFileSync(`${folder}/elsewhere/secret`, '');
    writeFileSync(`${folder}/lidar/other`, '');
    chownSync(`${folder}/lidar/other`, 7, 7);
    symlinkSync(`${folder}/elsewhere`, `${folder}/lidar/link`);
    linkSync(`${folder}/elsewhere/secret`, `${folder}/lidar/name`);
    expect(whyNotHandedOver(`${folder}/lidar`, USER)).toBeUndefined();
    const owners = ['lidar', 'lidar/other', 'elsewhere', 'elsewhere/secret'].map(
      (path) => statSync(`${folder}/${path}`).uid,
    );
    expect(owners).toEqual([USER.uid, 7, 0, 0]);
  });

  it('cannot be handed over: says who has them, and how to', () => {
    const path = '/proc/sys';
    const runAs = isRoot ? USER : undefined;
    const uid = isRoot ? USER.uid : process.getuid?.();
    const gid = isRoot ? USER.gid : process.getgid?.();
    expect(whyNotHandedOver(path, runAs)).toMatch(
      new RegExp(
        `^"/proc/sys" belongs to user 0, the module runs as user ${uid}, and its owner cannot be changed \\((?:EPERM|EACCES|EROFS)\\); stop the agent, and run: chown -R ${uid}:${gid} "/proc/sys"$`,
      ),
    );
  });

  it('belong to the new user when it starts', async (context) => {
    needs(context, isRoot, NEEDS_ROOT);
    const site = await agentSite(LIDAR);
    chmodSync(site.home, 0o755);
    const writes = 'id -un >"$PLATFORM_MODULE_DATA/state" && echo "written as $(id -un)"';
    site.publish('acme:lidar', '1.0.0', `${writes}; exec sleep 1000`);
    const end = await site.start();
    // The output of a module may be read after it counts as ready.
    const both = /^(lidar says written as root|done)$/;
    await site.until(both);
    await site.until(both);
    await end();
    site.story.length = 0;
    await site.change({ runAs: 'nobody' });
    await site.start();
    await site.until('lidar says written as nobody');
    expect(statSync(`${site.home}/module-data/local/lidar/state`).uid).toBe(65_534);
  });
});

it('[A23] the first run of a module that has none writes its data', async () => {
  const site = await agentSite(LIDAR);
  const script = `cd "$PLATFORM_MODULE_DATA" || exit 3
    [ -e calibration ] || { echo done >calibration; exit; }
    echo "calibration is $(cat calibration)"; exec sleep 1000`;
  site.publish('acme:lidar', '1.0.0', script, { entrypoint: 'run', first_run: 'run' });
  await site.start();
  await site.until('lidar says calibration is done');
  expect(readFileSync(`${site.home}/module-data/local/lidar/calibration`, 'utf8')).toBe('done\n');
});

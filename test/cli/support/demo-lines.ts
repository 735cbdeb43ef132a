import { chmodSync } from 'node:fs';
import { temporaryFolder } from '../../support/folder.ts';

const EXITED = 'it ended with exit code 1: no motor at /dev/ttyUSB7';
const SHUT = 'the maintenance window is closed until TIME';

/** What `modreg demo --fast` shows, without times and numbers of processes. */
export const SHOWN: readonly string[] = [
  `A registry gets a release of each of four modules. Everything is in FOLDER.`,
  '$ modreg registry serve --port 0 &',
  'listening on http://127.0.0.1:PORT',
  ...published('lidar 1.2.3', 'camera 1.0.0', 'arm 2.0.0', 'gripper 3.0.0'),
  'The agent of a machine installs what its machine.json accepts of them.',
  '$ modreg agent run machine.json --interval 5s &',
  'running 4 modules of FOLDER/machine.json, a round every 5 s (Ctrl-C stops)',
  'lidar: install of 1.2.3: not deployed yet; newest patch of 1.2',
  'camera: install of 1.0.0: not deployed yet; pinned',
  'arm: install of 2.0.0: not deployed yet; newest release of 2',
  'gripper: install of 3.0.0: not deployed yet; newest release',
  'lidar: install of 1.2.3: done',
  'camera: install of 1.0.0: done',
  'arm: install of 2.0.0: done',
  'gripper: install of 3.0.0: done',
  'The lidar accepts 1.2.*, so it is upgraded to 1.2.4. The camera is pinned to 1.0.0.',
  ...published('lidar 1.2.4', 'camera 1.1.0'),
  'lidar: upgrade 1.2.3 → 1.2.4: newest patch of 1.2',
  'lidar: upgrade 1.2.3 → 1.2.4: done',
  '$ modreg why acme:camera',
  'TIME installed 1.0.0: not deployed yet; pinned',
  'TIME stayed at 1.0.0: pinned; 1.0.0 was deployed',
  'A release of the arm does not work. The release before it is started again.',
  ...published('arm 2.1.0'),
  'arm: upgrade 2.0.0 → 2.1.0: newest release of 2',
  'arm: no motor at /dev/ttyUSB7',
  `arm: 2.1.0 failed: ${EXITED}`,
  'arm: 2.0.0 is started again',
  `arm: upgrade 2.0.0 → 2.1.0: the release failed: ${EXITED}`,
  `acme:arm 2.1.0 is in quarantine until an operator lifts it (modreg quarantine lift acme:arm 2.1.0): ${EXITED}`,
  '$ modreg why acme:arm',
  'TIME installed 2.0.0: not deployed yet; newest release of 2',
  'TIME stayed at 2.0.0: already the newest release of 2; 2.0.0 was deployed',
  'TIME decided to upgrade 2.0.0 → 2.1.0: newest release of 2; 2.1.0 was published',
  `TIME stayed at 2.0.0: 2.1.0 is quarantined on this machine (${EXITED}); 2.1.0 failed`,
  'The gripper may only be replaced in its maintenance window, which is closed.',
  ...published('gripper 3.1.0'),
  `gripper: the upgrade to 3.1.0 is held: ${SHUT}`,
  '$ modreg why acme:gripper',
  'TIME installed 3.0.0: not deployed yet; newest release',
  'TIME stayed at 3.0.0: already the newest release; 3.0.0 was deployed',
  `TIME held the upgrade 3.0.0 → 3.1.0: ${SHUT} (in A WHILE); 3.1.0 was published`,
  'This is what runs now.',
  '$ modreg agent status',
  'MODULE VERSION STATE PROCESS MEMORY UPDATE',
  'lidar 1.2.4 running PID SIZE up to date',
  'camera 1.0.0 running PID SIZE up to date',
  'arm 2.0.0 running PID SIZE up to date',
  `gripper 3.0.0 running PID SIZE waiting: ${SHUT}`,
  'In quarantine (modreg quarantine lift MODULE VERSION lets one be selected again):',
  'MODULE VERSION SINCE UNTIL WHY',
  `acme:arm 2.1.0 TIME an operator lifts it, or another digest ${EXITED}`,
  'The page of the machine shows the same, and can change it.',
  '$ modreg page machine.json --port 0 &',
  'the address for signing in is in "FOLDER/home/page-address"',
  'The page, the agent and the registry end with the demo.',
  'got SIGTERM: stopping all modules',
  'all modules are stopped',
  'The state of the machine stays in FOLDER. Try (in a clone, modreg is ./bin/modreg):',
  'export PLATFORM_HOME=FOLDER/home',
  'modreg status',
  'modreg why acme:arm',
  'modreg agent logs arm',
  'modreg quarantine list',
  'modreg check FOLDER/machine.json',
  'rm -r FOLDER',
];

function published(...releases: readonly string[]): string[] {
  return releases.flatMap((release) => {
    const [name, version] = release.split(' ');
    return [
      `$ modreg registry publish acme:${name} ${version} --upload ${name}-${version}.tgz`,
      `acme:${name}: 1 published, 0 unchanged`,
    ];
  });
}

/** A folder for a demo: modules may run as another user. */
export function openFolder(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  return folder;
}

/** A line of a demo without times and numbers of processes. */
export function masked(line: string): string {
  return line
    .replaceAll(/\/[^ =]+\/modreg-demo-\w+/g, 'FOLDER')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME')
    .replace(/^ *\d+\.\d {2}/, '')
    .replace(/in \d+ h( \d+ min)?/, 'in A WHILE')
    .replace(/running +\d+ +\d+ MB/, 'running PID SIZE')
    .replace(/127\.0\.0\.1:\d+/, '127.0.0.1:PORT')
    .replaceAll(/ +/g, ' ')
    .trim();
}

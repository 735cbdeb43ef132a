import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { modreg, ROOT, runModreg } from '../support/modreg.ts';
import { demoRunning } from '../support/polling.ts';

const EXITED = 'it ended with exit code 1: no motor at /dev/ttyUSB7';
const SHUT = 'the maintenance window is closed until TIME';

/** What is shown, without times and numbers of processes. */
const SHOWN = [
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
  'lidar 1.2.4 running PID SIZE up-to-date',
  'camera 1.0.0 running PID SIZE up-to-date',
  'arm 2.0.0 running PID SIZE up-to-date',
  `gripper 3.0.0 running PID SIZE hold: ${SHUT}`,
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

/** Modules may run as another user. */
function openFolder(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  return folder;
}

function masked(line: string): string {
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

describe('modreg demo', () => {
  it('shows each line that the first page of the site has of it', () => {
    const text = readFileSync(join(ROOT, 'tools/site/landing.md'), 'utf8');
    const [, sample = ''] = text.split(/^```.*\n/m);
    const lines = sample.split('\n').map((line) => masked(line));
    const unknown = lines.filter((line) => line !== '' && !SHOWN.includes(line));
    expect(unknown).toEqual([]);
    expect(lines.length).toBeGreaterThan(15);
  });

  it('--fast shows decisions of a real registry and a real agent, and leaves what it names', async () => {
    const folder = openFolder();
    const demo = demoRunning(folder, ['--fast']);
    const lines = await demo.until('  rm -r ');
    const shown = lines.map((line) => masked(line)).filter((line) => line !== '');
    // What modules do at the same time has no order.
    expect(shown.toSorted()).toEqual(SHOWN.toSorted());
    const name = readdirSync(folder).find((one) => one.startsWith('modreg-demo-')) ?? '';
    const PLATFORM_HOME = join(folder, name, 'home');
    const status = await runModreg(['agent', 'status'], { PLATFORM_HOME });
    expect(status.stdout).toContain('  lidar     1.2.4     not running');
    expect(status.stderr).toBe('no agent is running\n');
  });

  it('--json has an object for each line', async () => {
    const { stdout, stderr, exit } = await runModreg(['demo', '--fast', '--json'], {
      TMPDIR: openFolder(),
    });
    expect([stderr, exit]).toEqual(['', 0]);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { schema: string; event?: string });
    const own = events.filter(({ schema }) => schema === 'modreg/demo@1');
    expect(own.filter(({ event }) => event === 'step')).toHaveLength(8);
    expect(own.filter(({ event }) => event === 'command')).toHaveLength(15);
    expect(own.at(-1)).toMatchObject({
      event: 'end',
      next: expect.arrayContaining(['modreg status']) as unknown,
    });
  });

  it('stops its agent and its modules on Ctrl-C', async () => {
    const demo = demoRunning(openFolder(), ['--fast']);
    await demo.until('gripper: install of 3.0.0: done');
    const { exit, lines } = await demo.end('SIGINT');
    expect([exit, lines.slice(-1).map((line) => masked(line))]).toEqual([
      130,
      ['all modules are stopped'],
    ]);
  });

  it('says where its folder cannot be created', () => {
    expect(modreg(['demo'], { TMPDIR: '/nowhere' })).toEqual({
      stdout: '',
      stderr:
        'error[STATE_WRITE]: the demo cannot write to /nowhere (ENOENT)\nhint: TMPDIR names another folder for temporary files\n',
      exit: 70,
    });
  });
});

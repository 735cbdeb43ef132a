import { chmodSync, readFileSync } from 'node:fs';
import { moduleId } from '../support/ask.ts';
import { commitOne, moduleNamed } from '../support/claimed.ts';
import { printed } from '../support/command.ts';
import { THEN, examined } from './support/examined.ts';
import { logged } from '../support/machine-home.ts';
import { inProcess } from '../support/in-process.ts';
import { patient } from './support/patient.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openMachineFile } from '../../src/store/index.ts';
import { describe, expect, it } from 'vitest';

const HOUR = 3_600_000;
const DAY = 86_400_000;

const LIDAR = moduleNamed('acme_lidar', 'acme:lidar');

const NOTHING_RAN = [
  'info     poller     no agent or poller has run with this home',
  '                    next: modreg agent run machine.json, or with the Debian package systemctl enable --now modreg-agent',
];

describe('modreg doctor on a machine without documents and state', () => {
  it('says what is not known, and what comes next', async () => {
    expect(await examined(patient())).toEqual([
      'ok       home       "./home", mode 0700, SOME free',
      'ok       clock      2026-12-01T12:00:00Z, and no registry was there to compare it',
      'info     documents  no machine config is named',
      '                    next: modreg doctor machine.json checks it too',
      'info     registry   no registry is named',
      '                    next: name one with --registry, else MODREG_REGISTRY, else "registry" in the policy of --policy, or create ./home/registry.db',
      ...NOTHING_RAN,
      'nothing is wrong',
      0,
    ]);
  });

  it('says the same after modreg plan, which creates machine.db', async () => {
    const machine = {
      modules: [{ type: 'registry', name: 'cam', module_id: 'acme:cam', version: '1.*' }],
    };
    const folder = temporaryFolder({ 'machine.json': JSON.stringify(machine), 'home/empty': '' });
    const path = `${folder}/machine.json`;
    const checked = async (): Promise<unknown> => [
      await examined(folder, [path], { only: 'poller' }),
      await examined(folder, [path], { only: 'modules' }),
    ];
    const before = await checked();
    openMachineFile(`${folder}/home/machine.db`).close();
    expect(await checked()).toEqual(before);
    expect(before).toEqual([
      expect.arrayContaining([NOTHING_RAN[0]]),
      expect.arrayContaining([expect.any(String)]),
    ]);
  });

  it('names the versions and the platform', async () => {
    const { stdout, exit } = await inProcess(['doctor'], { PLATFORM_HOME: `${patient()}/home` });
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const node = /v\d+\.\d+\.\d+/.exec((await inProcess(['version'])).stdout)?.[0];
    const platform = `linux/${process.arch === 'x64' ? 'amd64' : 'arm64'}`;
    expect([stdout.split('\n')[0], exit]).toEqual([
      `ok       system     modreg ${version}, Node ${node}, ${platform}`,
      0,
    ]);
  });

  it('says that modules do not run on another platform', async () => {
    const environment = { PLATFORM_HOME: `${patient()}/home` };
    const world = { platform: 'linux/riscv64', environment, clock: () => THEN };
    const { stdout, exit } = await printed(['doctor'], world);
    expect([
      ...stdout.slice(0, 2).map((line) => line.replace(/.*; this/, 'this').trim()),
      exit,
    ]).toEqual([
      'this machine is "linux/riscv64", and modules run on linux/amd64 and linux/arm64',
      'fix: use a machine with Linux on amd64 or arm64; linux/riscv64 can only decide for another one: modreg plan --platform',
      1,
    ]);
  });

  it('prints one line of JSON with --json', async () => {
    const folder = patient();
    chmodSync(`${folder}/home`, 0o770);
    const environment = { PLATFORM_HOME: `${folder}/home` };
    const { stdout } = await printed(['doctor', '--json'], { environment, clock: () => THEN });
    const [line = ''] = stdout;
    const { findings, ...rest } = JSON.parse(line) as { findings: readonly object[] };
    expect([stdout.length, rest]).toEqual([
      1,
      { schema: 'modreg/doctor@1', at: '2026-12-01T12:00:00Z', errors: 1, warnings: 0 },
    ]);
    expect(findings[1]).toEqual({
      check: 'home',
      severity: 'error',
      found: `"${folder}/home" has mode 0770: others can replace machine.db in it`,
      fix: `chmod go-w ${folder}/home`,
    });
  });
});

describe('modreg doctor on the clock', () => {
  it.each<[string, number, string[]]>([
    [
      'before the release of modreg',
      Date.parse('1970-01-01T00:00:07Z'),
      [
        `error    clock      this machine's clock says 1970-01-01T00:00:07Z, and this modreg is of 2026-11-24: minimum ages, maintenance windows and certificates are judged by it`,
        '                    fix: timedatectl set-ntp true; timedatectl timesync-status says whether it works',
      ],
    ],
    [
      'before the last round',
      THEN,
      [
        `error    clock      this machine's clock says 2026-12-01T12:00:00Z, and the last round was at 2026-12-03T12:00:00Z, 2 d later: minimum ages, maintenance windows and certificates are judged by it`,
        '                    fix: timedatectl set-ntp true; timedatectl timesync-status says whether it works',
      ],
    ],
  ])('%s', async (_, now, lines) => {
    const folder = patient((state) => state.log([], { at: THEN + 2 * DAY, trouble: undefined }));
    expect(await examined(folder, [], { now, only: 'clock' })).toEqual([...lines, 1]);
  });
});

describe('modreg doctor on releases', () => {
  it('names what is refused, stuck or keeps failing', async () => {
    const folder = patient((state) => {
      const terms = { at: THEN, quarantineUntil: undefined, retryAt: THEN + HOUR };
      const failed = { kind: 'failed', reason: 'no light\n\u001b[2J' } as const;
      const one = commitOne(state, { target: LIDAR, to: '1.2.8' });
      state.deliver(one.id, THEN);
      state.acknowledge(one.id, { ...failed, running: '1.2.3', blame: 'release' }, terms);
      const two = commitOne(state, { target: LIDAR, from: '1.2.3', to: '1.2.9' });
      state.deliver(two.id, THEN);
      state.acknowledge(two.id, { ...failed, running: undefined, blame: 'machine' }, terms);
      const stuck = { decision: 'stuck', reason: 'the deployed version is not known' };
      state.log([logged('acme_arm', stuck)], { at: THEN, trouble: undefined });
    });
    const shown = await examined(folder, [], { only: 'releases' });
    expect(shown.map((line) => String(line).replace(/\([\w-]+\)/, '(ID)'))).toEqual([
      'warning  releases   acme_lidar 1.2.3 → 1.2.9: failed once because of this machine, next attempt in 1 h: no light\\u{a}\\u{1b}[2J (ID)',
      '                    fix: modreg why acme_lidar',
      'warning  releases   acme_arm is stuck: the deployed version is not known',
      '                    fix: modreg why acme_arm',
      'warning  releases   acme:lidar 1.2.8 is refused since 2026-12-01T12:00:00Z: no light\\u{a}\\u{1b}[2J',
      '                    fix: modreg why acme:lidar; modreg quarantine lift acme:lidar 1.2.8 allows it again',
      '1',
    ]);
  });

  it('names ten of many, and where the others are', async () => {
    const folder = patient((state) => {
      for (let patch = 1; patch <= 12; patch++) {
        state.quarantine({
          moduleId: moduleId('acme:lidar'),
          version: `1.0.${patch}`,
          digest: undefined,
          since: THEN,
          until: undefined,
          reason: 'bad',
        });
      }
    });
    const shown = await examined(folder, ['--strict'], { only: 'releases' });
    expect([shown.length, ...shown.slice(-3)]).toEqual([
      23,
      'warning  releases   … and 2 more',
      '                    fix: modreg quarantine list shows all',
      1,
    ]);
  });
});

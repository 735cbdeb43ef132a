import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { claimFile } from '../../src/store/claim.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { openForPoller } from '../../src/store/index.ts';
import { agentSite } from '../support/agent-site.ts';
import { moduleId } from '../support/ask.ts';
import { claimed, commitOne, moduleNamed } from '../support/claimed.ts';
import { printed } from '../support/command.ts';
import { examined, THEN } from '../support/examined.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BREAKING, LATER, TODAY } from '../support/later-layouts.ts';
import { logged } from '../support/machine-home.ts';
import { modreg } from '../support/modreg.ts';
import { entry } from '../support/planned.ts';
import { shWithMounts } from '../support/shell.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const LIDAR = moduleNamed('acme_lidar', 'acme:lidar');

/** A folder with a home of mode 0700, after `work` on its state. */
function patient(work?: (state: MachineState) => void): string {
  const folder = temporaryFolder();
  mkdirSync(`${folder}/home`, { mode: 0o700 });
  if (!work) return folder;
  const file = openForPoller(`${folder}/home/machine.db`);
  work(file.state);
  file.close();
  return folder;
}

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

  it('names the versions and the platform', () => {
    const { stdout, exit } = modreg(['doctor'], { PLATFORM_HOME: `${patient()}/home` });
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const node = /v\d+\.\d+\.\d+/.exec(modreg(['version']).stdout)?.[0];
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

describe('modreg doctor on the home', () => {
  const remove = (folder: string): void => rmSync(`${folder}/home`, { recursive: true });
  it.each<[string, (folder: string) => void, string[]]>([
    [
      'a home that does not exist',
      remove,
      ['ok       home       "./home" does not exist yet; the first start creates it'],
    ],
    [
      'a file',
      (folder) => {
        remove(folder);
        writeFileSync(`${folder}/home`, '');
      },
      [
        'error    home       "./home" is not a folder',
        '                    fix: set PLATFORM_HOME to a folder, or move the file: mv ./home ./home.old',
      ],
    ],
    [
      'a mode with which others can write',
      (folder) => chmodSync(`${folder}/home`, 0o777),
      [
        'error    home       "./home" has mode 0777: others can replace machine.db in it',
        '                    fix: chmod go-w ./home',
      ],
    ],
    [
      'a machine.db that others can read',
      (folder) => writeFileSync(`${folder}/home/machine.db`, '', { mode: 0o644 }),
      [
        'warning  home       "./home/machine.db" has mode 0644, and others have access to it',
        '                    fix: chmod 600 ./home/machine.db',
      ],
    ],
    [
      'a folder in place of machine.db',
      (folder) => mkdirSync(`${folder}/home/machine.db`, { mode: 0o700 }),
      [
        'ok       home       "./home", mode 0700, SOME free',
        'error    home       "./home/machine.db" is not a file',
        '                    fix: mv ./home/machine.db ./home/machine.db.old',
      ],
    ],
    [
      'a pipe in place of machine.db, which nobody writes to',
      (folder) => void execFileSync('mkfifo', ['-m', '600', `${folder}/home/machine.db`]),
      [
        'ok       home       "./home", mode 0700, SOME free',
        'error    home       "./home/machine.db" is not a file',
        '                    fix: mv ./home/machine.db ./home/machine.db.old',
      ],
    ],
    [
      'a link to nothing',
      (folder) => {
        remove(folder);
        symlinkSync('/nowhere', `${folder}/home`);
      },
      [
        'error    home       "./home" cannot be read (a link to nothing)',
        '                    fix: run modreg as the user of the agent, or set PLATFORM_HOME to another folder: ls -ld .',
      ],
    ],
    [
      'a file of another program',
      (folder) => {
        const file = new DatabaseSync(`${folder}/home/machine.db`);
        file.exec('PRAGMA application_id = 1; CREATE TABLE other (x)');
        file.close();
        chmodSync(`${folder}/home/machine.db`, 0o600);
      },
      [
        'ok       home       "./home", mode 0700, SOME free',
        'error    home       "./home/machine.db": it is a SQLite file of another program',
        '                    fix: run modreg as the user of the agent; a file of another program is moved away: ls -l shows its owner',
      ],
    ],
    [
      'text in machine.db',
      (folder) => writeFileSync(`${folder}/home/machine.db`, 'x'.repeat(5000), { mode: 0o600 }),
      [
        'ok       home       "./home", mode 0700, SOME free',
        'error    home       "./home/machine.db": file is not a database',
        '                    fix: restart the agent or poller, which sets aside what is damaged: systemctl restart modreg-agent; or restore a backup (docs/back-up.md)',
      ],
    ],
    [
      '[T71] a machine.db of a later modreg',
      (folder) => claimFile(`${folder}/home/machine.db`, BREAKING).close(),
      [
        'ok       home       "./home", mode 0700, SOME free',
        `error    home       "./home/machine.db": it has schema ${LATER}, for programs that know ${LATER} or later, and this modreg knows ${TODAY}; nothing was changed: use the later modreg again`,
        '                    fix: install the later modreg again; modreg version prints this one',
      ],
    ],
    [
      '[T122] a write-ahead log without its shared memory',
      (folder) => {
        const home = `${folder}/home`;
        const file = claimed(`${home}/machine.db`);
        file.state.start(THEN);
        copyFileSync(`${home}/machine.db-wal`, `${home}/kept`);
        file.close();
        copyFileSync(`${home}/kept`, `${home}/machine.db-wal`);
      },
      [
        'ok       home       "./home", mode 0700, SOME free',
        'warning  home       "./home/machine.db": it has a write-ahead log, but no "./home/machine.db-shm" to read it with; the next process that writes creates it',
        '                    fix: start the agent or poller, which makes it readable: systemctl restart modreg-agent',
      ],
    ],
  ])('%s', async (_, prepare, lines) => {
    const folder = patient();
    prepare(folder);
    const shown = await examined(folder, [], { only: 'home' });
    expect(shown.slice(0, -1)).toEqual(lines);
    expect(shown.at(-1)).toBe(lines.some((line) => line.startsWith('error')) ? 1 : 0);
  });

  it('a home in a folder that does not exist', async () => {
    const folder = temporaryFolder();
    const environment = { PLATFORM_HOME: `${folder}/a/b c` };
    expect(await examined(folder, [], { environment, only: 'home' })).toEqual([
      `error    home       "./a/b c" does not exist, and cannot be created in "./a" (ENOENT)`,
      `                    fix: install -d -m 700 './a/b c', as a user that may`,
      1,
    ]);
  });

  it('no home at all', async () => {
    const shown = await examined(temporaryFolder(), [], { environment: {} });
    expect(shown.filter((line) => /home|poller/.test(String(line)))).toEqual([
      'error    home       neither PLATFORM_HOME nor HOME is set, so there is no place for machine.db',
      'info     poller     no agent or poller has run with this home',
    ]);
  });

  it('the default home: that of the Debian package is elsewhere', async () => {
    const folder = temporaryFolder();
    const environment = { HOME: folder };
    expect(await examined(folder, [], { environment, only: 'poller' })).toEqual([
      'info     poller     no agent or poller has run with this home',
      '                    next: modreg agent run machine.json, or with the Debian package systemctl enable --now modreg-agent; the agent of the Debian package has its state elsewhere: PLATFORM_HOME=/var/lib/modreg modreg doctor',
      0,
    ]);
  });

  it('a disk that is full, and one that is read-only', (context) => {
    const folder = temporaryFolder();
    const doctor = `PLATFORM_HOME=${folder}/disk ./bin/modreg doctor; echo "exit $?"`;
    const steps = [
      `mkdir ${folder}/disk && mount -t tmpfs -o size=256k,mode=700 none ${folder}/disk`,
      `{ head -c 1m /dev/zero > ${folder}/disk/full 2>/dev/null; true; }`,
      doctor,
      `mount -t tmpfs -o size=100m,nr_inodes=50,mode=700,ro none ${folder}/disk`,
      doctor,
    ];
    const text = shWithMounts(context, steps).replaceAll(folder, '.');
    const lines = text.split('\n').filter((line) => /home {7}|fix|exit/.test(line));
    expect(lines.map((line) => line.replace(/ \d+ more/, ' SOME more'))).toEqual([
      'error    home       the disk of "./disk" has 0 MiB free: nothing can be recorded',
      '                    fix: find what to remove: du -xh --max-depth=2 ./disk | sort -h | tail',
      'exit 1',
      'error    home       "./disk" is on a read-only file system',
      `                    fix: dmesg | tail says why, if the disk failed; mount -o remount,rw "$(findmnt -no TARGET -T ./disk)"`,
      'warning  home       the disk of "./disk" has 100 MiB free: the agent installs nothing below 256 MiB',
      '                    fix: find what to remove: du -xh --max-depth=2 ./disk | sort -h | tail',
      'warning  home       the disk of "./disk" has room for SOME more files: the agent installs nothing below 1024',
      '                    fix: find what to remove: du -x --inodes --max-depth=2 ./disk | sort -n | tail',
      'exit 1',
    ]);
  });
});

describe('modreg doctor on the agent or poller', () => {
  const round = (state: MachineState, ago: number, trouble?: string): void =>
    state.log([logged('acme_lidar')], { at: THEN - ago, trouble });

  it('one that does not run any more', async () => {
    const folder = patient((state) => round(state, 2 * HOUR));
    expect(await examined(folder, [], { only: 'poller' })).toEqual([
      'error    poller     no poller runs; its last round was 2 h ago',
      '                    fix: start it again: its service, or modreg poll; look at the log of modreg poll',
      1,
    ]);
  });

  it.each<[string, (state: MachineState) => void, string[], number]>([
    [
      'that has made no round yet',
      () => undefined,
      [
        'info     poller     the poller is process PID; it has made no round yet',
        '                    next: look at the log of modreg poll if that stays so',
      ],
      0,
    ],
    [
      'that is well',
      (state) => round(state, MINUTE),
      ['ok       poller     the poller is process PID; its last round was 1 min ago'],
      0,
    ],
    [
      'that hangs',
      (state) => round(state, 31 * MINUTE),
      [
        'error    poller     the poller is process PID; its last round was 31 min ago',
        '                    fix: it hangs: look at the log of modreg poll; then restart its service, or kill PID and start it',
      ],
      1,
    ],
    [
      'whose last round had trouble',
      (state) => round(state, 30 * SECOND, 'no registry \u001b[2J'),
      [
        'warning  poller     the poller is process PID; its last round was 30 s ago; no registry \\u{1b}[2J',
        '                    fix: see registry and lists; look at the log of modreg poll',
      ],
      0,
    ],
    [
      '[T57] in a crash loop',
      (state) => {
        for (const ago of [9, 8, 4, 3, 2]) state.start(THEN - ago * MINUTE);
        round(state, MINUTE);
      },
      [
        'error    poller     it started five times in ten minutes, so it takes no action until 2026-12-01T12:01:00Z',
        '                    fix: look at the log of modreg poll say why it ended',
        'ok       poller     the poller is process PID; its last round was 1 min ago',
      ],
      1,
    ],
  ])('one %s', async (_, work, lines, exit) => {
    const folder = patient();
    work(claimed(`${folder}/home/machine.db`).state);
    const shown = await examined(folder, [], { only: 'poller' });
    expect(shown.map((line) => String(line).replaceAll(`${process.pid}`, 'PID'))).toEqual([
      ...lines,
      String(exit),
    ]);
  });
});

describe("modreg doctor on modreg's own agent", () => {
  it('that runs, with a module that ends again and again, and after its end', async () => {
    const site = await agentSite({ modules: [entry('acme:lidar', '1.*')] });
    site.publish('acme:lidar', '1.0.0', 'exec sleep 1000');
    const end = await site.start();
    await site.until('done');
    const environment = { PLATFORM_HOME: site.home };
    const look = async (): Promise<string[]> => {
      const shown = await examined(site.home, [], { environment, now: Date.now(), only: 'poller' });
      return shown.map((line) =>
        String(line)
          .replaceAll(`process ${process.pid}`, 'process PID')
          .replaceAll(/\d+ s ago/g, 'SOME ago'),
      );
    };
    expect(await look()).toEqual([
      'ok       poller     the agent is process PID; its last round was SOME ago',
      '0',
    ]);
    await end();
    expect(await look()).toEqual([
      'error    poller     no agent runs; its last round was SOME ago',
      '                    fix: systemctl start modreg-agent, or modreg agent run machine.json; systemctl status modreg-agent, and modreg agent logs say why it ended',
      '1',
    ]);
    const state = claimed(`${site.home}/machine.db`);
    expect((await look()).slice(1, 3)).toEqual([
      'warning  poller     the module acme_lidar 1.0.0 has no process: it ended, or waits for its next start',
      '                    fix: modreg agent logs acme_lidar',
    ]);
    state.close();
  });

  it('says that modules cannot run as a user that does not exist', async () => {
    const folder = temporaryFolder({
      'home/empty': '',
      'machine.json': JSON.stringify({ modules: [entry('acme:lidar', '1.*')] }),
      'policy.json': JSON.stringify({ registry: './lists', run_as: 'nobody-at-all' }),
    });
    const shown = await examined(folder, [`${folder}/machine.json`], { only: 'modules' });
    expect(shown.slice(0, 2)).toEqual([
      'error    modules    acme_lidar cannot run: there is no user "nobody-at-all" to run modules as',
      '                    fix: useradd --system --user-group --no-create-home --shell /usr/sbin/nologin nobody-at-all',
    ]);
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

/** Each file of a folder with its content and the time of its last change. */
function filesOf(folder: string): string[] {
  return readdirSync(folder).map((name) => {
    const { mtimeMs, ino } = statSync(`${folder}/${name}`);
    return [
      name,
      ino,
      mtimeMs,
      createHash('sha256')
        .update(readFileSync(`${folder}/${name}`))
        .digest('hex'),
    ].join(' ');
  });
}

describe('[T122] modreg doctor changes no file', () => {
  it('of a machine that is not polled', async () => {
    const folder = patient((state) => state.start(THEN));
    const before = filesOf(`${folder}/home`);
    await examined(folder);
    expect(filesOf(`${folder}/home`)).toEqual(before);
  });

  it('of a machine whose poller was killed: not even its write-ahead log', async () => {
    const folder = patient();
    const { state } = claimed(`${folder}/home/machine.db`);
    state.log([logged('acme_lidar')], { at: THEN - HOUR, trouble: undefined });
    const killed = temporaryFolder();
    cpSync(`${folder}/home`, `${killed}/home`, { recursive: true });
    chmodSync(`${killed}/home`, 0o700);
    const before = filesOf(`${killed}/home`);
    const [last] = await examined(killed, [], { only: 'poller' });
    expect(last).toBe('error    poller     no poller runs; its last round was 1 h ago');
    expect(filesOf(`${killed}/home`)).toEqual(before);
  });

  it('of a home that is empty, or does not exist', async () => {
    const folder = patient();
    await examined(folder);
    expect(readdirSync(`${folder}/home`)).toEqual([]);
    rmSync(`${folder}/home`, { recursive: true });
    await examined(folder);
    expect(readdirSync(folder)).toEqual([]);
  });
});

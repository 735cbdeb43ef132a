import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { homeFacts } from '../../src/cli/doctor/home-facts.ts';
import { claimFile } from '../../src/store/claim.ts';
import { claimed } from '../support/claimed.ts';
import { THEN, examined } from './support/examined.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BREAKING, LATER, TODAY } from '../support/later-layouts.ts';
import { patient } from './support/patient.ts';
import { shWithMounts } from '../support/shell.ts';
import { describe, expect, it } from 'vitest';

function remove(folder: string): void {
  rmSync(`${folder}/home`, { recursive: true });
}

describe('modreg doctor on the home', () => {
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
      'a mode with which a group can write',
      (folder) => chmodSync(`${folder}/home`, 0o770),
      [
        'error    home       "./home" has mode 0770: others can replace machine.db in it',
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
        '                    fix: restart the agent or poller, which sets aside what is damaged: systemctl restart modreg-agent',
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

  it('[A23] a disk on which no program can be started', (context) => {
    const folder = temporaryFolder();
    const text = shWithMounts(context, [
      `mkdir ${folder}/disk && mount -t tmpfs -o noexec,size=400m,mode=700 none ${folder}/disk`,
      `PLATFORM_HOME=${folder}/disk ./bin/modreg doctor; echo "exit $?"`,
    ]).replaceAll(folder, '.');
    expect(text.split('\n').filter((line) => /home {7}|remount|exit/.test(line))).toEqual([
      'warning  home       the disk of "./disk" is mounted noexec at "./disk": the agent cannot start a module from it',
      '                    fix: mount -o remount,exec ./disk, and without noexec in /etc/fstab',
      'exit 0',
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
      'warning  home       the disk of "./disk" has room for SOME more files: the agent installs nothing below 1024',
      '                    fix: find what to remove: du -x --inodes --max-depth=2 ./disk | sort -n | tail',
      'exit 1',
    ]);
  });
});

it('doctor takes a file system that says 0 files for one without a limit', () => {
  // The system keeps none in /proc.
  const facts = homeFacts({ environment: { PLATFORM_HOME: '/proc' } });
  expect(facts?.disk).toEqual({ bytes: 0n, freeBytes: 0n, freeEntries: undefined });
});

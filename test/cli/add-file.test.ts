import {
  chmodSync,
  chownSync,
  lstatSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adding, contentOf, folderWith, MACHINE, NOW } from './support/adding.ts';
import { printed } from '../support/command.ts';
import { ROOT } from '../support/modreg.ts';
import { lostWithPower } from '../support/on-disk.ts';
import { needs } from '../support/prerequisite.ts';
import { shWithMounts } from '../support/shell.ts';

describe('[T123] another process edits the machine config', () => {
  const OTHER = '{"modules":[]}';

  it('between reading and writing', async () => {
    const folder = folderWith();
    const editing = (): number => {
      writeFileSync(join(folder, 'machine.json'), OTHER);
      return NOW;
    };
    expect(await adding(folder, ['acme:arm'], editing)).toEqual({
      stdout: [],
      stderr: [
        'error[LOCKED]: ./machine.json was changed by another process meanwhile; that change is kept, and nothing else was changed',
        'hint: run the command again',
      ],
      exit: 70,
    });
    expect(contentOf(folder)).toBe(OTHER);
    expect(readdirSync(folder).toSorted()).toEqual(['lists', 'machine.json', 'policy.json']);
  });

  it('and removes it', async () => {
    const folder = folderWith();
    const removing = (): number => {
      rmSync(join(folder, 'machine.json'), { force: true });
      return NOW;
    };
    const { stderr, exit } = await adding(folder, ['acme:arm'], removing);
    expect([stderr[0], exit]).toEqual([
      'error[LOCKED]: ./machine.json was changed by another process meanwhile; that change is kept, and nothing else was changed',
      70,
    ]);
    expect(readdirSync(folder).toSorted()).toEqual(['lists', 'policy.json']);
  });

  it('with modreg add', async () => {
    const folder = folderWith();
    writeFileSync(join(folder, '.machine.json.modreg'), '');
    expect(await adding(folder, ['acme:arm'])).toEqual({
      stdout: [],
      stderr: [
        'error[LOCKED]: ./machine.json is being edited by another process: ./.machine.json.modreg exists; nothing was changed',
        'hint: run the command again; if no modreg edits the file, remove the one that exists',
      ],
      exit: 70,
    });
    expect(contentOf(folder)).toBe(MACHINE);
  });
});

describe('[T123] the file of the machine config', () => {
  it('keeps its mode and its links', async () => {
    const folder = folderWith();
    const target = join(folder, 'machine.json');
    chmodSync(target, 0o640);
    symlinkSync(target, join(folder, 'link.json'));
    expect((await printed(['add', 'acme:arm', `${folder}/link.json`])).exit).toBe(0);
    expect(lstatSync(join(folder, 'link.json')).isSymbolicLink()).toBe(true);
    expect([statSync(target).mode & 0o7777, contentOf(folder).includes('acme:arm')]).toEqual([
      0o640,
      true,
    ]);
  });

  it('survives a loss of power, as it was or as it is', async () => {
    const folder = folderWith();
    expect(await lostWithPower(folder, () => adding(folder, ['acme:arm']))).toEqual([]);
    expect(contentOf(folder)).toContain('acme:arm');
  });

  it('keeps its owner', async (context) => {
    needs(context, process.getuid?.() === 0, 'only root can change owners');
    const folder = folderWith();
    chownSync(join(folder, 'machine.json'), 1234, 1235);
    expect((await adding(folder, ['acme:arm'])).exit).toBe(0);
    const { uid, gid } = statSync(join(folder, 'machine.json'));
    expect([uid, gid]).toEqual([1234, 1235]);
  });

  it.for<[string, string, string, string]>([
    ['on a full disk', 'head -c 1M /dev/zero >@/ballast || true', 'write: ENOSPC', ''],
    [
      'on a disk without a free name',
      'touch @/1 @/2 @/3 @/4 @/5 @/6 @/7 @/8 || true',
      'open: ENOSPC',
      ',nr_inodes=10',
    ],
    ['on a read-only disk', 'mount -o remount,ro none @', 'access: EROFS', ''],
  ])('stays as it was %s', ([, prepared, reason, options], context) => {
    const folder = folderWith();
    const disk = `${folder}/disk`;
    const command = `${ROOT}bin/modreg add acme:arm ${disk}/machine.json --policy ${folder}/policy.json --platform linux/arm64`;
    const said = shWithMounts(context, [
      `mkdir ${disk}`,
      `mount -t tmpfs -o size=32k${options} none ${disk}`,
      `cp ${folder}/machine.json ${disk}`,
      `{ ${prepared.replaceAll('@', disk)}; } 2>/dev/null`,
      `{ ${command} 2>&1 || echo "exit $?"; }`,
      `cmp ${disk}/machine.json ${folder}/machine.json`,
      `ls -A ${disk} | grep modreg || true`,
    ]);
    expect(said.replaceAll(disk, '.').trimEnd().split('\n')).toEqual([
      `error[STATE_WRITE]: ./machine.json cannot be replaced (${reason}); its content is the old one or the new one, never a part`,
      'hint: the file and its folder must be writable, and its folder needs space for a copy; a file of another owner is replaced only by root',
      'exit 70',
    ]);
  });
});

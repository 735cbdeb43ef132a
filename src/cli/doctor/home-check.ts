import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { FLOOR_ENTRIES, reserveOf } from '../../agent/install/free-space.ts';
import { modeOpenToOthers } from '../../config/file-mode.ts';
import { quote } from '../../core/text/quote.ts';
import { findingsOf, type Finding } from './finding.ts';
import { isForeign, type DiskSpace, type HomeFacts } from './home-facts.ts';
import { shellWord } from '../../base/shell-word.ts';

const { ok, warning, error } = findingsOf('home');

const WRITABLE_BY_OTHERS = 0o022;
const MIB = 1024n * 1024n;
/** With less, not even machine.db can be written. */
const FULL_BYTES = 4n * MIB;

/** The folder of modreg's files: whether it is there, whose it is, and whether it has space. */
export function checkHome(facts: HomeFacts | undefined, machinePath?: string): Finding[] {
  if (!facts) {
    return [
      error(
        'neither PLATFORM_HOME nor HOME is set, so there is no place for machine.db',
        'export PLATFORM_HOME=/var/lib/modreg',
      ),
    ];
  }
  const { path, stats, disk } = facts;
  if (typeof stats === 'string') return withoutHome(facts, stats);
  if (!stats.isDirectory()) {
    return [
      error(
        `${quote(path)} is not a folder`,
        `set PLATFORM_HOME to a folder, or move the file: mv ${shellWord(path)} ${shellWord(`${path}.old`)}`,
      ),
    ];
  }
  const findings = [
    ...ownerFindings(facts, stats, machinePath),
    ...writingFindings(facts),
    ...fileFindings(facts, stats),
    ...programFindings(facts),
    ...spaceFindings(path, disk),
  ];
  const free = disk ? `, ${inWords(disk.freeBytes)} free` : '';
  return findings.length > 0 ? findings : [ok(`${quote(path)}, mode ${modeOf(stats)}${free}`)];
}

/** A folder that does not exist, or whose folder may not be entered. */
function withoutHome({ path, unwritable, disk }: HomeFacts, code: string): Finding[] {
  const parent = dirname(path);
  if (code !== 'ENOENT') {
    const fix = `run modreg as the user of the agent, or set PLATFORM_HOME to another folder: ls -ld ${shellWord(parent)}`;
    return [error(`${quote(path)} cannot be read (${code})`, fix)];
  }
  if (unwritable !== undefined) {
    const found = `${quote(path)} does not exist, and cannot be created in ${quote(parent)} (${unwritable})`;
    return [error(found, `install -d -m 700 ${shellWord(path)}, as a user that may`)];
  }
  const space = spaceFindings(parent, disk);
  return [ok(`${quote(path)} does not exist yet; the first start creates it`), ...space];
}

function ownerFindings(
  facts: HomeFacts,
  { uid: owner, mode }: Stats,
  machinePath: string | undefined,
): Finding[] {
  const { path, uid } = facts;
  const machine = machinePath === undefined ? '' : ` ${shellWord(machinePath)}`;
  const asOwner = `sudo -u '#${owner}' env PLATFORM_HOME=${shellWord(path)} modreg doctor${machine}`;
  return [
    ...(isForeign(facts)
      ? [error(`${quote(path)} belongs to user ${owner}, and this is user ${uid}`, asOwner)]
      : []),
    ...((mode & WRITABLE_BY_OTHERS) === 0
      ? []
      : [
          error(
            `${quote(path)} has mode ${modeOf({ mode })}: others can replace machine.db in it`,
            `chmod go-w ${shellWord(path)}`,
          ),
        ]),
  ];
}

function writingFindings(facts: HomeFacts): Finding[] {
  const { path, unwritable } = facts;
  if (unwritable === undefined || isForeign(facts)) return [];
  if (unwritable !== 'EROFS') {
    const found = `no file can be created in ${quote(path)} (${unwritable})`;
    return [error(found, `chmod u+rwx ${shellWord(path)}`)];
  }
  const found = `${quote(path)} is on a read-only file system`;
  const word = shellWord(path);
  const fix = `dmesg | tail says why, if the disk failed; mount -o remount,rw "$(findmnt -no TARGET -T ${word})"`;
  return [error(found, fix)];
}

function fileFindings({ path, file }: HomeFacts, { uid: owner }: Stats): Finding[] {
  if (typeof file === 'string') return [];
  const name = join(path, 'machine.db');
  const open = modeOpenToOthers(file.mode);
  return [
    ...(open === undefined
      ? []
      : [
          warning(
            `${quote(name)} has mode ${open}, and others have access to it`,
            `chmod 600 ${shellWord(name)}`,
          ),
        ]),
    ...(file.uid === owner
      ? []
      : [
          error(
            `${quote(name)} belongs to user ${file.uid}, and its folder to user ${owner}, who cannot write it`,
            `chown --reference=${shellWord(path)} ${shellWord(path)}/machine.db*`,
          ),
        ]),
  ];
}

/** The agent's own modules are below its home; a poller starts none (A23). */
function programFindings({ path, noexec }: HomeFacts): Finding[] {
  if (noexec === undefined) return [];
  const found = `the disk of ${quote(path)} is mounted noexec at ${quote(noexec)}: the agent cannot start a module from it`;
  return [
    warning(found, `mount -o remount,exec ${shellWord(noexec)}, and without noexec in /etc/fstab`),
  ];
}

function spaceFindings(path: string, disk: DiskSpace | undefined): Finding[] {
  if (!disk) return [];
  const { freeBytes, freeEntries, bytes } = disk;
  const reserve = reserveOf(bytes);
  const free = `the disk of ${quote(path)} has ${inWords(freeBytes)} free`;
  const fix = `find what to remove: du -xh --max-depth=2 ${shellWord(path)} | sort -h | tail`;
  return [
    ...(freeBytes < FULL_BYTES
      ? [error(`${free}: nothing can be recorded`, fix)]
      : freeBytes < reserve
        ? [warning(`${free}: the agent installs nothing below ${inWords(reserve)}`, fix)]
        : []),
    ...(freeEntries !== undefined && freeEntries < FLOOR_ENTRIES
      ? [
          warning(
            `the disk of ${quote(path)} has room for ${freeEntries} more files: the agent installs nothing below ${FLOOR_ENTRIES}`,
            `find what to remove: du -x --inodes --max-depth=2 ${shellWord(path)} | sort -n | tail`,
          ),
        ]
      : []),
  ];
}

function modeOf({ mode }: Pick<Stats, 'mode'>): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}

function inWords(bytes: bigint): string {
  const mib = bytes / MIB;
  return mib < 10_240n ? `${mib} MiB` : `${mib / 1024n} GiB`;
}

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { delegatedCgroup } from '../../../src/agent/process/cgroup.ts';
import { AGENT_ID } from '../../../src/agent/process/guard.ts';
import { launch, type RunningProgram } from '../../../src/agent/process/launch.ts';
import { describeEnd } from '../../../src/agent/process/program-end.ts';
import { programOutput } from '../../../src/agent/process/program-output.ts';
import { fakeStart, type FakeStart } from '../support/fake-start.ts';
import { elfWithLoader } from '../support/elf-file.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { needs } from '../../support/prerequisite.ts';

async function launched({ start }: FakeStart): Promise<RunningProgram> {
  const result = await launch(start);
  if (!result.ok) throw new Error(result.error.reason);
  return result.value;
}

describe('a program that ends by itself', () => {
  it.each([
    [['exits', '3'], 'it ended with exit code 3', ['stderr: no motor']],
    [['exits', '0'], 'it ended with exit code 0', ['stderr: no motor']],
    [['aborts'], 'it was killed by SIGABRT', []],
  ])('%o: %s', async (behaviour, expected, lines) => {
    const fake = fakeStart(behaviour);
    const { ended, isAlive, stop } = await launched(fake);
    expect(describeEnd(await ended)).toBe(expected);
    expect(isAlive()).toBe(false);
    await stop(1000);
    await Promise.all(lines.map(fake.wrote));
    expect(fake.lines).toEqual(lines);
  });

  it('[A11] leaves nothing behind once it is stopped, not even in another session', async () => {
    const fake = fakeStart(['forks']);
    const { ended, stop } = await launched(fake);
    expect(await ended).toEqual({ kind: 'exited', code: 0, left: 1 });
    expect(fake.processes()).toBe(1);
    await stop(1000);
    expect(fake.processes()).toBe(0);
  });
});

describe('[A11] a program that is stopped', () => {
  it.each([
    [['stays'], 20_000, 'it was killed by SIGTERM', ['ready']],
    [['ignores SIGTERM'], 300, 'it was killed by SIGKILL, cause unknown', ['ready', 'ignored']],
    [['forks and stays'], 20_000, 'it was killed by SIGTERM', ['ready']],
  ])('%o, with %i ms to stop: %s', async (behaviour, graceMs, expected, lines) => {
    const fake = fakeStart(behaviour);
    const { ended, stop } = await launched(fake);
    await fake.wrote('ready');
    await stop(graceMs);
    expect(describeEnd(await ended)).toBe(expected);
    expect([fake.processes(), fake.lines]).toEqual([0, lines]);
  });

  it('ends by itself although a signal has stopped it', async () => {
    const fake = fakeStart(['stays']);
    const { pid, ended, stop } = await launched(fake);
    await fake.wrote('ready');
    process.kill(pid, 'SIGSTOP');
    expect(await stop(20_000)).toBe('ended');
    expect(await ended).toMatchObject({ by: 'SIGTERM' });
  });

  it('is killed at once by a second, shorter time', async () => {
    const fake = fakeStart(['ignores SIGTERM']);
    const { ended, stop } = await launched(fake);
    await fake.wrote('ready');
    const patient = stop(1_000_000);
    await fake.wrote('ignored');
    await stop(0);
    await patient;
    expect(await ended).toMatchObject({ by: 'SIGKILL' });
  });

  it('is not given more time by a second stop', async () => {
    const fake = fakeStart(['ignores SIGTERM']);
    const { ended, stop } = await launched(fake);
    await fake.wrote('ready');
    const began = performance.now();
    const hasty = stop(300);
    await stop(30_000);
    expect(await hasty).toBe('killed');
    expect(await ended).toMatchObject({ by: 'SIGKILL' });
    expect(performance.now() - began).toBeLessThan(15_000);
  });
});

/** The command line of a process; empty if it has ended. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** The processes that wait for the end of this agent, to kill its programs. */
function guards(): string[] {
  return readdirSync('/proc').filter((name) => commandOf(name).endsWith(`\0${AGENT_ID}\0`));
}

it('a guard that was killed is started again with the next program', async () => {
  await launched(fakeStart(['exits', '0']));
  await expect.poll(guards).toHaveLength(1);
  const [before] = guards();
  process.kill(Number(before), 'SIGKILL');
  const others = async (): Promise<string[]> => {
    await launched(fakeStart(['exits', '0']));
    return guards().filter((pid) => pid !== before);
  };
  await expect.poll(others).toHaveLength(1);
});

describe('[A12] the output of a program', () => {
  it('is counted and dropped from the 10,001st line within 30 s', async () => {
    const fake = fakeStart(['floods', '12000']);
    await (
      await launched(fake)
    ).ended;
    await fake.wrote('agent: 2000 lines of its output were dropped: it may write 10000 in 30 s');
    expect(fake.lines).toHaveLength(10_001);
  });

  it('is written again after 30 s', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const lines: string[] = [];
    programOutput({ stdout, stderr }, ({ text }) => lines.push(text));
    stdout.emit('data', Buffer.from('a line\n'.repeat(10_001)));
    vi.advanceTimersByTime(30_000);
    stderr.emit('data', Buffer.from('the next line\n'));
    expect(lines.slice(10_000)).toEqual([
      '1 lines of its output were dropped: it may write 10000 in 30 s',
      'the next line',
    ]);
  });

  it.each([
    ['16384', 'x'.repeat(16_384)],
    ['1000000', '16384 characters, cut'],
  ])('in a line of %s characters', async (length, expected) => {
    const fake = fakeStart(['writes a long line', length]);
    const { ended } = await launched(fake);
    await Promise.all([ended, fake.wrote(expected)]);
    expect(fake.lines).toEqual([expected]);
  });
});

/** Files as the kernel has them in a cgroup that a service manager has delegated. */
function delegated(): { readonly cgroups: string; readonly folder: string } {
  const folder = temporaryFolder({ membership: '0::/system.slice/modreg.service\n' });
  const cgroups = `${folder}/system.slice/modreg.service`;
  mkdirSync(`${cgroups}/agent`, { recursive: true });
  writeFileSync(`${cgroups}/agent/cgroup.procs`, '');
  writeFileSync(`${cgroups}/cgroup.subtree_control`, '');
  return { cgroups, folder };
}

describe('a delegated cgroup', () => {
  it('gets the agent below itself, and passes on the memory controller', () => {
    const { cgroups, folder } = delegated();
    const found = delegatedCgroup({ membership: `${folder}/membership`, mount: folder });
    expect(found).toBe(cgroups);
    expect(readFileSync(`${cgroups}/agent/cgroup.procs`, 'utf8')).toBe('0');
    expect(readFileSync(`${cgroups}/cgroup.subtree_control`, 'utf8')).toBe('+memory');
  });

  it('[T273] is emptied of what an earlier agent left, and keeps the agent', () => {
    const { cgroups, folder } = delegated();
    const kills = ['agent', 'run.lidar.first-run', 'run.camera.1'].map((name) => {
      mkdirSync(`${cgroups}/${name}`, { recursive: true });
      writeFileSync(`${cgroups}/${name}/cgroup.kill`, '');
      return `${cgroups}/${name}/cgroup.kill`;
    });
    delegatedCgroup({ membership: `${folder}/membership`, mount: folder });
    expect(kills.map((file) => readFileSync(file, 'utf8'))).toEqual(['', '1', '1']);
  });

  it.each([
    ['is of a user, not of a service', '0::/user.slice/session-1.scope\n'],
    ['is of the first version', '4:memory:/modreg.service\n'],
    ['may not be written', '0::/other.service\n'],
  ])('is not used if it %s', (_, membership) => {
    const folder = temporaryFolder({ membership });
    const place = { membership: `${folder}/membership`, mount: folder };
    expect(delegatedCgroup(place)).toBeUndefined();
  });

  it.each([
    [1, 'the system killed it because memory was short'],
    [0, 'it was killed by SIGKILL, not because memory was short'],
  ])('[A12] tells why a program was killed: %i more oom_kill', async (more, expected) => {
    const { cgroups } = delegated();
    const fake = fakeStart(['stays'], { cgroups });
    const folder = `${cgroups}/${fake.start.mark.slice(0, -1)}`;
    mkdirSync(folder);
    writeFileSync(`${folder}/memory.events`, 'oom 3\noom_kill 2\n');
    const { pid, ended } = await launched(fake);
    await fake.wrote('ready');
    expect(readFileSync(`${folder}/cgroup.procs`, 'utf8')).toBe('0\n');
    writeFileSync(`${folder}/memory.events`, `oom 4\noom_kill ${2 + more}\n`);
    process.kill(pid, 'SIGKILL');
    expect(describeEnd(await ended)).toBe(expected);
  });
});

describe('a program that cannot be started', () => {
  const otherMachine = Buffer.alloc(64);
  otherMachine.write('\u007fELF');
  otherMachine.writeUInt16LE(0x28, 18);

  it.each<[string, string | Buffer, number]>([
    ['it is not executable for this user', '#!/bin/sh\n', 0o644],
    ['it has no first line such as #!/bin/sh', 'echo no', 0o755],
    ['it has no first line such as #!/bin/sh', '', 0o755],
    ['its first line ends with a carriage return', '#!/bin/sh\r\n', 0o755],
    ['it is a program of another machine', otherMachine, 0o755],
    ['it is a program of another machine', '\u007fELF', 0o755],
  ])('because %s', async (reason, content, mode) => {
    const path = `${temporaryFolder()}/program`;
    writeFileSync(path, content, { mode });
    const result = await launch(fakeStart([], { path }).start);
    expect(result).toEqual({ ok: false, error: { blame: 'release', reason } });
  });

  it.each<[string, string | Buffer]>([
    [
      'its first line names /usr/bin/absent, which this machine does not have',
      '#! /usr/bin/absent -x',
    ],
    [
      'its first line names absent, which is in no folder of PATH (/usr/bin:/bin)',
      '#!/usr/bin/env absent\n',
    ],
    [
      'its first line names absent, which is in no folder of PATH (/usr/bin:/bin)',
      '#!/usr/bin/env -S absent -x\n',
    ],
    [
      'it needs /lib/ld-absent.so.1, which this machine does not have',
      elfWithLoader('/lib/ld-absent.so.1'),
    ],
  ])('[A18] because of this machine: %s', async (reason, content) => {
    const path = `${temporaryFolder()}/program`;
    writeFileSync(path, content, { mode: 0o755 });
    const result = await launch(fakeStart([], { path }).start);
    expect(result).toEqual({ ok: false, error: { blame: 'machine', reason } });
  });

  it('[A23] because its disk is mounted noexec', async (context) => {
    // The kernel writes the space in its name in another way.
    const disk = `${temporaryFolder()}/a disk`;
    mkdirSync(disk);
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'noexec', 'none', disk]);
    needs(context, status === 0, 'this process may not mount file systems');
    onTestFinished(() => void spawnSync('umount', [disk]));
    writeFileSync(`${disk}/program`, '#!/bin/sh\n', { mode: 0o755 });
    const result = await launch(fakeStart([], { path: `${disk}/program` }).start);
    const reason = `"${disk}" is mounted noexec, so no program on it can be started; mount it without that option (mount -o remount,exec "${disk}"), or set PLATFORM_HOME to a folder on another disk`;
    expect(result).toEqual({ ok: false, error: { blame: 'machine', reason } });
  });

  it.each([
    ['there is no such file', 'absent'],
    ['it is not a file', '.'],
  ])('because %s', async (reason, name) => {
    const path = `${temporaryFolder()}/${name}`;
    const result = await launch(fakeStart([], { path }).start);
    expect(result).toEqual({ ok: false, error: { blame: 'release', reason } });
  });
});

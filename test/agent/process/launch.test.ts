import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { delegatedCgroup } from '../../../src/agent/process/cgroup.ts';
import { launch, type RunningProgram } from '../../../src/agent/process/launch.ts';
import { describeEnd } from '../../../src/agent/process/program-end.ts';
import { fakeStart, type FakeStart } from '../../support/fake-start.ts';
import { elfWithLoader } from '../../support/elf-file.ts';
import { temporaryFolder } from '../../support/folder.ts';

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
    expect(await ended).toEqual({ kind: 'exited', code: 0 });
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
    ['1', 'the system killed it because memory was short'],
    ['0', 'it was killed by SIGKILL, not because memory was short'],
  ])('[A12] tells why a program was killed: oom_kill %s', async (kills, expected) => {
    const { cgroups } = delegated();
    const fake = fakeStart(['stays'], { cgroups });
    const folder = `${cgroups}/${fake.start.mark.slice(0, -1)}`;
    mkdirSync(folder);
    writeFileSync(`${folder}/memory.events`, 'oom 0\noom_kill 0\n');
    const { pid, ended } = await launched(fake);
    await fake.wrote('ready');
    expect(readFileSync(`${folder}/cgroup.procs`, 'utf8')).toBe('0\n');
    writeFileSync(`${folder}/memory.events`, `oom 1\noom_kill ${kills}\n`);
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

  it.each([
    ['there is no such file', 'absent'],
    ['it is not a file', '.'],
  ])('because %s', async (reason, name) => {
    const path = `${temporaryFolder()}/${name}`;
    const result = await launch(fakeStart([], { path }).start);
    expect(result).toEqual({ ok: false, error: { blame: 'release', reason } });
  });
});

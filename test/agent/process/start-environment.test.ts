import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AGENT_ID } from '../../../src/agent/process/guard.ts';
import { launch } from '../../../src/agent/process/launch.ts';
import { fakeStart, type FakeStart } from '../support/fake-start.ts';
import { temporaryFolder } from '../../support/folder.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = { uid: 65_534, gid: 65_534, groups: [65_534] };
const ENV = '/usr/bin/env';

/** The start of a program that prints its environment, with `environment` and a cgroup of its own. */
function printing(environment: Readonly<Record<string, string>>): FakeStart {
  const cgroups = temporaryFolder();
  const more = { path: ENV, arguments: ['-0'], folder: '/', environment, cgroups };
  return fakeStart([], { ...more, ...(isRoot && { runAs: NOBODY }) });
}

async function ended({ start }: FakeStart): Promise<unknown> {
  const launched = await launch(start);
  if (!launched.ok) return launched.error;
  const end = await launched.value.ended;
  await launched.value.stop(0);
  return end;
}

const SUCCESS = { kind: 'exited', code: 0, left: 0 };

/** What a program that prints its environment has written: its variables, sorted, without the mark. */
function variablesIn({ lines }: FakeStart): string[] {
  const variables = lines.join('\n').split('\0');
  return variables.filter((one) => one !== '' && !one.startsWith('MODREG_RUN=')).toSorted();
}

describe('[T271] the environment of a module reaches its program only', () => {
  it('not the loader of what starts it', async () => {
    const fake = printing({ PATH: '/usr/bin:/bin', LD_PRELOAD: '/absent.so' });
    expect(await ended(fake)).toEqual(SUCCESS);
    // The loader writes a line for each program that it starts.
    expect(fake.lines.filter((line) => line.includes('/absent.so'))).toEqual([
      expect.stringContaining("stderr: ERROR: ld.so: object '/absent.so' from LD_PRELOAD"),
      expect.stringContaining('LD_PRELOAD=/absent.so'),
    ]);
  });

  it('so a module may have libraries that nothing else on the machine could use', async () => {
    const libraries = temporaryFolder({ 'libcap-ng.so.0': '', 'libgcc_s.so.1': '' });
    const LD_LIBRARY_PATH = libraries;
    const fake = printing({ LD_LIBRARY_PATH });
    expect(await ended(fake)).toEqual(SUCCESS);
    expect(variablesIn(fake)).toEqual([`LD_LIBRARY_PATH=${libraries}`]);
  });

  it('not a process that may be root, nor a list of processes', async () => {
    const fake = printing({ PATH: '/module/bin', KEY: 'secret', BASH_ENV: '/module/rc' });
    const { mark, cgroups = '' } = fake.start;
    const members = `${cgroups}/${mark.slice(0, -1)}/cgroup.procs`;
    mkdirSync(`${cgroups}/${mark.slice(0, -1)}`);
    // The shell that joins the cgroup waits until the test reads.
    execFileSync('mkfifo', [members]);
    const launched = await launch(fake.start);
    const pid = launched.ok ? launched.value.pid : 0;
    const seen = (file: string): string => readFileSync(`/proc/${pid}/${file}`, 'latin1');
    await expect.poll(() => seen('cmdline')).toContain(ENV);
    expect(seen('environ')).toBe(`MODREG_RUN=${mark}${AGENT_ID}\0`);
    expect(seen('cmdline')).not.toMatch(/secret|module/);
    expect(readFileSync(members, 'utf8')).toBe('0\n');
    expect(launched.ok && (await launched.value.ended)).toEqual(SUCCESS);
    expect(variablesIn(fake)).toEqual(['BASH_ENV=/module/rc', 'KEY=secret', 'PATH=/module/bin']);
  });

  it.each([
    ['quotation marks', `'"\\''$(id)\``],
    ['lines', 'a\nb\r\n\n'],
    ['characters of several bytes', 'é\u0081\u0088€😀'],
    ['nothing', ''],
    ['more than the pipe takes at once', 'x'.repeat(100_000)],
  ])('exactly: %s', async (_, value) => {
    const path = `${temporaryFolder()}/program`;
    const print = "console.log(require('crypto').hash('sha256', process.env.V))";
    writeFileSync(path, `#!${process.execPath}\n${print}`, { mode: 0o755 });
    const fake = fakeStart([], { path, folder: '/', environment: { V: value, IFS: 'x' } });
    expect(await ended(fake)).toEqual(SUCCESS);
    expect(fake.lines).toEqual([hash('sha256', value)]);
  });

  it.each(['PWD', 'OLDPWD', 'PATH', 'IFS', 'PS4', 'TERM', 'ENV', 'LC_ALL'])(
    'also %s, which a shell has itself',
    async (name) => {
      const fake = printing({ [name]: '/of the module' });
      expect(await ended(fake)).toEqual(SUCCESS);
      expect(variablesIn(fake)).toContain(`${name}=/of the module`);
    },
  );

  it('unless a variable is longer than the kernel passes on, which is no fault of the release', async () => {
    const reason = 'the variable LONG has 131072 bytes with its name, expected at most 131071';
    expect(await ended(printing({ LONG: 'x'.repeat(131_066) }))).toEqual(SUCCESS);
    const result = await ended(printing({ LONG: 'x'.repeat(131_067) }));
    expect(result).toEqual({ blame: 'machine', reason });
  });

  it('and its stdin is empty', async () => {
    const fake = fakeStart([], { path: '/bin/cat', arguments: ['-'], folder: '/' });
    expect(await ended(fake)).toEqual(SUCCESS);
    expect(fake.lines).toEqual([]);
  });
});

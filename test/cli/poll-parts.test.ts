import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isOpenToOthers, parsePlace } from '../../src/cli/base/metrics-place.ts';
import { readInterval } from '../../src/cli/plan/interval-option.ts';
import { programRecord } from '../../src/cli/poll/earlier-program.ts';
import { firstVersions } from '../../src/cli/poll/first-versions.ts';
import { findProgram } from '../../src/cli/poll/find-program.ts';
import { eachLine } from '../../src/agent/process/output-lines.ts';
import { PollReport } from '../../src/cli/poll/poll-report.ts';
import { readPollTerms } from '../../src/cli/poll/poll-terms.ts';
import { failureOf } from '../../src/cli/poll/program-outcome.ts';
import { runProgram } from '../../src/cli/poll/run-program.ts';
import { whyNotRunnable } from '../../src/agent/process/runnable.ts';
import type { PlanDocuments } from '../../src/host/plan-documents.ts';
import { claimed, commitOne, LIDAR } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { script } from '../support/polling.ts';
import { quietWorld } from '../support/quiet-world.ts';

const WORLD = quietWorld('linux/x64');

function mute(code: number): string {
  return `the program exited with ${code} and wrote nothing to stderr`;
}

/** The beginning of a program for a machine. */
function elf(machine: number): Buffer {
  const head = Buffer.alloc(64);
  head.write('\u007fELF', 'latin1');
  head.writeUInt16LE(machine, 18);
  return head;
}

describe('the outcome of a program', () => {
  it.each<[number, 'machine' | 'release' | undefined]>([
    [0, undefined],
    [1, 'release'],
    [74, 'release'],
    [75, 'machine'],
    [76, 'release'],
    [125, 'release'],
    [126, 'machine'],
    [127, 'machine'],
    [128, 'machine'],
    [137, 'machine'],
    [255, 'machine'],
  ])('that exits with %i blames the %s', (code, blame) => {
    const ended = { kind: 'exited', code } as const;
    expect(failureOf(ended, undefined)).toEqual(blame && { blame, reason: mute(code) });
    expect(failureOf(ended, 'no light')).toEqual(blame && { blame, reason: 'no light' });
  });

  it.each([
    [undefined, 'the program was killed by SIGSEGV'],
    ['no light', 'the program was killed by SIGSEGV; its last line: no light'],
  ])('that a signal ends, after the line %s', (line, reason) => {
    const ended = { kind: 'killed', by: 'SIGSEGV' } as const;
    expect(failureOf(ended, line)).toEqual({ blame: 'machine', reason });
  });

  it('that cannot be started', () => {
    const reason = 'the program cannot be started: EAGAIN';
    const ended = { kind: 'not-started', why: 'EAGAIN' } as const;
    expect(failureOf(ended, undefined)).toEqual({ blame: 'machine', reason });
  });
});

describe('the output of a program', () => {
  it.each<[readonly (string | Buffer)[], readonly string[]]>([
    [['one\ntwo\n'], ['one', 'two']],
    [
      ['o', 'ne', '\ntw', 'o'],
      ['one', 'two'],
    ],
    [['one\r\n\r\ntwo\r\n'], ['one', '', 'two']],
    [['a\rb\n'], ['a\rb']],
    [[Buffer.from([0xc3]), Buffer.from([0xbc, 0x0a])], ['\u00fc']],
    [
      ['x'.repeat(16_384), 'yz\n', 'next\n'],
      ['x'.repeat(16_384), 'next'],
    ],
    [['x'.repeat(20_000), 'y'.repeat(20_000)], ['x'.repeat(16_384)]],
    [[], []],
  ])('%j has lines', async (pieces, lines) => {
    const stream = new PassThrough();
    const seen: string[] = [];
    eachLine(stream, (line) => seen.push(line));
    for (const piece of pieces) stream.write(piece);
    stream.end();
    await once(stream, 'end');
    expect(seen).toEqual(lines);
  });
});

describe('why a file cannot be run', () => {
  const own = process.arch === 'x64' ? 0x3e : 0xb7;

  it.each<[string, string | Buffer, number, string | undefined]>([
    ['a script', '#!/bin/sh\n', 0o755, undefined],
    ['a script with an argument', '#! /bin/sh -e\n', 0o755, undefined],
    ['a script without a mode', '#!/bin/sh\n', 0o644, 'it is not executable for this user'],
    ['an empty file', '', 0o755, 'it has no first line such as #!/bin/sh'],
    ['text', 'echo\n#!/bin/sh\n', 0o755, 'it has no first line such as #!/bin/sh'],
    ['a script of Windows', '#!/bin/sh\r\n', 0o755, 'its first line ends with a carriage return'],
    [
      'a script of another system',
      '#!/no/sh\n',
      0o755,
      'its first line names /no/sh, which this machine does not have',
    ],
    ['a program', elf(own), 0o755, undefined],
    ['a program of another machine', elf(0xf3), 0o755, 'it is a program of another machine'],
    ['the beginning of a program', '\u007fELF', 0o755, 'it is a program of another machine'],
  ])('%s', (_, content, mode, why) => {
    const path = `${temporaryFolder()}/program`;
    writeFileSync(path, content);
    chmodSync(path, mode);
    expect(whyNotRunnable(path, undefined)?.reason).toBe(why);
  });

  it('a folder, and nothing', () => {
    const folder = temporaryFolder();
    const reasons = [folder, `${folder}/x`].map((path) => whyNotRunnable(path, undefined)?.reason);
    expect(reasons).toEqual(['it is not a file', 'there is no such file']);
  });
});

it('a program is found by its path, or in the first folder of PATH that has it', () => {
  const folder = temporaryFolder();
  for (const name of ['a', 'b', 'c']) mkdirSync(`${folder}/${name}`);
  const program = (place: string, mode = 0o755): void => {
    writeFileSync(`${folder}/${place}`, '#!/bin/sh\n');
    chmodSync(`${folder}/${place}`, mode);
  };
  program('a/hook', 0o644);
  program('b/hook');
  program('c/hook');
  program('plain', 0o644);
  const world = { ...WORLD, environment: { PATH: `${folder}/a:${folder}/b:${folder}/c` } };
  const found = (named: string): unknown => {
    const result = findProgram('--exec', named, world);
    if (result.ok) return result.value;
    return [result.error.message, result.error.hint].map((text) => text?.replaceAll(folder, '.'));
  };
  expect(found('hook')).toBe(`${folder}/b/hook`);
  expect(found(`${folder}/c/hook`)).toBe(`${folder}/c/hook`);
  expect(found('none')).toEqual([
    '--exec: "none" is not in a folder of PATH',
    'a program in the current folder is ./none',
  ]);
  expect(found('')).toEqual([
    '--exec: "" is not in a folder of PATH',
    'a program in the current folder is ./',
  ]);
  expect(found(`${folder}/plain`)).toEqual([
    '--exec: "./plain" cannot be run: it is not executable for this user',
    'chmod +x ./plain makes it executable',
  ]);
  expect(found(`${folder}/none`)).toEqual([
    '--exec: "./none" cannot be run: there is no such file',
    undefined,
  ]);
});

describe('[T72] the record of a running program', () => {
  it('names a process that still runs, and not another one with its number', async () => {
    const path = `${temporaryFolder()}/machine.db.program`;
    const record = programRecord(path);
    expect(record.earlier()).toBeUndefined();
    // Its name may contain anything.
    const child = spawn('/bin/sh', ['-c', 'exec sleep 60'], { argv0: 'a) S 1 (b' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const pid = Number(child.pid);
    record.note(pid);
    expect([record.earlier(), statSync(path).mode & 0o777]).toEqual([pid, 0o600]);
    const noted = readFileSync(path, 'utf8');
    writeFileSync(path, noted.replace(/\d+@/, '1@'));
    expect(record.earlier()).toBeUndefined();
    writeFileSync(path, noted);
    const ended = record.ended(new AbortController().signal);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await ended;
    expect(record.earlier()).toBeUndefined();
    record.clear();
    record.clear();
    expect(existsSync(path)).toBe(false);
  });

  it('does not name one that ended, although its parent did not take its exit code', async () => {
    const record = programRecord(`${temporaryFolder()}/machine.db.program`);
    // It ends with its stdin; the parent never asks for its exit code.
    const steps = 'cat <&3 & echo $!; exec sleep 60';
    const parent = spawn('/bin/sh', ['-c', steps], {
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [digits] = (await once(parent.stdout as Readable, 'data')) as [Buffer];
    const pid = Number(digits.toString());
    record.note(pid);
    expect(record.earlier()).toBe(pid);
    // Until it is `sleep`, the shell takes exit codes between two commands.
    await vi.waitUntil(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n');
    (parent.stdio[3] as Writable).end();
    await record.ended(new AbortController().signal);
    expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(`${pid} (cat) Z `);
  });
});

function documents(): PlanDocuments {
  throw new Error('there are none');
}

it('what an ended program left in the background is not killed later', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const stopping = new AbortController();
  const ended = await runProgram({
    program: script(`${temporaryFolder()}/program`, 'exec sleep 60'),
    environment: {},
    input: '',
    onStart: () => stopping.abort(),
    onLine: () => undefined,
    signal: stopping.signal,
    kill: new AbortController().signal,
    onRefused: () => undefined,
  });
  vi.advanceTimersByTime(1000); // Its last output is awaited for less.
  expect([ended, vi.getTimerCount()]).toEqual([{ kind: 'killed', by: 'SIGTERM' }, 0]);
});

it('--deployed none is believed until an action for the module was delivered', () => {
  const file = claimed();
  const report = new PollReport({}, () => undefined, WORLD);
  const version = firstVersions(file, { named: 'none', report, documents });
  expect(version(LIDAR)).toBe(null);
  file.state.deliver(commitOne(file.state).id, 2);
  expect(version(LIDAR)).toBe(undefined);
});

describe('the options of modreg poll', () => {
  it.each<[string | undefined, number | string]>([
    [undefined, 60_000],
    ['4s', '--interval: 4s is too short, expected 5 s or more'],
    ['5s', 5000],
    ['24h', 86_400_000],
    ['1d', 86_400_000],
    ['86401s', '--interval: 86401s is too long, expected 1 d or less'],
  ])('--interval %s: %s', (text, expected) => {
    const read = readInterval(text);
    expect(read.ok ? read.value : read.error.message).toBe(expected);
  });

  it.each<[object, object]>([
    [{}, { intervalMs: 60_000, timeoutMs: 1_800_000, metrics: undefined, platform: 'linux/amd64' }],
    [
      { timeout: '1s', platform: 'linux/arm64' },
      { timeoutMs: 1000, platform: 'linux/arm64' },
    ],
  ])('%j', (options, expected) => {
    const read = readPollTerms({ exec: '/bin/sh', ...options }, WORLD);
    expect(read.ok && read.value).toMatchObject(expected);
  });

  it('reports each option that cannot be used, in their order', () => {
    const options = { exec: '/no', platform: 'x', interval: 'x', timeout: '0s', metrics: 'x' };
    const read = readPollTerms(options, WORLD);
    expect(read.ok ? [] : read.error.map(({ message }) => message)).toEqual([
      '"x" is not a platform',
      expect.stringMatching(/^--interval: "x" is not a duration/),
      '--timeout: 0s is too short, expected 1s or more',
      '--exec: "/no" cannot be run: there is no such file',
      '--metrics is "x", expected an address and a port, such as 127.0.0.1:9464',
    ]);
  });

  it.each<[string | undefined, object | undefined | string, boolean?]>([
    [undefined, undefined],
    ['127.0.0.1:9464', { host: '127.0.0.1', port: 9464 }, false],
    ['127.9.9.9:0', { host: '127.9.9.9', port: 0 }, false],
    ['localhost:65535', { host: 'localhost', port: 65_535 }, false],
    ['[::1]:1', { host: '::1', port: 1 }, false],
    ['[::]:1', { host: '::', port: 1 }, true],
    ['localhost.example:1', { host: 'localhost.example', port: 1 }, true],
    ['0.0.0.0:1', { host: '0.0.0.0', port: 1 }, true],
    [
      'host:65536',
      '--metrics is "host:65536", expected an address and a port, such as 127.0.0.1:9464',
    ],
    [':9464', '--metrics is ":9464", expected an address and a port, such as 127.0.0.1:9464'],
    ['9464', '--metrics is "9464", expected an address and a port, such as 127.0.0.1:9464'],
  ])('--metrics %s', (text, expected, isOpen) => {
    const place = parsePlace(text);
    expect(place.ok ? place.value : place.error.message).toEqual(expected);
    expect(place.ok && place.value ? isOpenToOthers(place.value) : undefined).toBe(isOpen);
  });
});

import { chmodSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { checkPackage } from '../../src/agent/check-package.ts';
import { whyNotRunnable } from '../../src/agent/process/runnable.ts';
import { temporaryFolder } from '../support/folder.ts';
import { tarOf, type TarMember } from '../support/tar-file.ts';
import { elf } from './support/elf-file.ts';

const SH = '#!/bin/sh\nexec sleep 60\n';
const PROGRAM: TarMember = { name: 'run', mode: 0o755, content: SH };

/** The file `meta.json` with these fields. */
function meta(fields: unknown = { entrypoint: 'run' }): TarMember {
  const content = typeof fields === 'string' ? fields : JSON.stringify(fields);
  return { name: 'meta.json', content };
}

/** Why a file of another type is refused. */
function wrongType(name: string): string {
  return `the file is ${name}, expected a tar archive compressed with gzip or zstd, or a program for Linux`;
}

function program(content: string | Buffer, name = 'run'): TarMember {
  return { name, mode: 0o755, content };
}

function packed(...members: readonly TarMember[]): Buffer {
  return gzipSync(tarOf(...members));
}

/** What a check of a file says: the program, or the kind of the refusal, who is to blame, and the reason. */
async function said(file: Buffer, platform: 'linux/amd64' | 'linux/arm64' = 'linux/amd64') {
  const folder = temporaryFolder({ 'package.tar.gz': file });
  const checked = await checkPackage(`${folder}/package.tar.gz`, platform);
  if (checked.ok) return ['ok', checked.value.program, checked.value.ignored.join(' ')];
  const { kind, blame, reason } = checked.error;
  return [kind, blame, reason.replaceAll(folder, '.').replaceAll(/\/tmp\/modreg-check-\w+/g, '@')];
}

it.each<[what: string, file: Buffer, expected: readonly string[]]>([
  ['a script', packed(meta(), PROGRAM), ['ok', 'run', '']],
  [
    'in a folder of its own',
    packed(
      { name: 'lidar/', type: '5', mode: 0o755 },
      { ...meta(), name: 'lidar/meta.json' },
      { ...PROGRAM, name: 'lidar/run' },
    ),
    ['ok', 'run', ''],
  ],
  ['a program for this platform', packed(meta(), program(elf(62))), ['ok', 'run', '']],
  ['one file that is a program', elf(62), ['ok', 'program', '']],
  [
    'an npm package, whose program npm makes executable',
    packed(
      { name: 'package.json', content: '{"bin":"cli.js"}' },
      { name: 'cli.js', content: '#!/usr/bin/env node\n' },
    ),
    ['ok', 'cli.js', ''],
  ],
  [
    'fields of other programs',
    packed(meta({ entrypoint: 'run', models: [], visibility: 'public' }), PROGRAM),
    ['ok', 'run', 'models visibility'],
  ],
  [
    'an interpreter of its own',
    packed(meta(), program('#!venv/bin/python\n'), program(elf(62), 'venv/bin/python')),
    ['ok', 'run', ''],
  ],
])('[D243] a machine can run %s', async (_what, file, expected) => {
  expect(await said(file)).toEqual(expected);
});

it.each<[what: string, file: Buffer, expected: readonly string[]]>([
  ['nothing', Buffer.alloc(0), ['wrong-type', wrongType('empty')]],
  ['a zip archive', Buffer.from('504b03040000', 'hex'), ['wrong-type', wrongType('a zip archive')]],
  [
    'a tar archive without compression',
    tarOf(meta(), PROGRAM),
    ['wrong-type', wrongType('a tar archive without compression')],
  ],
  ['a Debian package', Buffer.from('!<arch>\n'), ['wrong-type', wrongType('a Debian package')]],
  ['a web page', Buffer.from('<!doctype html>'), ['wrong-type', wrongType('a web page')]],
  ['a script alone', Buffer.from(SH), ['wrong-type', wrongType('a script')]],
  [
    'a program for Windows',
    Buffer.from('MZ\0\0'),
    ['wrong-type', wrongType('a program for Windows')],
  ],
  [
    'a program for another CPU alone',
    elf(183),
    ['wrong-platform', 'the program is for linux/arm64, expected linux/amd64'],
  ],
  [
    'an archive that ends early',
    packed(meta(), PROGRAM).subarray(0, 60),
    ['bad-archive', 'the archive cannot be decompressed (Z_BUF_ERROR)'],
  ],
  ['an empty archive', packed(), ['bad-archive', 'the archive is empty']],
  [
    'a file outside',
    packed(meta(), PROGRAM, program(SH, '../run')),
    ['bad-archive', 'the archive has a path that leaves it: "../run"'],
  ],
  [
    'an absolute file',
    packed(meta(), PROGRAM, program(SH, '/run')),
    ['bad-archive', 'the archive has an absolute path: "/run"'],
  ],
  [
    'a link outside',
    packed(meta(), PROGRAM, { name: 'lib', type: '2', target: '../../lib' }),
    ['bad-archive', 'the archive has the link "lib" to "../../lib", which leaves the package'],
  ],
  [
    'a file twice',
    packed(meta(), PROGRAM, PROGRAM),
    ['bad-archive', 'the archive has "run" twice'],
  ],
  [
    'a device',
    packed(meta(), PROGRAM, { name: 'null', type: '3' }),
    ['bad-archive', 'the archive has a character device: "null"'],
  ],
  [
    'no meta.json',
    packed(PROGRAM),
    [
      'no-program',
      'the package names no program: expected entrypoint in meta.json, bin in package.json, or command in the update policy',
    ],
  ],
  [
    'a meta.json beside the only folder',
    packed(meta(), { ...PROGRAM, name: 'lidar/run' }),
    [
      'no-program',
      'the package\'s meta.json names the program "run", which the package does not have',
    ],
  ],
  [
    'a meta.json that is not JSON',
    packed(meta('{"entrypoint": "run",}'), PROGRAM),
    ['bad-manifest', 'the package\'s meta.json is not JSON: 1:21 trailing comma before "}"'],
  ],
  [
    'a meta.json with comments',
    packed(meta('{"entrypoint": "run" /* it */}'), PROGRAM),
    ['bad-manifest', "the package's meta.json is not JSON, because it has comments"],
  ],
  [
    'a meta.json that is a list',
    packed(meta([]), PROGRAM),
    ['bad-manifest', "the package's meta.json is a list, expected an object"],
  ],
  [
    'an entrypoint that is no text',
    packed(meta({ entrypoint: ['run'] }), PROGRAM),
    ['bad-manifest', "the package's meta.json has a list as entrypoint, expected text"],
  ],
  [
    'a misspelt field',
    packed(meta({ entrypoint: 'run', stop_timout: '5s' }), PROGRAM),
    [
      'bad-manifest',
      'the package\'s meta.json has the unknown field "stop_timout"; did you mean stop_timeout ?',
    ],
  ],
  [
    'a duration without a unit',
    packed(meta({ entrypoint: 'run', stop_timeout: '5' }), PROGRAM),
    [
      'bad-manifest',
      'the package\'s meta.json stop_timeout: "5" is not a duration, expected a whole number and one of s, m, h, d, at most ten years, such as 5m',
    ],
  ],
  [
    'a wrong ready',
    packed(meta({ entrypoint: 'run', ready: 'soon' }), PROGRAM),
    [
      'bad-manifest',
      'the package\'s meta.json ready: "soon" is not a way to be ready, expected none, socket, http://127.0.0.1:PORT/PATH or tcp://127.0.0.1:PORT, with a port and a loopback address',
    ],
  ],
  [
    'no such program',
    packed(meta({ entrypoint: 'bin/run' }), PROGRAM),
    [
      'no-program',
      'the package\'s meta.json names the program "bin/run", which the package does not have',
    ],
  ],
  [
    'a program outside',
    packed(meta({ entrypoint: '/bin/sh' }), PROGRAM),
    [
      'no-program',
      'the package\'s meta.json names the program "/bin/sh", which the package does not have',
    ],
  ],
  [
    'a program that is a folder',
    packed(meta(), { ...PROGRAM, name: 'run/x' }),
    ['no-program', 'the package\'s meta.json names the program "run", which is not a file'],
  ],
  [
    'a program that is not executable',
    packed(meta(), { ...PROGRAM, mode: 0o644 }),
    ['no-program', 'the package\'s meta.json names the program "run", which is not executable'],
  ],
  [
    'a program for another CPU',
    packed(meta(), program(elf(183))),
    ['wrong-platform', 'the program "run" is for linux/arm64, expected linux/amd64'],
  ],
  [
    'a script without a first line',
    packed(meta(), program('exec sleep 60\n')),
    ['no-program', '"run": it cannot be started: it has no first line such as #!/bin/sh'],
  ],
  [
    'an empty script',
    packed(meta(), program('')),
    ['no-program', '"run": it cannot be started: it has no first line such as #!/bin/sh'],
  ],
  [
    'a script of Windows',
    packed(meta(), program('#!/bin/sh\r\nexec sleep 60\r\n')),
    ['no-program', '"run": it cannot be started: its first line ends with a carriage return'],
  ],
  [
    'an interpreter that it lacks',
    packed(meta(), program('#!venv/bin/python\n')),
    [
      'no-program',
      '"run": it cannot be started: its first line names venv/bin/python, which the package does not have',
    ],
  ],
  [
    'no such first run',
    packed(meta({ entrypoint: 'run', first_run: 'setup.sh' }), PROGRAM),
    [
      'no-program',
      'the package\'s meta.json names the program "setup.sh", which the package does not have',
    ],
  ],
  [
    'a first run that is not executable',
    packed(meta({ entrypoint: 'run', first_run: 'setup.sh' }), PROGRAM, {
      name: 'setup.sh',
      content: SH,
    }),
    [
      'no-program',
      'the package\'s meta.json names the program "setup.sh", which is not executable',
    ],
  ],
  [
    'a first run without a first line',
    packed(
      meta({ entrypoint: 'run', first_run: 'setup.sh' }),
      PROGRAM,
      program('echo', 'setup.sh'),
    ),
    ['no-program', '"setup.sh": it cannot be started: it has no first line such as #!/bin/sh'],
  ],
])('[T641] no machine can run %s', async (_what, file, [kind, reason]) => {
  const [found, , text] = await said(file);
  expect([found, text]).toEqual([kind, reason]);
});

it('[D243] a check leaves nothing behind', async () => {
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith('modreg-check-'));
  await said(packed(meta(), PROGRAM));
  await said(packed(PROGRAM));
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('modreg-check-'))).toEqual(before);
});

it('[D243] the agent looks for a relative interpreter from the folder of the package', () => {
  const root = temporaryFolder({ run: '#!venv/bin/python\n', 'venv/bin/python': '' });
  chmodSync(`${root}/run`, 0o755);
  expect(whyNotRunnable(`${root}/run`, undefined, root)).toBeUndefined();
  expect(whyNotRunnable(`${root}/run`, undefined, `${root}/venv`)).toEqual({
    blame: 'machine',
    reason: 'its first line names venv/bin/python, which this machine does not have',
  });
});

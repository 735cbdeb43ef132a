import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modeOpenToOthers } from '../../src/config/file-mode.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { ROOT, runModreg } from '../support/modreg.ts';
import { wireServer } from '../../mocks/wire-server.ts';

const PATH = process.env['PATH'] ?? '';

function run(
  command: string,
  args: readonly string[],
  cwd = '/',
  environment: Readonly<Record<string, string>> = {},
): readonly unknown[] {
  const options = { cwd, encoding: 'utf8', env: { PATH, ...environment } } as const;
  const { stdout, stderr, status } = spawnSync(command, args, options);
  return [stdout, stderr, status];
}

function contentOf(folder: string): readonly string[] | undefined {
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
    : undefined;
}

const NOTE: unknown = expect.stringContaining('sample catalogue');
const USAGE =
  "error[USAGE]: missing required argument 'module_id'\nhint: modreg resolve --help shows how\n";
const VERSION: unknown = expect.stringMatching(
  /^modreg \d+\.\d+\.\d+(?:-dev)? \(Node v[\d.]+\)\n$/,
);

describe('bin/modreg', () => {
  const answered = ['1.3.0\n', NOTE, 0];
  const input = ['resolve', 'acme:cam', 'latest'];

  it('runs from any folder, by its path, through links, and with sh', () => {
    const folder = temporaryFolder();
    symlinkSync(`${ROOT}bin/modreg`, join(folder, 'absolute'));
    symlinkSync('absolute', join(folder, 'relative'));
    expect(run(`${ROOT}bin/modreg`, input)).toEqual(answered);
    expect(run(join(folder, 'relative'), input)).toEqual(answered);
    expect(run('sh', ['modreg', ...input], `${ROOT}bin`)).toEqual(answered);
  });

  it('--version names modreg and the Node that runs it', () => {
    const [stdout] = run(`${ROOT}bin/modreg`, ['--version']);
    expect(stdout).toMatch(/^modreg \d+\.\d+\.\d+(?:-dev)? \(Node v[\d.]+\)\n$/);
    expect(stdout).toContain(process.version);
  });

  it.each([
    ['agent', {}, 'MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=65536', ''],
    ['page', {}, 'MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=65536', ''],
    ['agent', { MALLOC_ARENA_MAX: '4' }, 'MALLOC_ARENA_MAX=4', 'MALLOC_ARENA_MAX=4'],
    [
      'agent',
      { MALLOC_TRIM_THRESHOLD_: '1' },
      'MALLOC_TRIM_THRESHOLD_=1',
      'MALLOC_TRIM_THRESHOLD_=1',
    ],
    ['resolve', {}, '', ''],
  ])(
    '[T725] %s with %j: malloc of this process gets "%s", and other programs "%s"',
    (command, environment, own, passed) => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, 'bin'));
      mkdirSync(join(folder, 'dist/cli'), { recursive: true });
      for (const file of ['modreg', 'modreg.mjs'])
        cpSync(`${ROOT}bin/${file}`, join(folder, 'bin', file));
      const sorted = `(text) => text.match(/^(?:MALLOC|MODREG_MALLOC).*/gm)?.sort().join(' ') ?? ''`;
      const main = `const sorted = ${sorted};
        const { execFileSync } = require('node:child_process');
        const at = execFileSync('cat', ['/proc/' + process.pid + '/environ'], { encoding: 'utf8' });
        const passed = execFileSync('env', { encoding: 'utf8' });
        exports.run = () => console.log(sorted(at.replaceAll('\\0', '\\n')) + '|' + sorted(passed));`;
      writeFileSync(join(folder, 'dist/cli/main.cjs'), main);
      const { stdout } = spawnSync(join(folder, 'bin/modreg'), [command], {
        env: { PATH: process.env['PATH'], ...environment },
        encoding: 'utf8',
      });
      const [seen = '', others] = stdout.trimEnd().split('|');
      expect([seen.replace(/ MODREG_MALLOC=.*/, ''), others]).toEqual([own, passed]);
    },
  );

  it('names the build command if modreg is not built', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'bin'));
    for (const file of ['modreg', 'modreg.mjs'])
      cpSync(`${ROOT}bin/${file}`, join(folder, 'bin', file));
    const message = 'error[INTERNAL]: modreg is not built; in a clone, npm ci builds it\n';
    expect(run(join(folder, 'bin/modreg'), input)).toEqual(['', message, 70]);
  });

  it('refuses a Node that is too old', () => {
    const old =
      'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.20.2"}})';
    const [stdout, stderr, status] = run('node', [
      '--import',
      old,
      `${ROOT}bin/modreg.mjs`,
      ...input,
    ]);
    expect([stdout, status]).toEqual(['', 69]);
    expect(stderr).toMatch(
      /^error\[NODE_TOO_OLD\]: this is Node v[\d.]+; modreg needs Node 24 or newer\nhint: put a newer Node in PATH; in a clone, npm ci installs one\n$/,
    );
  });

  it('keeps compiled code in a folder that only its user can open', () => {
    const folder = temporaryFolder();
    const cache = join(folder, `modreg-${userInfo().uid}`);
    expect(run(`${ROOT}bin/modreg`, input, '/', { TMPDIR: folder })).toEqual(answered);
    expect(readdirSync(folder)).toEqual([basename(cache)]);
    expect(modeOpenToOthers(statSync(cache).mode)).toBeUndefined();
    expect(readdirSync(cache)).toEqual([expect.stringContaining(`${process.version}-`)]);
  });

  it.each([
    [
      'others can write to it',
      (cache: string) => chmodSync(mkdirSync(cache, { recursive: true }) ?? cache, 0o777),
    ],
    ['it is a link', (cache: string) => symlinkSync(mkdtempSync(`${cache}-`), cache)],
    ['it is a file', (cache: string) => writeFileSync(cache, '')],
    ['its folder is missing', (cache: string) => rmdirSync(dirname(cache))],
  ])('keeps no compiled code in that folder if %s', (_, prepare) => {
    const folder = temporaryFolder();
    prepare(join(folder, `modreg-${userInfo().uid}`));
    const before = contentOf(folder);
    expect(run(`${ROOT}bin/modreg`, input, '/', { TMPDIR: folder })).toEqual(answered);
    expect(contentOf(folder)).toEqual(before);
  });

  it('reports that there is no Node in PATH', () => {
    const folder = temporaryFolder();
    cpSync(`${ROOT}bin/modreg`, join(folder, 'modreg'));
    const { stderr, status } = spawnSync('/bin/sh', [join(folder, 'modreg')], {
      encoding: 'utf8',
      env: { PATH: folder },
    });
    expect([stderr, status]).toEqual([
      'error[NODE_TOO_OLD]: there is no node in PATH; modreg needs Node 24 or newer\n',
      69,
    ]);
  });
});

describe('bin/resolve', () => {
  it.each<readonly [string, string[], string[], readonly unknown[]]>([
    ['a release', ['acme:cam', '1.0.*'], ['resolve', 'acme:cam', '1.0.*'], ['1.0.4\n', NOTE, 0]],
    ['no module', [], ['resolve'], ['', USAGE, 2]],
    [
      'an unknown option',
      ['--offlin'],
      ['resolve', '--offlin'],
      ['', expect.stringContaining("error[USAGE]: unknown option '--offlin'\n"), 2],
    ],
    [
      'help',
      ['--help'],
      ['resolve', '--help'],
      [expect.stringContaining('\nUsage: modreg resolve [options] <module_id>'), '', 0],
    ],
    ['the version', ['--version'], ['--version'], [VERSION, '', 0]],
    ['the version, shortly', ['-V'], ['-V'], [VERSION, '', 0]],
  ])('answers as modreg: %s', async (_, args, same, expected) => {
    const folder = temporaryFolder();
    cpSync(`${ROOT}bin/resolve`, join(folder, 'resolve'));
    // In place of modreg, it shows its arguments.
    writeFileSync(join(folder, 'modreg'), `#!/bin/sh\nprintf '%s\\n' "$@"\n`, { mode: 0o755 });
    const passed = same.map((arg) => `${arg}\n`).join('');
    expect(run(join(folder, 'resolve'), args)).toEqual([passed, '', 0]);
    const { stdout, stderr, exit } = await inProcess(same);
    expect([stdout, stderr, exit]).toEqual(expected);
  });

  it('has the answer and the exit code of modreg', async () => {
    const answer = run(`${ROOT}bin/resolve`, ['acme:cam', '9.*']);
    const { stdout, stderr, exit } = await inProcess(['resolve', 'acme:cam', '9.*']);
    expect(answer).toEqual([stdout, stderr, exit]);
    const noMatch = 'error[NO_MATCH]: no release of acme:cam matches 9.*';
    expect(answer).toEqual(['', expect.stringContaining(noMatch), 1]);
  });

  it('runs by its path, through links, and with sh', () => {
    const folder = temporaryFolder();
    symlinkSync(`${ROOT}bin/resolve`, join(folder, 'resolve'));
    symlinkSync('resolve', join(folder, 'short'));
    const input = ['acme:cam', 'latest'];
    for (const [command, args, cwd] of [
      [join(folder, 'short'), input, '/'],
      ['./resolve', input, `${ROOT}bin`],
      ['sh', ['resolve', ...input], `${ROOT}bin`],
    ] as const) {
      expect(run(command, args, cwd)).toEqual(['1.3.0\n', NOTE, 0]);
    }
  });
});

it('the completion of a word ends soon although the registry does not answer', async () => {
  const server = await wireServer();
  server.answer(() => undefined);
  const began = performance.now();
  const environment = { MODREG_REGISTRY: server.address };
  const ended = await runModreg(['__complete', '--', 'resolve', 'acme:lidar', ''], environment);
  await server.close();
  expect(ended).toEqual({ stdout: '', stderr: '', exit: 0 });
  // Other commands wait for ten seconds.
  expect(performance.now() - began).toBeLessThan(8000);
});

import { describe, expect, it } from 'vitest';
import { CONSTRAINTS } from '../../src/core/version/constraint.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';

const HINT = 'hint: modreg --help shows how\n';
const RESOLVE_HINT = 'hint: modreg resolve --help shows how\n';
const FORMS = Object.values(CONSTRAINTS).map(({ form }) => form);
const ACCEPTED = `accepted: ${FORMS.join('   ')}\n`;

describe('arguments that cannot be used: exit 2', () => {
  it.each<[readonly string[], string]>([
    [
      ['acme:lidar', '1.2.x'],
      `error[BAD_CONSTRAINT]: "1.2.x" is not a version constraint\n  1.2.x\n      ^ expected a number or *\n  did you mean 1.2.* ?\n${ACCEPTED}`,
    ],
    [
      ['acme:lidar', ''],
      `error[BAD_CONSTRAINT]: "" is not a version constraint\n  expected a number, latest or latest-with-prerelease, at character 1\n${ACCEPTED}`,
    ],
    [
      ['acme:lidar', 'X.*'],
      `error[BAD_CONSTRAINT]: "X.*" is a placeholder: write numbers in place of the letters\n  X.*\n  ^ expected a number, latest or latest-with-prerelease\n${ACCEPTED}`,
    ],
    [
      ['acme:lidar', '1.2.3\n'],
      `error[BAD_CONSTRAINT]: "1.2.3\\u{a}" is not a version constraint\n  expected "-", "+" or the end, at character 6\n  did you mean 1.2.3 ?\n${ACCEPTED}`,
    ],
    [
      ['acme:lidar', '9'.repeat(100_000)],
      `error[BAD_CONSTRAINT]: "${'9'.repeat(200)}…" is not a version constraint\n  expected at most 256 characters, not 100000, at character 257\n${ACCEPTED}`,
    ],
    [
      ['acme/lidar', '1.*'],
      'error[BAD_MODULE_ID]: "acme/lidar" is not a module id\n  acme/lidar\n      ^ expected a letter, a digit, "_", "-" or ":", as in <namespace>:<name>\n',
    ],
    [
      ['..:..', '1.*'],
      'error[BAD_MODULE_ID]: "..:.." is not a module id\n  ..:..\n  ^ expected a letter or a digit\n',
    ],
    [
      ['acme:lidar', '1.*', '--platform', 'arm64'],
      'error[BAD_PLATFORM]: "arm64" is not a platform\n  arm64\n  ^ expected linux/amd64 or linux/arm64\n  did you mean linux/arm64 ?\n',
    ],
    [
      ['acme:lidar', '1.*', '--at', 'noon'],
      'error[BAD_TIME]: "noon" is not a time\n  noon\n  ^ expected a time such as +12h, -2d, tomorrow, 2026-11-21T01:02:03Z or 2026-11-22T06:00 Europe/Berlin\n',
    ],
    [
      ['acme:lidar', '1.*', '--registry', ''],
      'error[BAD_ADDRESS]: the registry address cannot be used: it is empty\nhint: use https://host, npm:https://host, oci:https://host, github:owner/name, a .db file, or a folder of <namespace>/<name>.json files (with ./ before a name that contains a colon)\n',
    ],
    [
      ['acme:lidar', '1.*', '--registry', 'https://user:secret@x.example/'],
      'error[BAD_ADDRESS]: the registry address cannot be used: user info before the host x.example: credentials do not belong here\nhint: use https://host, npm:https://host, oci:https://host, github:owner/name, a .db file, or a folder of <namespace>/<name>.json files (with ./ before a name that contains a colon)\n',
    ],
    [
      ['acme:lidar', '1.*', '--registry', '/no/such/folder'],
      'error[UNREADABLE_FILE]: the registry folder "/no/such/folder" does not exist\n',
    ],
    [
      ['acme:lidar', '1.*', '--registry', 'README.md'],
      'error[UNREADABLE_FILE]: the registry folder "README.md" is not a folder\n',
    ],
    [['acme:lidar'], `error[USAGE]: missing required argument 'constraint'\n${RESOLVE_HINT}`],
    [
      ['acme:lidar', '1.*', '2.*'],
      `error[USAGE]: too many arguments for 'resolve'. Expected 2 arguments but got 3: acme:lidar, 1.*, 2.*.\n${RESOLVE_HINT}`,
    ],
    [
      ['acme:lidar', '1.*', '--explan'],
      `error[USAGE]: unknown option '--explan'\n  did you mean --explain ?\n${RESOLVE_HINT}`,
    ],
    [
      ['acme:lidar', '1.*', '--platform'],
      `error[USAGE]: option '--platform <platform>' argument missing\n${RESOLVE_HINT}`,
    ],
    [
      ['acme:lidar', '1.*', '--color', 'pink'],
      `error[USAGE]: --color: found "pink", expected one of auto, always, never\n${RESOLVE_HINT}`,
    ],
    [
      ['acme:lidar', '1.*', '--\u001b[2J\u202e'],
      `error[USAGE]: unknown option '--\\u{1b}[2J\\u{202e}'\n${RESOLVE_HINT}`,
    ],
  ])('resolve %j', async (args, stderr) => {
    expect(await inProcess(['resolve', ...args])).toEqual({ stdout: '', stderr, exit: 2 });
  });

  it('reports every mistake in the arguments at once', async () => {
    const { stderr, exit } = await inProcess([
      'resolve',
      'lidar',
      '1.x',
      '--platform',
      'x',
      '--at',
      'x',
    ]);
    expect(stderr.match(/^error\[\w+\]/gm)).toEqual([
      'error[BAD_MODULE_ID]',
      'error[BAD_CONSTRAINT]',
      'error[BAD_PLATFORM]',
      'error[BAD_TIME]',
    ]);
    expect(exit).toBe(2);
  });

  it('suggests the nearest command for an unknown one', async () => {
    expect(await inProcess(['resolv'])).toEqual({
      stdout: '',
      stderr: `error[USAGE]: unknown command 'resolv'\n  did you mean resolve ?\n${HINT}`,
      exit: 2,
    });
  });

  it.each([
    ['logs', 'one of modreg agent logs, modreg fleet logs'],
    ['publish', 'modreg registry publish'],
    ['serve', 'one of modreg registry serve, modreg fleet serve'],
    ['ps', 'modreg agent status'],
    ['update', 'modreg upgrade'],
    ['explain', 'modreg why'],
    ['constructor', undefined],
  ])('names what %s is called: %s', async (word, suggestion) => {
    const line = suggestion === undefined ? '' : `  did you mean ${suggestion} ?\n`;
    const { stderr } = await inProcess([word, 'acme:lidar']);
    expect(stderr).toBe(`error[USAGE]: unknown command '${word}'\n${line}${HINT}`);
  });

  it('suggests only commands that exist', async () => {
    const words = ['delete', 'downgrade', 'info', 'install', 'lint', 'log', 'login', 'ls', 'pause'];
    const more = ['pin', 'register', 'revert', 'rm', 'run', 'search', 'start', 'uninstall'];
    for (const word of [...words, ...more, 'history', 'validate', 'versions']) {
      const { stderr } = await inProcess([word]);
      const [, path = ''] = /did you mean modreg (.+) \?/.exec(stderr) ?? [];
      const { stdout } = await inProcess([...path.split(' '), '--help']);
      expect(stdout).toContain(`Usage: modreg ${path} `);
    }
  });

  it('groups the commands in the general help, a line each', async () => {
    const { stdout } = await inProcess(['--help']);
    const lines = stdout.split('\n');
    expect(lines.filter((line) => /^\S.*:$/.test(line))).toEqual([
      'Options:',
      'This machine:',
      'Change this machine:',
      'Releases and documents:',
      'Registry and fleet:',
      'First steps:',
    ]);
    expect(lines).toContain(
      '  status         deployed and wanted versions, what waits, the last round',
    );
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('refuses help for an unknown command', async () => {
    const { stderr, exit } = await inProcess(['help', 'nope']);
    expect([stderr, exit]).toEqual([`error[USAGE]: unknown command\n${HINT}`, 2]);
  });

  it('prints the help on stderr without a command', async () => {
    const { stdout, stderr, exit } = await inProcess([]);
    expect({ stdout, exit }).toEqual({ stdout: '', exit: 2 });
    expect(stderr).toMatch(/^Usage: modreg \[options\] \[command\]\n/);
    expect(stderr.endsWith(`error[USAGE]: no command is named\n${HINT}`)).toBe(true);
  });
});

describe('a module or a release list that cannot be found or read', () => {
  it('exit 3 if the registry does not have the module', async () => {
    const { stderr, exit } = await inProcess(['resolve', 'acme:lidr', '1.*']);
    expect(stderr.split('\n').slice(1)).toEqual([
      'error[UNKNOWN_MODULE]: the sample catalogue has no module acme:lidr',
      '  did you mean acme:lidar ?',
      'hint: namespace acme has 3 modules: arm, cam, lidar',
      '',
    ]);
    expect(exit).toBe(3);
  });

  it.each([
    ['torn', '{"releases": [{"version"', 'it is not JSON at line 1 column 25'],
    ['a list', '[]', 'found a list, expected an object'],
    ['no list', '{"releases": {}}', '/releases is an object, expected a list'],
  ])('exit 4 if the file is not a release list: %s', async (_, content, found) => {
    const folder = temporaryFolder({ 'acme/lidar.json': content });
    expect(await inProcess(['resolve', 'acme:lidar', '1.*', '--registry', folder])).toEqual({
      stdout: '',
      stderr: `error[NOT_A_REGISTRY]: "${folder}/acme/lidar.json" is not a release list: ${found}\n`,
      exit: 4,
    });
  });

  it('exit 0 if a good release is left: unreadable entries are ignored, counted and named', async () => {
    const releases = [
      null,
      { version: '__proto__' },
      { version: '1.0.0', yanked: 7 },
      { version: '0.9.0' },
    ];
    const folder = temporaryFolder({ 'acme/lidar.json': JSON.stringify({ releases }) });
    expect(await inProcess(['resolve', 'acme:lidar', 'latest', '--registry', folder])).toEqual({
      stdout: '0.9.0\n',
      stderr:
        'warning[IGNORED_ENTRIES]: ignored 2 of 4 entries of acme:lidar, not a version: "null" (expected a number at character 1), "__proto__" (expected a number at character 1)\n' +
        'warning[IGNORED_ENTRIES]: ignored 1 part of the list of acme:lidar\n  because /releases/2/yanked is the number 7, expected a string\n',
      exit: 0,
    });
  });
});

describe('[T35] terminal escapes from a registry', () => {
  const releases = [
    { version: '1.0.0', yanked: '\u001b]52;c;eA==\u0007\r\nerror: forged \u202e' },
    { version: '\u001b[2Jx' },
    { version: '0.9.0' },
  ];
  const escaped = String.raw`yanked: \u{1b}]52;c;eA==\u{7}\u{d}\u{a}error: forged \u{202e}`;

  it('are escaped on stdout and on stderr', async () => {
    const folder = temporaryFolder({ 'acme/lidar.json': JSON.stringify({ releases }) });
    const { stdout, stderr } = await inProcess([
      'resolve',
      'acme:lidar',
      '1.*',
      '--all',
      '--registry',
      folder,
    ]);
    expect(stdout).toContain(`1.0.0       no   ${escaped}\n`);
    expect(stderr).toContain(String.raw`"\u{1b}[2Jx" (expected a number at character 1)`);
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('are escaped in JSON, which parses to the same text', async () => {
    const folder = temporaryFolder({ 'acme/lidar.json': JSON.stringify({ releases }) });
    const args = ['resolve', 'acme:lidar', '0.*', '--explain', '--json', '--registry', folder];
    const { stdout } = await inProcess(args);
    expect(stdout).not.toContain('\u202e');
    expect(JSON.parse(stdout)).toMatchObject({
      refused: [{ reason: 'other-major' }, { version: '\u001b[2Jx', reason: 'not-a-version' }],
    });
  });
});
